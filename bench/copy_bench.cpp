// Copies to the device from both kinds of host memory, timed by the device's own events.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "benchmarks.hpp"
#include "core/error.hpp"

namespace feedtune {
namespace {

void run_copies(benchmark::State& state, Device& device, HostMemory kind, std::size_t bytes) {
  try {
    const DeviceBuffer there = device.memory().allocate(bytes);
    const HostBuffer host = device.memory().host(kind)->allocate(bytes);
    const auto stream = device.create_stream();
    const auto begin = device.create_event(), end = device.create_event();
    const auto copy_s = [&] {
      stream->record(*begin);
      stream->copy_to_device(there.address(), host.bytes(), kind);
      stream->record(*end);
      end->synchronize();
      return to_s(end->time() - begin->time());
    };
    copy_s();  // the first one pays for what the driver sets up
    double seconds = 0;
    for (auto _ : state) {
      const double one = copy_s();
      state.SetIterationTime(one);
      seconds += one;
    }
    state.counters["GB/s"] = static_cast<double>(bytes) * static_cast<double>(state.iterations()) / seconds * 1e-9;
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
