#pragma once
// What stands between a made-up machine's speed and what a trial sees of it.

#include <cstdint>
#include <string>
#include <vector>

namespace feedtune {

struct SyntheticNoise {
  /// Of a trial's images/s, lognormal, independent from trial to trial. What the trial sees inside itself comes on top.
  double cv = 0.02;
  /// Of one second's images/s inside a trial: what its own interval is made of.
  double within_cv = 0.01;
  /// The machine wanders: an autoregressive process of first order, a step every 4 s, with this deviation.
  double drift = 0.03;
  double drift_memory = 0.9;  ///< from one step to the next
  double slope_per_hour = 0;  ///< -0.1: a tenth slower each hour
  double shift = 0;           ///< -0.1: a tenth slower from `shift_at_s` on
  double shift_at_s = 120;
  double spikes = 0.03;       ///< share of trials that lose 5 to 30 %
  double two_levels = 0;      ///< each process is this much faster or slower
  double first_trials = 1;    ///< in the first half minute: 0.88 or 1.14 times
  double warm_up = 0;         ///< slower by this at first, dying out in minutes
  double unsteady = 0;        ///< share of trials that see a sawtooth and never settle

  /// What trials have from the machine and the moment, the factor on images/s whose long-run mean is 1 (but for slope,
  /// shift, first trials and warm-up, which have none). A function of the arguments.
  double factor(std::uint64_t seed, std::int64_t trial, double now_s) const;
  bool never_settles(std::uint64_t seed, std::int64_t trial) const;
};

/// Names for the command line: "quiet" (1 % and 1 %), "usual" (2 % and drift of 3 %, spikes), "loud" (5 % and 5 %), and
/// one for each trouble alone: "white", "linear", "step", "bimodal", "first_slow", "first_fast", "warm_up", "sawtooth".
std::vector<std::string> synthetic_noise_names();
/// Throws SpecError("noise", ...) for an unknown name.
SyntheticNoise synthetic_noise_named(const std::string& name);

}  // namespace feedtune
