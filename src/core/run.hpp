#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/facts.hpp"
#include "core/recommendation.hpp"
#include "core/spec.hpp"
#include "core/trial.hpp"

namespace feedtune {

/// A note of the sweep: something the reader of a result has to know (drift, collapsed axes, interruption).
struct RunNote {
  std::string kind;  ///< collapsed, skipped, budget, drift, interrupted, resumed
  std::string text;
};

/// Everything a sweep knew and measured: the content of result.json.
struct Run {
  ToolFacts tool;
  MachineFacts machine;
  DataFacts data;
  DeviceFacts device;
  ModelFacts model;
  Spec spec;
  std::string started;  ///< UTC, ISO 8601
  bool complete = false;  ///< the plan or the budget ended, not a signal
  std::vector<TrialResult> trials;  ///< in the order of measurement, all stages
  std::vector<RunNote> notes;
  std::optional<Recommendation> recommendation;
};

}  // namespace feedtune
