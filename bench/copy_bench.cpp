// Copies to the device from both kinds of host memory, timed by the device's own events.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <vector>

#include "benchmarks.hpp"
#include "core/error.hpp"
#include "device_burst.hpp"

namespace feedtune {
namespace {

void run_copies(benchmark::State& state, const BenchDevice& on, HostMemory kind, std::size_t bytes) {
  try {
    Device& device = *on.device;
    const DeviceBuffer there = device.memory().allocate(bytes);
    const HostBuffer host = device.memory().host(kind)->allocate(bytes);
    // One after the other without a gap: a single one would carry the time from its event to its start, a fifth of 1 MiB's on PCIe 5.
    DeviceBurst burst(device, [&](Stream& stream) { stream.copy_to_device(there.address(), host.bytes(), kind); }, on.warm_up);
    double seconds = 0;
    for (auto _ : state) {
      const double one = burst.seconds();
      state.SetIterationTime(one);
      seconds += one;
    }
    const double per_iteration = static_cast<double>(bytes) * burst.times();
    state.counters["bytes_per_iteration"] = per_iteration;
    state.counters["GB/s"] = per_iteration * static_cast<double>(state.iterations()) / seconds * 1e-9;
  } catch (const Error& error) {
    state.SkipWithError(error.what());
  }
}

}  // namespace

void register_copies(const BenchDevice& on, const std::vector<int>& mebibytes) {
  for (const HostMemory kind : {HostMemory::pageable, HostMemory::pinned})
    for (const int size : mebibytes)
      benchmark::RegisterBenchmark(fmt::format("copy/{}/{}MiB", to_text(kind), size).c_str(),
                                   [on, kind, size](benchmark::State& state) {
                                     run_copies(state, on, kind, static_cast<std::size_t>(size) << 20);
                                   })
          ->Unit(benchmark::kMillisecond)->UseManualTime();
}

}  // namespace feedtune
