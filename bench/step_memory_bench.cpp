// Device memory of a whole training step: what grows with the batch, and so what the largest batch will be.
#include <benchmark/benchmark.h>

#include "benchmarks.hpp"
#include "core/error.hpp"
#include "model/model.hpp"

namespace feedtune {
namespace {

constexpr int side = 224;

/// Of the step and of two batches of uint8 images with their labels, as an overlapped transfer has.
double step_bytes(Device& device, const ModelPreset& preset, Precision precision, int batch_size) {
  const std::uint64_t before = device.memory().used_bytes();
  const auto step = make_mixer(device, preset, {.batch_size = batch_size, .image_size = side, .precision = precision});
  DeviceBuffer inputs[4];
  for (int k = 0; k < 2; ++k) {
    inputs[2 * k] = device.memory().allocate(input_image_bytes(side, batch_size, InputType::uint8));
    inputs[2 * k + 1] = device.memory().allocate(input_label_bytes(batch_size));
  }
  return static_cast<double>(device.memory().used_bytes() - before);
}

void run_step_memory(benchmark::State& state, Device& device, const ModelPreset& preset) {
  try {
    double at_128 = 0, at_256 = 0;
    for (auto _ : state) {
      at_128 = step_bytes(device, preset, Precision::fp16, 128);
      at_256 = step_bytes(device, preset, Precision::fp16, 256);
    }
    state.counters["bytes_at_128"] = at_128;
    state.counters["bytes_at_256"] = at_256;
    state.counters["ratio"] = at_256 / at_128;  // below 2 by what doesn't grow: weights, gradients, momenta
  } catch (const Error& error) {
    state.SkipWithError(error.what());
  }
}

}  // namespace

void register_step_memory(const BenchDevice& on) {
  benchmark::RegisterBenchmark("step_memory/mixer-s16/fp16",
                               [device = on.device](benchmark::State& state) { run_step_memory(state, *device, model_preset("mixer-s16")); })
      ->Iterations(1)->Unit(benchmark::kMillisecond)->UseRealTime();
}

}  // namespace feedtune
