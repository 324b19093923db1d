#include "space/planned_memory.hpp"

#include "core/batch_slots.hpp"

namespace feedtune {

std::uint64_t planned_host_bytes(const TrialSetup& setup) {
  const LoaderSetup& loader = setup.loader;
  const auto side = static_cast<std::uint64_t>(setup.data.image_size);
  const std::uint64_t batch_bytes =
      static_cast<std::uint64_t>(loader.batch_size) * 3 * side * side * bytes_per_value(loader.input_type);
  return batch_bytes * static_cast<std::uint64_t>(planned_batch_slots(loader.kind, loader.num_workers, loader.prefetch,
                                                                      loader.ready_batches, loader.host_memory));
}

}  // namespace feedtune
