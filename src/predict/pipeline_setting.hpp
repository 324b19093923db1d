#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/configuration.hpp"

namespace feedtune {

/// The parts of a pipeline whose cost an axis can change.
enum class PipelinePart { load, step, copy };
inline constexpr int pipeline_parts = 3;

/// An axis value that makes a part cheaper or dearer by a factor: `amount` times the (unknown) logarithm of it.
struct Effect {
  std::size_t index = 0;  ///< in EffectTable::size()
  double amount = 0;
};

/// A configuration as the predictor reads it. Axes without a meaning for the pipeline's parts are not in it.
struct PipelineSetting {
  std::int64_t batch_size = 64;
  std::int64_t workers = 0;
  std::int64_t batches_ahead = 2;
  double model_threads = 0;  ///< 0: the axis is absent
  bool pooled = false;
  bool pinned = false;
  bool overlapped = false;  ///< pinned, and copied beside the step
  bool each_step_waited_for = false;
  double image_bytes = 0;  ///< of one image as it is shipped
  std::vector<Effect> effects[pipeline_parts];
  std::string group[pipeline_parts];  ///< the values of the part's axes but batch size and workers
};

/// Which values occur in a space; each value but an axis's first one has a factor of its own, each further number a power.
class EffectTable {
 public:
  explicit EffectTable(std::span<const Configuration> space);
  std::size_t size() const { return size_; }
  /// Absent where the configuration has no batch size >= 1 or no number of workers >= 0.
  std::optional<PipelineSetting> read(const Configuration& configuration, int image_size) const;

 private:
  struct AxisEffect {
    PipelinePart part;
    std::string axis;
    std::vector<std::string> values;  ///< of a text axis that have a factor; empty: a number
    std::size_t first = 0;            ///< index
  };
  std::vector<AxisEffect> axes_;
  std::size_t size_ = 0;
};

}  // namespace feedtune
