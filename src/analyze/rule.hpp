#pragma once
// A diagnosis rule of `feedtune explain`: one file in rules/ each, with one factory named after the file.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyze/expected_gain.hpp"
#include "analyze/exposure.hpp"
#include "core/explanation.hpp"
#include "core/run.hpp"

namespace feedtune {

/// Below this share of the step nothing is a cause: two trials of one setting differ by as much, and `bound_by` takes the
/// same limit (analyze/phase_means).
inline constexpr double least_share = 0.05;

struct RuleInput {
  const Run& run;
  const TrialResult& trial;
  const Measurements& data;
  const GainEstimator& gains;
  Exposure exposure;
  WorkerTimes workers;

  double cpus() const { return run.machine.cpus.effective; }
  std::int64_t num_workers() const { return trial.configuration.integer("num_workers").value_or(-1); }  ///< -1: no such axis
  std::int64_t batch_size() const { return trial.configuration.integer("batch_size").value_or(0); }     ///< 0: no such axis
  /// A fact about the machine or the device; nothing where it is unknown or of the other type.
  std::optional<std::int64_t> fact(const std::string& name) const;
  /// "the device waits for data in 46 % of each step (16.1 of 35.4 ms)".
  std::string waiting_text() const;
};

/// Which of the step's exposed time a finding is about: what a cause explains of it, a place does not explain again.
enum class Part { loading, copying, device, none };

struct RuleFinding {
  std::string verdict;
  std::vector<std::string> evidence;
  double share = 0;  ///< as in Finding
  ExpectedGain gain;
  std::string next;
};

struct Rule {
  /// place: says where the time goes. cause: says why. run: about the run as a whole, whatever the trial.
  enum class Kind { place, cause, run };

  std::string name;
  Kind kind = Kind::cause;
  Part part = Part::none;
  /// Pure; needs nothing to be recorded. Nothing: it does not hold, or can't be told.
  std::function<std::optional<RuleFinding>(const RuleInput&)> judge;
};

/// Every rule, from the files in rules/ (generated table, alphabetical).
std::vector<Rule> all_rules();

/// Of a trial by the rules that aren't about the run, what explains most first. Order: a cause by its share; a place by
/// what its share exceeds the largest cause of the same part by, so that no exposed time is explained twice; equals
/// alphabetical. The first is the primary if its place in that order is at least `least_share`.
struct Judged {
  std::vector<Finding> findings;
  bool has_primary = false;
};
Judged judge_trial(const RuleInput& input);
std::vector<Finding> judge_run(const RuleInput& input);

}  // namespace feedtune
