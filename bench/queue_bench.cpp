#include <benchmark/benchmark.h>

#include "benchmarks.hpp"
#include "core/enums.hpp"
#include "device/host_allocators.hpp"
#include "pipeline/loader.hpp"

namespace feedtune {
namespace {

/// An image that costs nothing: what is left is the loader's own hand-over.
class NoPreparer final : public ImagePreparer {
 public:
  bool prepare(const Sample&, std::span<std::byte>, WorkerTotals& totals) override {
    totals.images.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
};

void hand_over(benchmark::State& state, LoaderKind kind) {
  LoaderSetup setup;
  setup.kind = kind;
  setup.batch_size = 64;
  setup.num_workers = static_cast<int>(state.range(0));
  LoaderParts parts;
  parts.sample_at = [](std::int64_t position) { return Sample{position, 0, 0, 0}; };
  parts.label_of = [](std::size_t) { return 0; };
  parts.make_preparer = [](int) { return std::make_unique<NoPreparer>(); };
  parts.image_bytes = 64;
  parts.images_per_epoch = 1'000'000'000;
  parts.pageable = std::make_shared<PageableAllocator>();
  parts.batch_memory = parts.pageable;
  const auto loader = make_loader(setup, std::move(parts));
  for (auto _ : state) {
    const Batch batch = loader->next();
    loader->release(batch);
  }
  state.SetItemsProcessed(state.iterations() * setup.batch_size);
}

}  // namespace

void register_queue() {
  for (const LoaderKind kind : {LoaderKind::batch_per_worker, LoaderKind::pooled})
    benchmark::RegisterBenchmark((std::string("queue/") + std::string(to_text(kind))).c_str(),
                                 [kind](benchmark::State& state) { hand_over(state, kind); })
        ->Arg(0)->Arg(1)->Arg(2)->Arg(8)->Unit(benchmark::kMicrosecond)->UseRealTime();
}

}  // namespace feedtune
