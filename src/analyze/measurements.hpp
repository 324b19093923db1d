#pragma once
// The trials of a run, gathered by configuration: what the search measured once, and what confirmation blocks measured
// again. Logarithms throughout, so that differences are ratios.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/run.hpp"

namespace feedtune {

/// One configuration with all its trials that worked (stages explore and confirm, purpose trial).
struct Measured {
  Configuration configuration;
  std::string key;                         ///< configuration.key()
  int batch_size = 0;                      ///< 0 where the configuration has no such axis
  std::vector<double> explore_log;         ///< log images/s of each trial of the search, without the machine's drift
  double within_trial_sd = 0;              ///< largest relative standard error inside one trial of the search
  double drift_sd = 0;                     ///< of explore_log: what is not known of the drift
  std::int64_t batch_means = 0;            ///< behind within_trial_sd
  std::map<int, double> confirm_log;       ///< by block; trials of one block are averaged
  std::vector<const TrialResult*> trials;  ///< the confirmed ones, else the search's; they belong to the run
  std::int64_t planned_memory_bytes = 0;
  /// Log images/s above which nothing is published: the fastest's, without its luck (analyze/winners_luck). Absent: no limit.
  std::optional<double> most_published{};
  bool fits = true;     ///< leaves 10 % of device memory free, as far as that is known
  bool failed = false;  ///< given up (Measurements::given_up)

  bool usable() const { return fits && !failed; }
  bool confirmed() const { return !confirm_log.empty(); }
  int blocks() const { return static_cast<int>(confirm_log.size()); }
};

/// Trials of one configuration that gave no result. Noise can keep a trial from settling, so that alone is no fault of
/// the configuration; anything else is.
struct FailureCounts {
  int hard = 0;
  int unsettled = 0;  ///< too_short, no_steady_state
};

/// log x = configuration + block, fitted to all confirmation trials by least squares.
struct BlockFit {
  std::map<std::string, double> level;  ///< by configuration key: log images/s with the blocks' drift taken out
  double residual_sd = 0;               ///< of one trial, relative
  int degrees_of_freedom = 0;
  int blocks = 0;
  double block_sd = 0;  ///< of one block's common deviation, relative: how far the machine itself wanders; 0 of one block
};

struct Measurements {
  std::vector<Measured> all;  ///< from the cheapest to the dearest (cheaper() below)
  BlockFit fit;
  double noise = 0;                      ///< relative sd of one trial when repeated; never below `noise_floor`
  std::optional<double> noise_measured;  ///< the same, absent where nothing was repeated and no interval was known
  int blocks = 0;                        ///< distinct confirmation blocks
  std::map<std::string, FailureCounts> failures;  ///< by configuration key

  const Measured* find(const std::string& key) const;
  /// Not to be relied on nor measured again: failed once, or did not settle three times and no less often than it did.
  bool given_up(const std::string& key) const;
  /// Best guess of log images/s: the fitted level where confirmed, else the mean of the search's trials.
  double estimate(const Measured& m) const;
};

/// Below this, a difference between two trials is never taken for real: no machine repeats better.
inline constexpr double noise_floor = 0.005;
/// Share of device memory that a recommended configuration may use.
inline constexpr double memory_share_allowed = 0.9;

/// The fixed order of "cheap": fewest workers, least planned memory, smallest batch, then the key.
bool cheaper(const Measured& a, const Measured& b);

/// Purpose trial, stage explore or confirm: neither a component nor an anchor.
bool is_of_the_search(const TrialResult& trial);

/// The result refers to `run`, which must outlive it.
Measurements gather(const Run& run);

/// Bytes of all batch slots, before trying: batch x slots (core/batch_slots.hpp) x image.
std::int64_t planned_buffer_bytes(const Configuration& configuration, int image_size);

}  // namespace feedtune
