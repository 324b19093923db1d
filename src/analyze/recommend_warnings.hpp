#pragma once
#include "analyze/choice.hpp"
#include "analyze/headline.hpp"
#include "core/run.hpp"

namespace feedtune {

struct WarningInput {
  const Measurements& data;
  const Headline& headline;
  const Choice* choice = nullptr;  ///< null: nothing to choose from
  bool relaxed = false;            ///< nothing was usable, so what failed once or fills the memory was let in
};

/// What the reader of a recommendation must know before acting on it, the gravest first.
void add_warnings(const Run& run, const WarningInput& input, Recommendation& recommendation);

}  // namespace feedtune
