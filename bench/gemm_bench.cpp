#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <thread>
#include <tuple>
#include <vector>

#include "benchmarks.hpp"
#include "core/error.hpp"
#include "device/cpu/cpu_device.hpp"
#include "fma_peak.hpp"
#include "model/layout.hpp"
#include "model/model.hpp"

namespace feedtune {
namespace {

/// One of a training step's products and how often it occurs.
struct StepGemm {
  Gemm gemm;
  int times = 0;
};

/// All products of a step of the preset: forward, weight gradient and input gradient of every layer (the images have none).
std::vector<StepGemm> gemms_of_step(const ModelPreset& preset, std::int64_t batch) {
  const MixerShape shape(preset, 224);
  const MixerParameters parameters(shape);
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, bool, bool>, StepGemm> distinct;
  const auto add = [&](std::int64_t m, std::int64_t n, std::int64_t k, bool transpose_a, bool transpose_b) {
    StepGemm& one = distinct[{m, n, k, transpose_a, transpose_b}];
    one.gemm.m = m, one.gemm.n = n, one.gemm.k = k;
    one.gemm.transpose_a = transpose_a, one.gemm.transpose_b = transpose_b;
    ++one.times;
  };
  const auto add_layer = [&](const LinearLayer& layer, std::int64_t rows, bool input_gradient) {
    add(rows, layer.outputs, layer.inputs, false, false);
    add(layer.inputs, layer.outputs, rows, true, false);
    if (input_gradient) add(rows, layer.inputs, layer.outputs, false, true);
  };
  add_layer(parameters.embedding, batch * shape.tokens, false);
  for (const auto& block : parameters.blocks) {
    add_layer(block.token_in, batch * shape.channels, true);
    add_layer(block.token_out, batch * shape.channels, true);
    add_layer(block.channel_in, batch * shape.tokens, true);
    add_layer(block.channel_out, batch * shape.tokens, true);
  }
  add_layer(parameters.classifier, batch, true);
  std::vector<StepGemm> gemms;
  for (const auto& [key, gemm] : distinct) gemms.push_back(gemm);
  return gemms;
}

/// Each distinct product once an iteration; the time and the work count as often as the step has it.
void run_gemms(benchmark::State& state, const ModelPreset& preset, int threads) {
  std::unique_ptr<Device> device;
  try {
    device = make_cpu_device(std::make_shared<SteadyClock>(), threads);
  } catch (const DeviceUnavailableError& error) {
    state.SkipWithError(error.what());
    return;
  }
  auto gemms = gemms_of_step(preset, state.range(0));
  std::int64_t most_a = 0, most_b = 0, most_c = 0;
  double flops = 0;
  for (const StepGemm& one : gemms) {
    most_a = std::max(most_a, one.gemm.m * one.gemm.k);
    most_b = std::max(most_b, one.gemm.k * one.gemm.n);
    most_c = std::max(most_c, one.gemm.m * one.gemm.n);
    flops += one.times * one.gemm.flops();
  }
  const auto stream = device->create_stream();
  std::vector<DeviceBuffer> memory;
  const auto take = [&](std::int64_t values) {
    memory.push_back(device->memory().allocate(static_cast<std::size_t>(values) * sizeof(float)));
    const Tensor tensor{memory.back().address(), static_cast<std::size_t>(values), Element::f32};
    device->math().fill_zero(*stream, tensor);
    return tensor;
  };
  const Tensor a = take(most_a), b = take(most_b), c = take(most_c);
  for (StepGemm& one : gemms) {
    one.gemm.a = a, one.gemm.b = b, one.gemm.c = c;
    device->math().gemm(*stream, one.gemm);  // the first time compiles its kernel
  }
  double seconds = 0;
  for (auto _ : state) {
    double of_step = 0;
    for (const StepGemm& one : gemms) {
      const auto begin = std::chrono::steady_clock::now();
      device->math().gemm(*stream, one.gemm);
      of_step += one.times * std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    state.SetIterationTime(of_step);
    seconds += of_step;
  }
  const double rate = flops * static_cast<double>(state.iterations()) / seconds;
  state.counters["FLOP/s"] = rate;
  state.counters["share_of_peak"] = rate / fma_peak_flops(threads);
}

}  // namespace

void register_gemm() {
  const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  benchmark::RegisterBenchmark("gemm/fp32/peak", [threads](benchmark::State& state) {
    for (auto _ : state) state.counters["FLOP/s"] = fma_peak_flops(threads);
  })->Iterations(1)->Unit(benchmark::kMillisecond)->UseRealTime();
  for (const auto& preset : model_presets())
    benchmark::RegisterBenchmark(("gemm/fp32/" + preset.name).c_str(),
                                 [preset, threads](benchmark::State& state) { run_gemms(state, preset, threads); })
        ->ArgName("batch")->Arg(32)->Unit(benchmark::kMillisecond)->UseManualTime();
}

}  // namespace feedtune
