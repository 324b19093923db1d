#pragma once
// Fakes around a loader: allocators that count, a sampler and a preparer whose bytes depend on the sample alone.

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "pipeline/loader.hpp"

namespace feedtune::loader_test {

/// Fills what it gives out with 0xEE; counts live blocks; throws at the `fail_at`-th allocation (from 0).
class CountingAllocator final : public HostAllocator {
 public:
  explicit CountingAllocator(HostMemory kind, int fail_at = -1) : kind_(kind), fail_at_(fail_at) {}
  HostMemory kind() const override { return kind_; }
  HostBuffer allocate(std::size_t bytes) override;
  std::uint64_t allocated_bytes() const override { return live_->load(); }
  std::uint64_t locked_bytes() const override { return 0; }
  int allocations() const { return allocations_; }

 private:
  HostMemory kind_;
  int fail_at_;
  std::atomic<int> allocations_{0};
  std::shared_ptr<std::atomic<std::uint64_t>> live_ = std::make_shared<std::atomic<std::uint64_t>>(0);
};

/// What the fake preparer does besides writing: blocks, throws, counts. May be empty.
using Hook = std::function<void(int worker, const Sample& sample)>;

struct World {
  std::int64_t images = 10;  ///< per epoch
  std::size_t image_bytes = 48;
  bool some_fail = false;  ///< every 7th image from the 3rd on cannot be decoded
  Hook hook;
  std::function<void(int worker)> on_worker_start;
  std::function<void(const Sample& sample)> on_expect;
  std::shared_ptr<CountingAllocator> pageable = std::make_shared<CountingAllocator>(HostMemory::pageable);
  std::shared_ptr<CountingAllocator> pinned = std::make_shared<CountingAllocator>(HostMemory::pinned);

  LoaderParts parts(HostMemory memory) const;
  std::unique_ptr<Loader> make(const LoaderSetup& setup) const { return make_loader(setup, parts(setup.host_memory)); }
  Sample sample_at(std::int64_t position) const;
  bool fails(std::size_t image) const { return some_fail && image % 7 == 3; }
  std::vector<std::byte> expected_image(std::int64_t position) const;
  /// Why the batch is not what the positions say, or empty.
  std::string wrong(const Batch& batch, int batch_size) const;
};

std::int32_t label_of(std::size_t image);
std::uint64_t mix(std::uint64_t value);

/// Opens once; everybody waits for it.
class Gate {
 public:
  void open();
  void wait();

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = false;
};

/// Which positions were begun, and by whom.
class Log {
 public:
  void add(int worker, std::int64_t position);
  int size() const;
  std::set<std::int64_t> positions() const;
  std::vector<std::pair<int, std::int64_t>> entries() const;
  /// Waits until `count` were begun (false after 20 s), and then a little for ones too many.
  bool settles_at(int count) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<int, std::int64_t>> entries_;
};

LoaderSetup setup_of(LoaderKind kind, int workers, int batch_size, HostMemory memory = HostMemory::pageable);

}  // namespace feedtune::loader_test
