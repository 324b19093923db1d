// What arrives: the same batches in the same order from every loader, whatever the number of workers.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>

#include "pipeline/loaders_fixture.hpp"

namespace feedtune::loader_test {
namespace {

struct Shape {
  LoaderSetup setup;
  World world;
  int batches = 0;
  std::size_t hold = 0;
};

Shape any_shape() {
  Shape shape;
  shape.setup =
      setup_of(*rc::gen::element(LoaderKind::batch_per_worker, LoaderKind::pooled), *rc::gen::element(0, 1, 2, 3, 8),
               *rc::gen::inRange(1, 12), *rc::gen::element(HostMemory::pageable, HostMemory::pinned));
  shape.setup.prefetch = *rc::gen::inRange(1, 4);
  shape.setup.ready_batches = *rc::gen::inRange(1, 5);
  shape.world.images = *rc::gen::inRange(1, 60);
  shape.world.image_bytes = static_cast<std::size_t>(*rc::gen::inRange(1, 200));
  shape.world.some_fail = *rc::gen::arbitrary<bool>();
  shape.batches = *rc::gen::inRange(1, 25);
  shape.hold = static_cast<std::size_t>(*rc::gen::inRange(0, 4));
  return shape;
}

RC_GTEST_PROP(Loaders, SameSeedGivesTheSameBatchesForAnyWorkersLoaderPrefetchAndMemory, ()) {
  const Shape shape = any_shape();
  const auto loader = shape.world.make(shape.setup);
  std::deque<Batch> held;
  const bool pins = shape.setup.kind == LoaderKind::batch_per_worker && shape.setup.host_memory == HostMemory::pinned;
  for (int k = 0; k < shape.batches; ++k) {
    held.push_back(loader->next());
    const Batch& batch = held.back();
    RC_ASSERT(batch.index == k);
    RC_ASSERT(batch.memory == shape.setup.host_memory);
    RC_ASSERT((batch.pin > Nanoseconds{0}) == pins);
    while (held.size() > shape.hold) {  // judged as late as it may be: a slot reused too early shows here
      RC_ASSERT(shape.world.wrong(held.front(), shape.setup.batch_size) == "");
      loader->release(held.front());
      held.pop_front();
    }
  }
  for (const Batch& batch : held) RC_ASSERT(shape.world.wrong(batch, shape.setup.batch_size) == "");
  const WorkerSums sums = loader->totals();
  RC_ASSERT(sums.images + sums.failed >= std::int64_t{shape.batches} * shape.setup.batch_size);
  RC_ASSERT((sums.collate > 0) == (shape.setup.kind == LoaderKind::batch_per_worker));
}

TEST(Loaders, BatchesReleasedInAnyOrderStayIntactUntilReleased) {
  for (const LoaderKind kind : {LoaderKind::batch_per_worker, LoaderKind::pooled}) {
    for (const HostMemory memory : {HostMemory::pageable, HostMemory::pinned}) {
      for (const int workers : {0, 3}) {
        World world;
        LoaderSetup setup = setup_of(kind, workers, 5, memory);
        setup.ready_batches = 1;
        const auto loader = world.make(setup);
        std::vector<Batch> held;
        std::set<const std::byte*> addresses;
        for (int k = 0; k < 200; ++k) {
          held.push_back(loader->next());
          addresses.insert(held.back().pixels.data());
          if (held.size() <= 3) continue;
          const auto victim =
              held.begin() + static_cast<std::ptrdiff_t>(mix(static_cast<std::uint64_t>(k)) % held.size());
          ASSERT_EQ(world.wrong(*victim, 5), "");
          loader->release(*victim);
          held.erase(victim);
        }
        EXPECT_LE(addresses.size() * 5 * world.image_bytes, loader->buffer_bytes()) << "memory grows with the batches";
      }
    }
  }
}

TEST(Loaders, FailedImagesAreNotCountedAsImages) {
  for (const LoaderKind kind : {LoaderKind::batch_per_worker, LoaderKind::pooled}) {
    for (const int workers : {0, 2}) {
      World world;
      world.images = 4;  // image 3 fails
      world.some_fail = true;
      const auto loader = world.make(setup_of(kind, workers, 64));
      const Batch batch = loader->next();
      int expected = 0;
      for (int p = 0; p < 64; ++p) expected += world.sample_at(p).image == 3 ? 0 : 1;
      ASSERT_LT(expected, 64);
      EXPECT_EQ(batch.images, expected);
      EXPECT_EQ(world.wrong(batch, 64), "");  // with the failed ones zeroed
    }
  }
}

TEST(Loaders, EpochTurnoverIsMarkedOnTheBatchWithTheLastImage) {
  World world;
  world.images = 7;
  const auto loader = world.make(setup_of(LoaderKind::pooled, 2, 3));
  std::vector<bool> marks;
  for (int k = 0; k < 7; ++k) {
    const Batch batch = loader->next();
    marks.push_back(batch.crosses_epoch);
    loader->release(batch);
  }
  EXPECT_EQ(marks, (std::vector<bool>{false, false, true, false, true, false, true}));  // images 6, 13, 20 end epochs
}

TEST(Loaders, SixtyFourWorkersOnTinyImagesFinishAndCountEveryImage) {
  for (const LoaderKind kind : {LoaderKind::batch_per_worker, LoaderKind::pooled}) {
    World world;
    LoaderSetup setup = setup_of(kind, 64, 8);
    setup.prefetch = 1;
    const auto loader = world.make(setup);
    for (int k = 0; k < 400; ++k) {
      const Batch batch = loader->next();
      ASSERT_EQ(world.wrong(batch, 8), "");
      loader->release(batch);
    }
    const auto images = loader->totals().images;
    EXPECT_GE(images, 400 * 8);
    EXPECT_LE(images, (400 + loader->capacity()) * 8);
  }
}

}  // namespace
}  // namespace feedtune::loader_test
