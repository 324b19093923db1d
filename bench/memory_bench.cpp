#include <benchmark/benchmark.h>

#include <thread>
#include <vector>

#include "benchmarks.hpp"

namespace feedtune {
namespace {

constexpr std::size_t values = std::size_t{4} << 20;  // 32 MiB an array: beyond the last level cache of most machines

/// Bytes as STREAM counts them (McCalpin 1995): what the program asks for, without write-allocate traffic.
void copy(benchmark::State& state) {
  std::vector<double> a(values, 1.0), c(values, 0.0);
  for (auto _ : state) {
    for (std::size_t i = 0; i < values; ++i) c[i] = a[i];
    benchmark::DoNotOptimize(c.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(2 * values * sizeof(double)));
}

void triad(benchmark::State& state) {
  std::vector<double> a(values, 0.0), b(values, 1.0), c(values, 2.0);
  for (auto _ : state) {
    for (std::size_t i = 0; i < values; ++i) a[i] = b[i] + 3.0 * c[i];
    benchmark::DoNotOptimize(a.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(3 * values * sizeof(double)));
}

}  // namespace

void register_memory() {
  const int all = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  for (const auto& [name, body] : {std::pair{"memory/copy", &copy}, std::pair{"memory/triad", &triad}}) {
    auto* one = benchmark::RegisterBenchmark(name, body)->Unit(benchmark::kMillisecond)->UseRealTime()->Threads(1);
    if (all > 1) one->Threads(all);
  }
}

}  // namespace feedtune
