#include "space/planned_memory.hpp"

namespace feedtune {

std::uint64_t planned_host_bytes(const TrialSetup& setup) {
  const LoaderSetup& loader = setup.loader;
  const auto count = [](int value) { return static_cast<std::uint64_t>(value); };
  const std::uint64_t side = count(setup.data.image_size);
  const std::uint64_t batch_bytes = count(loader.batch_size) * 3 * side * side * bytes_per_value(loader.input_type);
  const std::uint64_t in_flight = 3;
  std::uint64_t slots = in_flight + 1;
  if (loader.num_workers > 0)
    slots = in_flight + (loader.kind == LoaderKind::pooled ? count(loader.ready_batches)
                                                           : count(loader.num_workers) * count(loader.prefetch));
  if (loader.kind != LoaderKind::pooled && loader.host_memory == HostMemory::pinned)
    slots += loader.num_workers > 0 ? count(loader.num_workers) : 1;
  return slots * batch_bytes;
}

}  // namespace feedtune
