#pragma once
// The answer of a sweep, computed by analyze/ and kept in result.json.

#include <optional>
#include <string>
#include <vector>

#include "core/configuration.hpp"
#include "core/interval.hpp"

namespace feedtune {

/// One configuration with what was measured of it.
struct Candidate {
  Configuration configuration;
  Interval images_per_s;                ///< n: trials
  std::optional<Interval> loss;         ///< against the best: 0.03 = 3 % slower; n: paired blocks
  std::string verdict;                  ///< best, equivalent, undecided, slower
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
};

struct Recommendation {
  std::optional<Candidate> recommended;
  std::optional<Candidate> best;
  std::vector<Candidate> equivalent;
  std::vector<Candidate> undecided;
  std::vector<PerBatch> per_batch;
  std::optional<Candidate> pytorch;      ///< best that PyTorch's own DataLoader can be set to
  std::optional<Candidate> knee;         ///< smallest batch within 2 % of the best
  std::optional<Candidate> largest_fit;  ///< largest batch that fits with 10 % of device memory free
  std::optional<Candidate> baseline;
  std::optional<Candidate> current;
  std::vector<Gain> gains;
  Ceilings ceilings;
  std::string bound_by;  ///< loader, h2d, device, joint_cpu, none
  std::string headline;  ///< current_batch or knee: why this batch size
  bool batch_changed = false;  ///< recommended batch differs from current's (or the baseline's): learning rate warning
  double within = 0.02;
  std::vector<std::string> warnings;
};

}  // namespace feedtune
