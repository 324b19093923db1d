#pragma once
#include <cstdint>
#include <string>

#include "core/spec.hpp"

namespace feedtune {

/// What a sweep has spent of its budget, from the costs of its trials alone: replaying them gives the same decisions.
class Spending {
 public:
  explicit Spending(Budget budget) : budget_(budget) {}

  /// Stages: "anchor" costs nothing, "component" seconds, "explore" and "confirm" seconds and a trial each.
  void charge(const std::string& stage, double cost_s);
  /// Another trial may start. Exploration leaves about a third for confirmation.
  bool allows(const std::string& stage) const;
  /// Trials of the stage "confirm" that the rest pays for, by the mean cost so far; at most `wanted`.
  std::size_t affordable(std::size_t wanted) const;
  /// Trials that exploration may still take; `wanted` without a budget of trials.
  std::int64_t explore_trials_left(std::int64_t wanted) const;

  const Budget& budget() const { return budget_; }
  std::int64_t trials() const { return trials_; }
  double seconds() const { return seconds_; }

 private:
  Budget budget_;
  std::int64_t trials_ = 0;
  double seconds_ = 0;
  double component_seconds_ = 0;
};

}  // namespace feedtune
