#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "benchmarks.hpp"
#include "device/host_allocators.hpp"

namespace feedtune {

void register_collate() {
  for (const HostMemory kind : {HostMemory::pageable, HostMemory::pinned}) {
    benchmark::RegisterBenchmark((std::string("collate/") + std::string(to_text(kind))).c_str(), [kind](benchmark::State& state) {
      constexpr std::size_t image = std::size_t{3} * 224 * 224 * sizeof(float), batch = 64;
      PageableAllocator pageable;
      LockedAllocator locked;
      HostAllocator& allocator = kind == HostMemory::pinned ? static_cast<HostAllocator&>(locked) : pageable;
      const HostBuffer target = allocator.allocate(image * batch);
      const std::vector<std::byte> source(image, std::byte{1});
      std::size_t slot = 0;
      for (auto _ : state) {
        std::memcpy(target.data() + slot * image, source.data(), image);
        benchmark::ClobberMemory();
        slot = (slot + 1) % batch;
      }
      state.SetItemsProcessed(state.iterations());
      state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(image));
      state.counters["locked_share"] = static_cast<double>(allocator.locked_bytes()) / static_cast<double>(allocator.allocated_bytes());
    })->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace feedtune
