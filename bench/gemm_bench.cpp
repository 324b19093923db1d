#include <benchmark/benchmark.h>

#include <thread>

#include "benchmarks.hpp"
#include "core/error.hpp"
#include "device/cpu/cpu_device.hpp"
#include "model/model.hpp"

namespace feedtune {

void register_gemm() {
  const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  for (const auto& preset : model_presets()) {
    // The channel-mixing product of a batch of 32: the largest of the step.
    benchmark::RegisterBenchmark(("gemm/fp32/" + preset.name).c_str(), [preset, threads](benchmark::State& state) {
      std::unique_ptr<Device> device;
      try {
        device = make_cpu_device(std::make_shared<SteadyClock>(), threads);
      } catch (const DeviceUnavailableError& error) {
        state.SkipWithError(error.what());
        return;
      }
      const std::int64_t tokens = (224 / preset.patch) * (224 / preset.patch);
      Gemm gemm;
      gemm.m = 32 * tokens;
      gemm.n = preset.channel_hidden;
      gemm.k = preset.channels;
      const auto bytes = [](std::int64_t rows, std::int64_t columns) { return static_cast<std::size_t>(rows * columns) * sizeof(float); };
      const auto a = device->memory().allocate(bytes(gemm.m, gemm.k));
      const auto b = device->memory().allocate(bytes(gemm.k, gemm.n));
      const auto c = device->memory().allocate(bytes(gemm.m, gemm.n));
      gemm.a = {a.address(), a.size() / sizeof(float), Element::f32};
      gemm.b = {b.address(), b.size() / sizeof(float), Element::f32};
      gemm.c = {c.address(), c.size() / sizeof(float), Element::f32};
      const auto stream = device->create_stream();
      for (const auto& tensor : {gemm.a, gemm.b}) device->math().fill_zero(*stream, tensor);
      for (auto _ : state) device->math().gemm(*stream, gemm);
      state.counters["FLOP/s"] = benchmark::Counter(gemm.flops() * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
    })->Unit(benchmark::kMillisecond)->UseRealTime();
  }
}

}  // namespace feedtune
