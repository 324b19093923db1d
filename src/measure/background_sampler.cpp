#include "measure/background_sampler.hpp"

#include <algorithm>

#include "measure/thread_cpu_time.hpp"

namespace feedtune {
namespace {

constexpr std::chrono::milliseconds shortest_period{50};
constexpr int rest_per_cost = 250;  // 1 / 0.4 %

}  // namespace

BackgroundSampler::BackgroundSampler(std::function<void()> take, std::chrono::milliseconds period)
    : take_(std::move(take)), period_(std::max(period, shortest_period)), thread_([this] { run(); }) {}

BackgroundSampler::~BackgroundSampler() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void BackgroundSampler::run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    lock.unlock();
    const auto before = thread_cpu_time();
    take_();
    const std::chrono::nanoseconds rest = std::max<std::chrono::nanoseconds>(period_, (thread_cpu_time() - before) * rest_per_cost);
    lock.lock();
    wake_.wait_for(lock, rest, [this] { return stop_; });
  }
}

}  // namespace feedtune
