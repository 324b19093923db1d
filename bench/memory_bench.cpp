#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "benchmarks.hpp"

namespace feedtune {
namespace {

using Body = void (*)(benchmark::State&, std::size_t values);

/// Bytes as STREAM counts them (McCalpin 1995): what the program asks for, without write-allocate traffic.
void copy(benchmark::State& state, std::size_t values) {
  std::vector<double> a(values, 1.0), c(values, 0.0);
  for (auto _ : state) {
    for (std::size_t i = 0; i < values; ++i) c[i] = a[i];
    benchmark::DoNotOptimize(c.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(2 * values * sizeof(double)));
}

void triad(benchmark::State& state, std::size_t values) {
  std::vector<double> a(values, 0.0), b(values, 1.0), c(values, 2.0);
  for (auto _ : state) {
    for (std::size_t i = 0; i < values; ++i) a[i] = b[i] + 3.0 * c[i];
    benchmark::DoNotOptimize(a.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(3 * values * sizeof(double)));
}

/// One cache line of the chain; 64 bytes or a part of one everywhere.
struct alignas(64) Line {
  std::uint32_t next = 0;
};

/// A single cycle through all lines, in random order (Sattolo 1986).
std::vector<Line> random_cycle(std::size_t lines) {
  std::vector<std::uint32_t> order(lines);
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937_64 random(1);
  for (std::size_t k = lines - 1; k > 0; --k) std::swap(order[k], order[random() % k]);
  std::vector<Line> chain(lines);
  for (std::size_t k = 0; k < lines; ++k) chain[k].next = order[k];
  return chain;
}

}  // namespace

void register_memory(const MemoryLoad& load) {
  for (const auto& [name, body] : {std::pair<const char*, Body>{"memory/copy", &copy}, std::pair<const char*, Body>{"memory/triad", &triad}}) {
    const Body chosen = body;
    auto* one = benchmark::RegisterBenchmark(name, [load, chosen](benchmark::State& state) {
                  chosen(state, (state.threads() == 1 ? load.one_bytes : load.all_bytes) / sizeof(double));
                })->Unit(benchmark::kMillisecond)->UseRealTime()->Threads(1);
    if (load.threads > 1) one->Threads(load.threads);
  }
}

void register_memory_latency(std::size_t bytes) {
  const auto chain = std::make_shared<std::vector<Line>>();  // made by the first run, kept for the others
  benchmark::RegisterBenchmark("memory/latency", [chain, bytes](benchmark::State& state) {
    if (chain->empty()) *chain = random_cycle(bytes / sizeof(Line));
    constexpr int loads = 4096;
    std::uint32_t at = 0;
    for (auto _ : state) {
      for (int k = 0; k < loads; ++k) at = (*chain)[at].next;
      benchmark::DoNotOptimize(at);
    }
    state.counters["time_per_load"] = benchmark::Counter(loads, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  })->Unit(benchmark::kMicrosecond)->UseRealTime();
}

}  // namespace feedtune
