#include <benchmark/benchmark.h>

#include <vector>

#include "benchmarks.hpp"
#include "pipeline/crop.hpp"
#include "pipeline/decoder.hpp"
#include "pipeline/image_decoder.hpp"
#include "pipeline/image_list.hpp"
#include "pipeline/image_source.hpp"

namespace feedtune {

void register_decode(const std::shared_ptr<const ImageList>& images, const std::vector<int>& workers) {
  const auto store = std::make_shared<const MemoryStore>(*images, std::nullopt);
  for (const auto& entry : all_decoders()) {
    auto* one = benchmark::RegisterBenchmark(("decode/" + entry.name).c_str(), [images, store, name = entry.name](benchmark::State& state) {
      if (const auto missing = decoder_unavailable(name); !missing.empty()) {
        state.SkipWithError(missing.c_str());
        return;
      }
      const auto source = make_memory_source(store);
      const auto decoder = make_image_decoder(name);
      auto next = static_cast<std::size_t>(state.thread_index()) * (images->size() / static_cast<std::size_t>(state.threads()));
      std::int64_t bytes = 0;
      for (auto _ : state) {
        const auto encoded = source->fetch(next % images->size()).bytes;
        const ImageSize size = decoder->read_header(encoded);
        const DecodedImage image = decoder->decode(augmentation(size, next).crop);
        benchmark::DoNotOptimize(image.pixels);
        bytes += static_cast<std::int64_t>(encoded.size());
        ++next;
      }
      state.SetItemsProcessed(state.iterations());
      state.SetBytesProcessed(bytes);
    })->Unit(benchmark::kMicrosecond);
    if (!workers.empty()) one->UseRealTime();
    for (const int threads : workers) one->Threads(threads);
  }
}

}  // namespace feedtune
