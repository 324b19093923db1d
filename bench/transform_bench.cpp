#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "benchmarks.hpp"
#include "core/enums.hpp"
#include "pipeline/transform.hpp"

namespace feedtune {

void register_transform() {
  for (const InputType type : {InputType::uint8, InputType::float32}) {
    for (const Resize resize : {Resize::antialias, Resize::linear}) {
      const std::string name = std::string("transform/") + std::string(to_text(type)) + "/" + std::string(to_text(resize));
      // A crop of ImageNet's middle size: area 0.08 to 1 of 500x375, so about 320x240.
      benchmark::RegisterBenchmark(name.c_str(), [type, resize](benchmark::State& state) {
        constexpr int width = 320, height = 240;
        std::vector<std::uint8_t> pixels(static_cast<std::size_t>(width) * height * 3);
        std::uint32_t random = 1;
        std::generate(pixels.begin(), pixels.end(), [&] { return static_cast<std::uint8_t>((random = random * 1664525U + 1013904223U) >> 24U); });
        TransformOptions options;
        options.output = type;
        options.resize = resize;
        Transform transform(options);
        std::vector<float> out(transform.output_bytes() / sizeof(float) + 1);
        DecodedImage image;
        image.pixels = pixels.data();
        image.row_bytes = static_cast<std::size_t>(width) * 3;
        image.width = width;
        image.height = height;
        for (auto _ : state) {
          transform.apply(image, false, std::as_writable_bytes(std::span(out)).first(transform.output_bytes()));
          benchmark::ClobberMemory();
        }
        state.SetItemsProcessed(state.iterations());
      })->Unit(benchmark::kMicrosecond);
    }
  }
}

}  // namespace feedtune
