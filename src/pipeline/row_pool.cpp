#include "pipeline/row_pool.hpp"

#include <fmt/format.h>

#include <system_error>

#include "core/error.hpp"

namespace feedtune {
namespace {

int part_begin(int rows, int part, int parts) {
  return static_cast<int>(static_cast<std::int64_t>(rows) * part / parts);
}

}  // namespace

RowPool::RowPool(int threads) : threads_(threads) {
  try {
    for (int thread = 1; thread < threads; ++thread) helpers_.emplace_back([this, thread] { help(thread); });
  } catch (const std::system_error& error) {
    stop();
    throw TrialFailure(TrialStatus::unsupported,
                       fmt::format("worker_threads={}: cannot start a thread: {}", threads, error.code().message()));
  }
}

RowPool::~RowPool() { stop(); }

void RowPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  begun_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void RowPool::run_parts(int rows, Call call, void* task) {
  if (helpers_.empty()) return call(task, 0, rows, 0);
  {
    const std::lock_guard lock(mutex_);
    rows_ = rows;
    call_ = call;
    task_ = task;
    running_ = static_cast<int>(helpers_.size());
    ++round_;
  }
  begun_.notify_all();
  call(task, 0, part_begin(rows, 1, threads()), 0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return running_ == 0; });
}

void RowPool::help(int thread) {
  const int parts = threads_;
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    begun_.wait(lock, [&] { return stopping_ || round_ != seen; });
    if (stopping_) return;
    seen = round_;
    const int rows = rows_;
    lock.unlock();
    call_(task_, part_begin(rows, thread, parts), part_begin(rows, thread + 1, parts), thread);
    lock.lock();
    if (--running_ == 0) done_.notify_one();
  }
}

}  // namespace feedtune
