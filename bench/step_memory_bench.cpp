// Device memory of a whole training step: what grows with the batch, and so what the largest batch will be.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "benchmarks.hpp"
#include "core/error.hpp"
#include "model/model.hpp"

namespace feedtune {
namespace {

constexpr int side = 224;

/// Of the step and of two batches of uint8 images with their labels, as an overlapped transfer has: our own sum, and beside it what the
/// driver says is gone since the device was opened.
void run_step_memory(benchmark::State& state, const BenchDevice& on, const ModelPreset& preset, int batch_size) {
  try {
    DeviceMemory& memory = on.device->memory();
    for (auto _ : state) {
      const std::uint64_t before = memory.used_bytes();
      const auto step = make_mixer(*on.device, preset, {.batch_size = batch_size, .image_size = side, .precision = Precision::fp16});
      DeviceBuffer inputs[4];
      for (int k = 0; k < 2; ++k) {
        inputs[2 * k] = memory.allocate(input_image_bytes(side, batch_size, InputType::uint8));
        inputs[2 * k + 1] = memory.allocate(input_label_bytes(batch_size));
      }
      state.counters["bytes"] = static_cast<double>(memory.used_bytes() - before);
      if (memory.limit_bytes() > 0) state.counters["driver_bytes"] = static_cast<double>(on.available_bytes) - static_cast<double>(memory.available_bytes());
    }
  } catch (const Error& error) {
    state.SkipWithError(error.what());
  }
}

}  // namespace

void register_step_memory(const BenchDevice& on) {
  for (const int batch_size : {128, 256})  // ascending: a pool keeps what a larger step gave back
    benchmark::RegisterBenchmark(fmt::format("step_memory/mixer-s16/fp16/{}", batch_size).c_str(),
                                 [on, batch_size](benchmark::State& state) { run_step_memory(state, on, model_preset("mixer-s16"), batch_size); })
        ->Iterations(1)->Unit(benchmark::kMillisecond)->UseRealTime();
}

}  // namespace feedtune
