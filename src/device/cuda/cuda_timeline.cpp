#include "device/cuda/cuda_timeline.hpp"

#include <cmath>
#include <utility>

#include "device/cuda/cuda_error.hpp"

namespace feedtune::cuda {
namespace {

constexpr Nanoseconds reference_age{1'000'000'000};

}  // namespace

OwnedEvent create_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDefault), "creating an event");
  return OwnedEvent(event);
}

CudaTimeline::CudaTimeline(std::shared_ptr<Clock> clock, cudaStream_t stream)
    : clock_(std::move(clock)), reference_(create_event()), next_(create_event()), recorded_(clock_->now()) {
  check(cudaEventRecord(reference_.get(), stream), "recording the first event");
  check(cudaEventSynchronize(reference_.get()), "waiting for the first event");
}

void CudaTimeline::recorded_on(cudaStream_t stream) {
  if (pending_) return;
  const Nanoseconds now = clock_->now();
  if (now - recorded_ < reference_age) return;
  check(cudaEventRecord(next_.get(), stream), "recording an event");
  recorded_ = now;
  pending_ = true;
}

Nanoseconds CudaTimeline::time_of(cudaEvent_t event) {
  if (pending_) {
    const cudaError_t state = cudaEventQuery(next_.get());
    if (state == cudaSuccess) {
      reference_time_ += between(reference_.get(), next_.get());
      std::swap(reference_, next_);
      pending_ = false;
    } else if (state != cudaErrorNotReady) {
      check(state, "asking for an event");
    }
  }
  return reference_time_ + between(reference_.get(), event);
}

Nanoseconds CudaTimeline::between(cudaEvent_t from, cudaEvent_t to) {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, from, to), "reading an event's time");
  return Nanoseconds(std::llround(static_cast<double>(milliseconds) * 1e6));
}

}  // namespace feedtune::cuda
