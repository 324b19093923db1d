#include "calibrate/stopwatch.hpp"

#include <algorithm>
#include <cmath>

namespace feedtune {
namespace {

constexpr std::int64_t columns = 256;
constexpr std::size_t row_bytes = columns * sizeof(float);
constexpr std::size_t most_bytes = std::size_t{256} << 20, least_bytes = std::size_t{1} << 20;
constexpr double long_enough_us = 2000;  // of one kernel: launches and gaps are nothing beside it
constexpr std::size_t memory_share = 16;
constexpr int most_kernels = 500;  // a stream takes about a thousand before the host has to wait

Tensor tensor_of(const DeviceBuffer& buffer, std::int64_t rows) {
  return {buffer.address(), static_cast<std::size_t>(rows * columns), Element::f32};
}

}  // namespace

Stopwatch::Stopwatch(Device& device, Clock& clock)
    : device_(device), clock_(clock), stream_(device.create_stream()), begin_(device.create_event()), end_(device.create_event()),
      bias_(device.memory().allocate(row_bytes)) {
  grow();
}

void Stopwatch::grow() {
  const std::size_t most = std::clamp<std::size_t>(device_.memory().available_bytes() / memory_share, row_bytes, most_bytes);
  for (std::size_t bytes = std::min(least_bytes, most);; bytes = std::min(most, bytes * 4)) {
    for (DeviceBuffer& buffer : values_) buffer = {};
    for (DeviceBuffer& buffer : values_) buffer = device_.memory().allocate(bytes);
    rows_ = static_cast<std::int64_t>(bytes / row_bytes);
    device_.math().fill_zero(*stream_, tensor_of(bias_, 1));
    for (const DeviceBuffer& buffer : values_) device_.math().fill_zero(*stream_, tensor_of(buffer, rows_));
    const auto once = [&] { queue_streaming(); };
    device_us(once, 0);  // the first one loads the kernel
    streaming_us_ = std::max(device_us(once, 0), 0.1);
    if (bytes == most || streaming_us_ > long_enough_us) return;
  }
}

double Stopwatch::streaming_bytes() const { return 3.0 * static_cast<double>(rows_) * static_cast<double>(row_bytes); }

void Stopwatch::queue_streaming() {
  device_.math().bias_residual(*stream_, tensor_of(values_[0], rows_), tensor_of(bias_, 1), tensor_of(values_[1], rows_), tensor_of(values_[2], rows_),
                               rows_, columns);
}

void Stopwatch::queue_tiny() {
  const Tensor values = tensor_of(values_[0], 1);
  device_.math().bias_residual(*stream_, values, tensor_of(bias_, 1), values, values, 1, columns);
}

void Stopwatch::keep_busy(double us) {
  const int kernels = std::clamp(static_cast<int>(std::ceil(us / streaming_us_)), 0, most_kernels);
  for (int i = 0; i < kernels; ++i) queue_streaming();
}

double Stopwatch::device_us(const std::function<void()>& work, double host_us) {
  keep_busy(host_us);
  stream_->record(*begin_);
  work();
  stream_->record(*end_);
  end_->synchronize();
  return to_ms(end_->time() - begin_->time()) * 1e3;
}

void Stopwatch::drain() {
  stream_->record(*end_);
  end_->synchronize();
}

}  // namespace feedtune
