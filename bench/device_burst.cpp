#include "device_burst.hpp"

#include <algorithm>
#include <chrono>

namespace feedtune {
namespace {

constexpr double burst_s = 2e-3;
constexpr int most_times = 100;

int times_for(double one_s) { return std::clamp(static_cast<int>(burst_s / std::max(one_s, 1e-6)), 1, most_times); }

}  // namespace

DeviceBurst::DeviceBurst(Device& device, std::function<void(Stream&)> work, std::chrono::milliseconds warm_up)
    : work_(std::move(work)), stream_(device.create_stream()), begin_(device.create_event()), end_(device.create_event()) {
  const auto until = std::chrono::steady_clock::now() + warm_up;
  seconds_of(1);  // chooses, or compiles, its kernel; sets its path up
  do times_ = times_for(seconds_of(times_) / times_);
  while (std::chrono::steady_clock::now() < until);
}

double DeviceBurst::seconds_of(int times) {
  stream_->record(*begin_);
  for (int k = 0; k < times; ++k) work_(*stream_);
  stream_->record(*end_);
  end_->synchronize();
  return to_s(end_->time() - begin_->time());
}

}  // namespace feedtune
