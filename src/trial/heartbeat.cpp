#include "trial/heartbeat.hpp"

namespace feedtune {
namespace {
constexpr std::chrono::milliseconds beat{250};
}

Heartbeat::Heartbeat(const OnHeartbeat& on_heartbeat, Clock& clock)
    : on_heartbeat_(on_heartbeat), clock_(clock), started_(clock.now()), thread_([this] { run(); }) {}

Heartbeat::~Heartbeat() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

void Heartbeat::doing(std::function<std::string()> doing) {
  const std::lock_guard lock(mutex_);
  doing_ = std::move(doing);
}

void Heartbeat::run() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, beat, [this] { return end_; })) {
    ChildProgress beat_now;
    beat_now.progress.phase = phase_.load();
    beat_now.progress.images_per_s = images_per_s_;
    beat_now.progress.elapsed_s = to_s(clock_.now() - started_);
    if (doing_) beat_now.doing = doing_();
    if (on_heartbeat_) on_heartbeat_(beat_now);
  }
}

}  // namespace feedtune
