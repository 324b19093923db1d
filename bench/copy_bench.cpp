// Copies to the device from both kinds of host memory, timed by the device's own events.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "benchmarks.hpp"
#include "core/error.hpp"
#include "device_burst.hpp"

namespace feedtune {
namespace {

void run_copies(benchmark::State& state, Device& device, HostMemory kind, std::size_t bytes) {
  try {
    const DeviceBuffer there = device.memory().allocate(bytes);
    const HostBuffer host = device.memory().host(kind)->allocate(bytes);
    // One after the other without a gap: a single one would carry the time from its event to its start, a fifth of 1 MiB's on PCIe 5.
    DeviceBurst burst(device, [&](Stream& stream) { stream.copy_to_device(there.address(), host.bytes(), kind); });
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

void register_copies(const BenchDevice& on) {
  for (const HostMemory kind : {HostMemory::pageable, HostMemory::pinned})
    for (const std::size_t mebibytes : {1, 16, 256})
      benchmark::RegisterBenchmark(fmt::format("copy/{}/{}MiB", to_text(kind), mebibytes).c_str(),
                                   [device = on.device, kind, mebibytes](benchmark::State& state) {
                                     run_copies(state, *device, kind, mebibytes << 20);
                                   })
          ->Unit(benchmark::kMillisecond)->UseManualTime();
}

}  // namespace feedtune
