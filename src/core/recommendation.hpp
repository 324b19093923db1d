#pragma once
// The answer of a sweep, computed by analyze/ and kept in result.json.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/configuration.hpp"
#include "core/interval.hpp"

namespace feedtune {

/// One configuration with what was measured of it.
struct Candidate {
  Configuration configuration;
  Interval images_per_s;                ///< confirm: over blocks; explore: as wide as the noise, n: trials or batch means
  std::optional<Interval> loss;         ///< against the best: 0.03 = 3 % slower; n: paired blocks. Each bound holds with
                                        ///< 95 % against all rivals at once (two one-sided tests)
  std::string verdict;                  ///< best, equivalent, undecided, slower
  std::string stage;                    ///< confirm: fresh, repeated, interleaved; explore: the search's own trials
  std::optional<std::int64_t> planned_memory_bytes;  ///< batch slots and device memory: what "cheapest" goes by
};

/// Throughput that each part alone can give, images/s. `binds` names the lowest.
struct Ceilings {
  std::optional<double> loader;
  std::string loader_configuration;
  std::optional<double> h2d;
  std::optional<double> step;
  std::optional<double> joint_cpu;  ///< cpu device: loader and step share the cores
  std::string binds;                ///< loader, h2d, step, joint_cpu
};

struct PerBatch {
  int batch_size = 0;
  Candidate best;
};

struct Gain {
  std::string over;  ///< baseline, current
  Interval ratio;    ///< 1.8: 80 % more images/s; n: paired blocks (or trials when unpaired)
  std::string method;  ///< "paired blocks", "unpaired trials"
  /// The smallest true gain, as a share (0.03: 3 %), that these measurements would have told from none with 80 %
  /// probability; absent in files of older versions and where that is beyond all bounds.
  std::optional<double> detectable;
};

struct Recommendation {
  std::optional<Candidate> recommended;
  std::optional<Candidate> best;         ///< fastest of the headline's batch size (or of all)
  std::optional<Candidate> fastest;      ///< of all batch sizes: what per_batch's losses are against
  std::vector<Candidate> equivalent;
  std::vector<Candidate> undecided;
  std::vector<PerBatch> per_batch;
  std::optional<Candidate> pytorch;      ///< best that PyTorch's own DataLoader can be set to
  std::optional<Candidate> knee;         ///< smallest batch within 2 % of the best
  std::optional<Candidate> largest_fit;  ///< largest batch that fits with 10 % of device memory free; absent where the
                                         ///< device has no memory of its own or the step is the user's
  std::optional<Candidate> baseline;
  std::optional<Candidate> current;
  std::vector<Gain> gains;
  Ceilings ceilings;
  std::string bound_by;  ///< loader, h2d, device, joint_cpu, none
  std::string headline;  ///< current_batch or knee: why this batch size
  bool batch_changed = false;  ///< recommended batch differs from current's (or the baseline's): learning rate warning
  double within = 0.02;
  std::optional<Interval> knee_gain;  ///< headline current_batch: images/s of the knee over the recommended
  bool decided = false;               ///< nothing cheaper than `recommended` is left undecided, and it was confirmed
  bool modelled = false;              ///< device times are computed from a profile
  int blocks = 0;                     ///< confirmation blocks that were measured
  int configurations = 0;             ///< configurations with at least one trial that worked
  std::optional<double> noise;        ///< relative standard deviation of one trial's images/s when repeated
  std::optional<double> waiting_share;       ///< recommended: share of the step in which the device waits for data
  std::optional<double> exposed_copy_share;  ///< recommended: share of the step in which only the copy runs
  std::vector<std::string> warnings;
};

}  // namespace feedtune
