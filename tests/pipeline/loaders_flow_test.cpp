// How far the workers may run ahead, who does what, and what their waits are called.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "pipeline/loaders_fixture.hpp"

namespace feedtune::loader_test {
namespace {

using std::chrono::milliseconds;

std::set<std::int64_t> batches_of(const Log& log, int batch_size) {
  std::set<std::int64_t> batches;
  for (const std::int64_t position : log.positions()) batches.insert(position / batch_size);
  return batches;
}

TEST(BatchPerWorker, StartsExactlyWorkersTimesPrefetchBatchesAheadAsPyTorchDoes) {
  for (const HostMemory memory : {HostMemory::pageable, HostMemory::pinned}) {
    for (const auto& [workers, prefetch] : {std::pair{1, 1}, {1, 3}, {3, 2}, {4, 1}}) {
      const int tokens = workers * prefetch;
      Log log;
      World world;
      world.hook = [&](int worker, const Sample& sample) { log.add(worker, sample.position); };
      LoaderSetup setup = setup_of(LoaderKind::batch_per_worker, workers, 2, memory);
      setup.prefetch = prefetch;
      const auto loader = world.make(setup);
      EXPECT_EQ(loader->capacity(), tokens);
      ASSERT_TRUE(log.settles_at(2 * tokens)) << workers << " x " << prefetch << ": " << log.size() / 2.0 << " batches";
      EXPECT_EQ(loader->ready(), tokens);
      for (int k = 0; k < 3; ++k) {  // a token comes back when a batch is taken, not when it is released
        loader->next();
        ASSERT_TRUE(log.settles_at(2 * (tokens + k + 1)));
        EXPECT_EQ(*batches_of(log, 2).rbegin(), tokens + k);
      }
    }
  }
}

TEST(BatchPerWorker, BatchKIsMadeWhollyByWorkerKModuloWorkers) {
  Log log;
  World world;
  world.hook = [&](int worker, const Sample& sample) { log.add(worker, sample.position); };
  const auto loader = world.make(setup_of(LoaderKind::batch_per_worker, 3, 4));
  for (int k = 0; k < 20; ++k) loader->release(loader->next());
  for (const auto& [worker, position] : log.entries()) ASSERT_EQ(worker, position / 4 % 3) << "position " << position;
}

TEST(BatchPerWorker, ASlowBatchHoldsBackTheOthersInOrder) {
  Gate gate;
  Log log;
  World world;
  world.hook = [&](int worker, const Sample& sample) {
    if (sample.position == 0) gate.wait();
    log.add(worker, sample.position);
  };
  const auto loader = world.make(setup_of(LoaderKind::batch_per_worker, 2, 2));
  ASSERT_TRUE(log.settles_at(4));  // batches 1 and 3, all that worker 1 has tokens for
  EXPECT_EQ(batches_of(log, 2), (std::set<std::int64_t>{1, 3}));
  EXPECT_EQ(loader->ready(), 2);
  gate.open();
  for (int k = 0; k < 4; ++k) EXPECT_EQ(loader->next().index, k) << "out of order";
}

TEST(Pooled, FillsExactlyReadyBatchesAheadAndHeldOnesComeOnTop) {
  for (const int ready : {1, 2, 4}) {
    Log log;
    World world;
    world.hook = [&](int worker, const Sample& sample) { log.add(worker, sample.position); };
    LoaderSetup setup = setup_of(LoaderKind::pooled, 3, 5);
    setup.ready_batches = ready;
    const auto loader = world.make(setup);
    ASSERT_TRUE(log.settles_at(5 * ready)) << ready << ": " << log.size();
    EXPECT_EQ(loader->ready(), ready);
    EXPECT_EQ(loader->capacity(), ready);
    for (int k = 1; k <= 3; ++k) {  // up to three held
      loader->next();
      ASSERT_TRUE(log.settles_at(5 * (ready + k))) << ready << ": " << k << " held";
    }
  }
}

TEST(Pooled, WhoTakesBatchesAsTheyComeHasTouchedOnlyTheSlotsInUse) {
  constexpr int batch_size = 5;
  std::mutex mutex;
  std::condition_variable changed;
  std::int64_t may_begin = 0;  // the batch whose first image may be begun
  World world;
  world.hook = [&](int, const Sample& sample) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return sample.position / batch_size <= may_begin; });
  };
  LoaderSetup setup = setup_of(LoaderKind::pooled, 2, batch_size);
  setup.ready_batches = 4;
  const auto loader = world.make(setup);
  const struct Opener {  // whatever happens, or the workers would wait in the hook for ever
    ~Opener() {
      const std::lock_guard lock(mutex);
      may_begin = 1 << 20;
      changed.notify_all();
    }
    std::mutex& mutex;
    std::condition_variable& changed;
    std::int64_t& may_begin;
  } opener{mutex, changed, may_begin};
  std::set<int> slots;
  for (int k = 0; k < 20; ++k) {
    const Batch batch = loader->next();
    slots.insert(batch.slot);
    loader->release(batch);
    const std::lock_guard lock(mutex);
    ++may_begin;
    changed.notify_all();
  }
  EXPECT_LE(slots.size(), 2u) << "one with the training thread, one being filled";
  EXPECT_LE(loader->buffer_bytes(), 2 * batch_size * world.image_bytes) << "the others need no memory";
}

TEST(Pooled, FilesAreAskedForBeforeAnyWorkerCanBeAtThem) {
  for (const LoaderKind kind : {LoaderKind::pooled, LoaderKind::batch_per_worker}) {
    Log begun, expected;
    World world;
    world.hook = [&](int worker, const Sample& sample) { begun.add(worker, sample.position); };
    world.on_expect = [&](const Sample& sample) { expected.add(0, sample.position); };
    {
      const auto loader = world.make(setup_of(kind, 3, 5));
      for (int k = 0; k < 10; ++k) loader->release(loader->next());
    }
    // PyTorch's workers ask for nothing ahead.
    std::set<std::int64_t> wanted;
    if (kind == LoaderKind::pooled)
      for (const std::int64_t position : begun.positions()) wanted.insert(position + 3 + 16);
    EXPECT_EQ(expected.positions(), wanted);
  }
}

TEST(Pooled, AStragglerDoesNotIdleTheOtherWorkers) {
  Gate gate;
  Log log;
  World world;
  world.hook = [&](int worker, const Sample& sample) {
    if (sample.position == 0) gate.wait();
    log.add(worker, sample.position);
  };
  LoaderSetup setup = setup_of(LoaderKind::pooled, 3, 4);
  setup.ready_batches = 4;
  const auto loader = world.make(setup);
  ASSERT_TRUE(log.settles_at(15)) << "all images of the four open batches but the straggler, got " << log.size();
  EXPECT_EQ(loader->ready(), 3);
  gate.open();
  EXPECT_EQ(loader->next().index, 0);
}

TEST(Loaders, TrainingLoopWithThreeBatchesInFlightNeverDeadlocks) {
  for (const LoaderKind kind : {LoaderKind::batch_per_worker, LoaderKind::pooled}) {
    for (const HostMemory memory : {HostMemory::pageable, HostMemory::pinned}) {
      for (const int workers : {0, 1, 4}) {
        for (const int hold : {1, 2, 3}) {
          World world;
          LoaderSetup setup = setup_of(kind, workers, 3, memory);
          setup.prefetch = 1;
          setup.ready_batches = 1;
          const auto loader = world.make(setup);
          std::vector<Batch> held;
          for (int k = 0; k < 60; ++k) {
            held.push_back(loader->next());
            if (static_cast<int>(held.size()) <= hold) continue;
            loader->release(held.front());
            held.erase(held.begin());
          }
        }
      }
    }
  }
}

TEST(Loaders, HoldingMoreThanThreeBatchesIsReportedInsteadOfHangingForever) {
  for (const LoaderKind kind : {LoaderKind::batch_per_worker, LoaderKind::pooled}) {
    for (const int workers : {0, 2}) {
      World world;
      const auto loader = world.make(setup_of(kind, workers, 2));
      std::vector<Batch> held;
      for (int k = 0; k < 4; ++k) held.push_back(loader->next());
      EXPECT_THROW(loader->next(), std::logic_error);
      loader->release(held[2]);
      EXPECT_THROW(loader->release(held[2]), std::logic_error);
      EXPECT_EQ(loader->next().index, 4);
    }
  }
}

TEST(Loaders, AWaitForTheTrainingThreadIsBlockedAndAWaitForAStragglerIsStarved) {
  const auto ms = [](std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-6; };
  // A wait is counted when it ends, on the worker's own thread: that may take a moment on a busy machine.
  const auto eventually = [](const auto& holds) {
    for (int i = 0; i < 500 && !holds(); ++i) std::this_thread::sleep_for(milliseconds(10));
    return holds();
  };
  for (const LoaderKind kind : {LoaderKind::batch_per_worker, LoaderKind::pooled}) {
    World world;
    LoaderSetup setup = setup_of(kind, 2, 4);
    setup.prefetch = 1;
    setup.ready_batches = 1;
    {
      const auto loader = world.make(setup);
      std::this_thread::sleep_for(milliseconds(400));  // the training thread is elsewhere; two workers wait
      loader->release(loader->next());
      loader->release(loader->next());
      loader->next();
      EXPECT_TRUE(eventually([&] { return ms(loader->totals().blocked) > 200; }));
      EXPECT_LT(ms(loader->totals().starved), ms(loader->totals().blocked) / 2);
    }
    world.hook = [](int, const Sample& sample) {
      if (sample.position == 0) std::this_thread::sleep_for(milliseconds(400));
    };
    const auto loader = world.make(setup);
    for (int k = 0; k < 3; ++k) loader->release(loader->next());
    EXPECT_TRUE(eventually([&] { return ms(loader->totals().starved) > 100; }));
    EXPECT_LT(ms(loader->totals().blocked), ms(loader->totals().starved) / 2);
  }
}

TEST(Loaders, ThreadsCarryNamesThatToolsShow) {
  World world;
  std::mutex mutex;
  std::set<std::string> names;
  world.hook = [&](int worker, const Sample&) {
    char name[16] = "";
    pthread_getname_np(pthread_self(), name, sizeof name);
    const std::lock_guard lock(mutex);
    names.insert(std::to_string(worker) + " " + name);
  };
  const auto loader = world.make(setup_of(LoaderKind::batch_per_worker, 2, 2, HostMemory::pinned));
  for (int k = 0; k < 4; ++k) loader->release(loader->next());
  std::set<std::string> tasks;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm") >> std::ws, name);
    tasks.insert(name);
  }
  const std::lock_guard lock(mutex);
  EXPECT_EQ(names, (std::set<std::string>{"0 ft-worker-0", "1 ft-worker-1"}));
  EXPECT_TRUE(tasks.contains("ft-pin"));
}

TEST(Loaders, WorkersAreAnnouncedOnTheirOwnThreadSoThatTheyCanBePinnedToCores) {
  for (const LoaderKind kind : {LoaderKind::batch_per_worker, LoaderKind::pooled}) {
    World world;
    std::mutex mutex;
    std::set<std::pair<int, std::thread::id>> announced, worked;
    const auto note = [&](auto& set, int worker) {
      const std::lock_guard lock(mutex);
      set.emplace(worker, std::this_thread::get_id());
    };
    world.on_worker_start = [&](int worker) { note(announced, worker); };
    world.hook = [&](int worker, const Sample&) {
      std::this_thread::sleep_for(milliseconds(2));  // so that pooled gives each worker something
      note(worked, worker);
    };
    auto loader = world.make(setup_of(kind, 3, 4));
    for (int k = 0; k < 12; ++k) loader->release(loader->next());
    loader.reset();
    EXPECT_EQ(announced.size(), 3u);
    EXPECT_EQ(announced, worked);
  }
}

}  // namespace
}  // namespace feedtune::loader_test
