#include "stream.hpp"

#include <atomic>
#include <chrono>
#include <set>

#include "settings.hpp"

namespace fake_cuda {
namespace {

std::atomic<Actor> last_number = 0;
std::atomic<int> error_that_sticks = 0;

// One lock and one condition for all marks: they are few, and their order matters more than speed.
struct Shared {
  std::mutex mutex;
  std::condition_variable changed;
  Moment host;
  std::set<Stream*> streams;
};
Shared& shared() {
  static Shared& one = *new Shared;
  return one;
}

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

int sticky_error() { return error_that_sticks; }

void set_sticky_error(int error) {
  error_that_sticks = error;
  // Whoever waits for work that never ends now gets the error.
  const std::lock_guard lock(shared().mutex);
  shared().changed.notify_all();
}

Stream::Stream() : number_(++last_number), thread_([this] { run(); }) {
  const std::lock_guard lock(shared().mutex);
  shared().streams.insert(this);
}

Stream::~Stream() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
  const std::lock_guard lock(shared().mutex);
  shared().streams.erase(this);
}

void Stream::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return closing_ || !work_.empty(); });
    if (work_.empty()) return;
    const auto next = std::move(work_.front());
    work_.pop_front();
    working_ = true;
    lock.unlock();
    next();
    lock.lock();
    working_ = false;
    changed_.notify_all();
  }
}

Moment Stream::queue(std::function<void()> work) {
  const Moment seen = host_moment();
  const std::lock_guard lock(mutex_);
  moment_.merge(seen);
  moment_.advance(number_);
  work_.push_back(std::move(work));
  changed_.notify_all();
  return moment_;
}

std::shared_ptr<Mark> Stream::record() {
  auto mark = std::make_shared<Mark>();
  const Moment moment = queue([mark] {
    const std::lock_guard lock(shared().mutex);
    mark->time_ns = now_ns();
    mark->done = true;
    shared().changed.notify_all();
  });
  const std::lock_guard lock(shared().mutex);
  mark->moment = moment;
  return mark;
}

void Stream::wait(const std::shared_ptr<Mark>& mark) {
  if (!mark) return;  // never recorded: nothing to wait for
  queue([mark] {
    std::unique_lock lock(shared().mutex);
    shared().changed.wait(lock, [&] { return mark->done || sticky_error() != 0; });
  });
  Moment before;
  {
    const std::lock_guard lock(shared().mutex);
    before = mark->moment;
  }
  const std::lock_guard lock(mutex_);
  moment_.merge(before);
}

void Stream::synchronize() { host_wait(*record()); }

bool Stream::idle() {
  const std::lock_guard lock(mutex_);
  return work_.empty() && !working_;
}

void Event::record(Stream& stream) {
  auto mark = stream.record();
  const std::lock_guard lock(mutex_);
  mark_ = std::move(mark);
}

std::shared_ptr<Mark> Event::mark() {
  const std::lock_guard lock(mutex_);
  return mark_;
}

bool done(const Mark& mark) {
  const std::lock_guard lock(shared().mutex);
  if (mark.done) shared().host.merge(mark.moment);
  return mark.done;
}

void host_wait(const Mark& mark) {
  std::unique_lock lock(shared().mutex);
  shared().changed.wait(lock, [&] { return mark.done || sticky_error() != 0; });
  if (mark.done) shared().host.merge(mark.moment);
}

Moment host_moment() {
  const std::lock_guard lock(shared().mutex);
  return shared().host;
}

std::int64_t living_streams() { return static_cast<std::int64_t>(all_streams().size()); }

std::vector<Stream*> all_streams() {
  const std::lock_guard lock(shared().mutex);
  return {shared().streams.begin(), shared().streams.end()};
}

}  // namespace fake_cuda
