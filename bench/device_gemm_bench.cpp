// One large product of the training step by precision: how near the device comes to its peak.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "benchmarks.hpp"
#include "core/error.hpp"
#include "device_burst.hpp"
#include "model/layout.hpp"
#include "model/model.hpp"
#include "model/random.hpp"

namespace feedtune {
namespace {

/// mixer-s16's channel mixing at that batch, forward.
Gemm channel_gemm(Precision precision, std::int64_t batch) {
  const MixerShape shape(model_preset("mixer-s16"), 224);
  Gemm gemm;
  gemm.m = batch * shape.tokens, gemm.n = shape.channel_hidden, gemm.k = shape.channels;
  gemm.precision = precision;
  return gemm;
}

void run_channel_gemm(benchmark::State& state, const BenchDevice& on, Precision precision, std::int64_t batch, std::optional<double> peak_tflops) {
  try {
    Device& device = *on.device;
    Gemm gemm = channel_gemm(precision, batch);
    const Element element = compute_element(precision);
    std::vector<DeviceBuffer> memory;
    const auto take = [&](std::int64_t count) {
      memory.push_back(device.memory().allocate(static_cast<std::size_t>(count) * device.math().element_bytes(element)));
      return Tensor{memory.back().address(), static_cast<std::size_t>(count), element};
    };
    gemm.a = take(gemm.m * gemm.k), gemm.b = take(gemm.k * gemm.n), gemm.c = take(gemm.m * gemm.n);
    UniformNumbers numbers(1);  // products of zeros draw less power, and a GPU then clocks higher
    for (const Tensor& factor : {gemm.a, gemm.b}) {
      std::vector<float> values(factor.count);
      std::generate(values.begin(), values.end(), [&] { return numbers.next(1); });
      device.math().upload(factor, values);
    }
    DeviceBurst burst(device, [&](Stream& stream) { device.math().gemm(stream, gemm); }, on.warm_up);
    double seconds = 0;
    for (auto _ : state) {
      // The whole burst, not one product's share: Google Benchmark adds these up to know when it has measured for long enough.
      const double one = burst.seconds();
      state.SetIterationTime(one);
      seconds += one;
    }
    const double products = static_cast<double>(burst.times()) * static_cast<double>(state.iterations());
    const double tflops = gemm.flops() * products / seconds * 1e-12;
    state.counters["FLOP_per_iteration"] = gemm.flops() * burst.times();
    state.counters["TFLOP/s"] = tflops;
    if (peak_tflops) {
      state.counters["peak_TFLOP/s"] = *peak_tflops;
      state.counters["share_of_peak"] = tflops / *peak_tflops;
    }
  } catch (const Error& error) {
    state.SkipWithError(error.what());
  }
}

}  // namespace

void register_channel_gemm(const BenchDevice& on, std::int64_t batch) {
  for (const auto& name : on.device->facts().precisions) {
    const auto peak = on.peak_tflops.find(name);
    const auto known = peak == on.peak_tflops.end() ? std::nullopt : std::optional(peak->second);
    benchmark::RegisterBenchmark(fmt::format("channel_gemm/{}", name).c_str(),
                                 [on, precision = *enum_from_text<Precision>(name), batch, known](benchmark::State& state) {
                                   run_channel_gemm(state, on, precision, batch, known);
                                 })
        ->Unit(benchmark::kMillisecond)->UseManualTime();
  }
}

}  // namespace feedtune
