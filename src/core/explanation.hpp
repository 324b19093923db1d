#pragma once
// What `feedtune explain` says of a run: why its trials are as slow as they are.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/configuration.hpp"
#include "core/interval.hpp"

namespace feedtune {

/// What one rule found.
struct Finding {
  std::string rule;                   ///< its file in src/analyze/rules
  std::string verdict;                ///< one sentence
  std::vector<std::string> evidence;  ///< measured figures with their units, at least one
  double share = 0;                   ///< of the step's time that would go without the cause, 0 to 1; 0: worth knowing, costs no step time
  std::string gain_of;                ///< the change that `gain` is of: "num_workers 0 -> 2"; empty where there is none
  std::optional<Interval> gain;       ///< images/s after it over now: 1.8 is 80 % more; n: paired blocks, 0: predicted
  std::string gain_unknown;           ///< why there is no `gain`; empty where there is
  std::string next;                   ///< what to do
};

struct TrialExplanation {
  std::int64_t id = 0;                  ///< of the trial
  std::string role;                     ///< current, recommended, baseline, trial (asked for by its id)
  Configuration configuration;
  std::optional<Interval> images_per_s;
  std::optional<double> step_ms;        ///< mean; absent where the trial recorded no steps
  double waiting_share = 0;             ///< of the step: the device waits for data
  double copying_share = 0;             ///< of the step: copying that nothing hides
  bool has_primary = false;             ///< findings.front() is what explains most
  std::vector<Finding> findings;        ///< what explains most first
};

struct Explanation {
  std::vector<TrialExplanation> trials;  ///< never empty: the one the user most wants to know of first
  std::vector<Finding> run;              ///< of the run as a whole; `share` 0
  bool modelled = false;                 ///< device times are computed from a profile
};

}  // namespace feedtune
