// Errors and endings: nothing hangs, nothing leaks, the user hears the reason.

#include <gtest/gtest.h>

#include <chrono>

#include <new>

#include "core/error.hpp"
#include "pipeline/loaders_fixture.hpp"

namespace feedtune::loader_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

struct Variant {
  LoaderKind kind;
  HostMemory memory;
  int workers;
};

std::vector<Variant> variants(std::initializer_list<int> workers) {
  std::vector<Variant> all;
  for (const LoaderKind kind : {LoaderKind::batch_per_worker, LoaderKind::pooled})
    for (const HostMemory memory : {HostMemory::pageable, HostMemory::pinned})
      for (const int count : workers) all.push_back({kind, memory, count});
  return all;
}

std::string name(const Variant& v) {
  return std::string(to_text(v.kind)) + " " + std::string(to_text(v.memory)) + " " + std::to_string(v.workers);
}

TEST(Loaders, AWorkersErrorReachesTheTrainingThreadWithItsType) {
  for (const Variant& v : variants({0, 1, 3})) {
    SCOPED_TRACE(name(v));
    const auto with = [&](Hook hook) {
      auto world = std::make_unique<World>();
      world->hook = std::move(hook);
      return world;
    };
    const auto run = [&](const World& world) {
      const auto loader = world.make(setup_of(v.kind, v.workers, 4, v.memory));
      for (int k = 0; k < 50; ++k) loader->release(loader->next());
    };
    EXPECT_THROW(run(*with([](int, const Sample& s) {
                   if (s.position == 30) throw std::bad_alloc();
                 })),
                 std::bad_alloc);
    EXPECT_THROW(run(*with([](int, const Sample& s) {
                   if (s.position == 30) throw OutOfMemory(MemoryKind::host, 1, 0);
                 })),
                 OutOfMemory);
    EXPECT_THROW(run(*with([](int, const Sample&) { throw std::logic_error("a bug"); })), std::logic_error);
  }
}

TEST(Loaders, AnErrorIsReportedAgainAndStillEndsCleanly) {
  World world;
  world.hook = [](int, const Sample&) { throw std::bad_alloc(); };
  const auto loader = world.make(setup_of(LoaderKind::pooled, 2, 4));
  EXPECT_THROW(loader->next(), std::bad_alloc);
  EXPECT_THROW(loader->next(), std::bad_alloc);
}

TEST(Loaders, AWorkerThatCannotStartIsAnErrorNotAHang) {
  for (const Variant& v : variants({1, 3})) {
    SCOPED_TRACE(name(v));
    World world;
    world.on_worker_start = [](int worker) {
      if (worker == 0) throw TrialFailure(TrialStatus::unsupported, "cannot pin worker 0 to core 9");
    };
    const auto loader = world.make(setup_of(v.kind, v.workers, 4, v.memory));
    // The others may serve any number of batches before the system lets worker 0 begin.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    EXPECT_THROW(while (std::chrono::steady_clock::now() < deadline) loader->release(loader->next()), TrialFailure);
  }
}

TEST(Loaders, RefusedMemoryReachesTheCallerUntouchedAndNothingLeaks) {
  for (const Variant& v : variants({0, 2})) {
    SCOPED_TRACE(name(v));
    int failures = 0;
    for (int fail_at = 0; fail_at < 40; ++fail_at) {
      World world;
      auto& batch_memory = v.memory == HostMemory::pinned ? world.pinned : world.pageable;
      batch_memory = std::make_shared<CountingAllocator>(v.memory, fail_at);
      try {
        const auto loader = world.make(setup_of(v.kind, v.workers, 4, v.memory));
        loader->next();
      } catch (const TrialFailure& failure) {
        ++failures;
        EXPECT_EQ(failure.status(), TrialStatus::unsupported);
        EXPECT_STREQ(failure.what(), "pinned memory refused: 48 of 8 bytes");
      }
      EXPECT_EQ(world.pinned->allocated_bytes() + world.pageable->allocated_bytes(), 0u);
    }
    // A pageable slot gets its memory when a batch comes to it: of those only the first is sure to be asked for.
    EXPECT_GE(failures, v.memory == HostMemory::pageable ? 1 : 4);
  }
}

TEST(Loaders, EveryByteOfBatchMemoryIsAccountedAndGivenBack) {
  for (const Variant& v : variants({0, 1, 3})) {
    SCOPED_TRACE(name(v));
    World world;
    LoaderSetup setup = setup_of(v.kind, v.workers, 4, v.memory);
    const std::uint64_t batch_bytes = 4 * world.image_bytes;
    {
      const auto loader = world.make(setup);
      for (int k = 0; k < 20; ++k) loader->release(loader->next());
      const bool pooled = v.kind == LoaderKind::pooled;
      const auto ahead = static_cast<std::uint64_t>(v.workers == 0 ? 1 : pooled ? setup.ready_batches : 2 * v.workers);
      const std::uint64_t delivered = (ahead + 3) * batch_bytes;
      if (v.memory == HostMemory::pageable) {  // as many as were needed
        EXPECT_LE(loader->buffer_bytes(), delivered);
        EXPECT_GE(loader->buffer_bytes(), batch_bytes);
      } else if (pooled) {
        EXPECT_EQ(loader->buffer_bytes(), delivered);
      } else {  // the workers' pageable slots too: at most one per token
        EXPECT_GE(loader->buffer_bytes(), delivered + batch_bytes);
        EXPECT_LE(loader->buffer_bytes(), delivered + ahead * batch_bytes);
      }
      EXPECT_EQ(world.pinned->allocated_bytes(), v.memory == HostMemory::pinned ? delivered : 0u);
    }
    EXPECT_EQ(world.pinned->allocated_bytes() + world.pageable->allocated_bytes(), 0u);
  }
}

/// Destroys the loader after `use` and returns how long that took. A batch takes minutes, an image 5 ms.
double destruction_ms(const Variant& v, int slow_image_ms, const std::function<void(Loader&)>& use) {
  World world;
  if (slow_image_ms > 0)
    world.hook = [=](int, const Sample&) { std::this_thread::sleep_for(milliseconds(slow_image_ms)); };
  auto loader = world.make(setup_of(v.kind, v.workers, slow_image_ms > 0 ? 20'000 : 4, v.memory));
  use(*loader);
  const auto begin = steady_clock::now();
  loader.reset();
  return std::chrono::duration<double, std::milli>(steady_clock::now() - begin).count();
}

TEST(Loaders, StoppingTakesAboutOneImageWhateverTheWorkersAreDoing) {
  for (const Variant& v : variants({0, 1, 4})) {
    SCOPED_TRACE(name(v));
    const double slack_ms = 2'000;  // a batch would take 100 s
    EXPECT_LT(destruction_ms(v, 5, [](Loader&) {}), slack_ms) << "just started";
    EXPECT_LT(destruction_ms(v, 5, [](Loader&) { std::this_thread::sleep_for(milliseconds(20)); }), slack_ms) << "busy";
    EXPECT_LT(destruction_ms(v, 0, [](Loader&) { std::this_thread::sleep_for(milliseconds(20)); }), slack_ms)
        << "blocked";
    EXPECT_LT(destruction_ms(v, 0,
                             [](Loader& loader) {  // every slot taken or held, the pin thread blocked too
                               for (int k = 0; k < 4; ++k) loader.next();
                               std::this_thread::sleep_for(milliseconds(20));
                             }),
              slack_ms)
        << "held";
  }
}

TEST(Loaders, SetUpsThatCannotRunAreNamed) {
  World world;
  LoaderSetup setup = setup_of(LoaderKind::external, 1, 4);
  EXPECT_THROW(world.make(setup), TrialFailure);
  setup = setup_of(LoaderKind::pooled, 1, 0);
  EXPECT_THROW(world.make(setup), SpecError);
  setup = setup_of(LoaderKind::pooled, -1, 4);
  EXPECT_THROW(world.make(setup), SpecError);
  setup = setup_of(LoaderKind::pooled, 1, 4);
  setup.ready_batches = 0;
  EXPECT_THROW(world.make(setup), SpecError);
  setup = setup_of(LoaderKind::batch_per_worker, 1, 4);
  setup.prefetch = 0;
  EXPECT_THROW(world.make(setup), SpecError);
}

}  // namespace
}  // namespace feedtune::loader_test
