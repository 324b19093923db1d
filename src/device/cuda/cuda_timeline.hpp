#pragma once
// Times of events on one axis, in nanoseconds since the device was made.

#include <cuda_runtime_api.h>

#include <memory>

#include "measure/clock.hpp"

namespace feedtune::cuda {

struct DestroyEvent {
  void operator()(cudaEvent_t event) const { (void)cudaEventDestroy(event); }
};
using OwnedEvent = std::unique_ptr<CUevent_st, DestroyEvent>;
/// With times. Waiting for it spins or yields, as the runtime decides by the number of cores.
OwnedEvent create_event();

/// The runtime tells only what lies between two events, as a float of milliseconds, which is coarse for far ones (8 us after 100 s).
/// So one event a second becomes the next one's reference. Used by the training thread alone.
class CudaTimeline {
 public:
  /// Records the first reference on `stream` and waits for it.
  CudaTimeline(std::shared_ptr<Clock> clock, cudaStream_t stream);
  /// To be called when something was recorded on `stream`: now and then records a reference of its own behind it.
  void recorded_on(cudaStream_t stream);
  /// Of an event that is done.
  Nanoseconds time_of(cudaEvent_t event);

 private:
  static Nanoseconds between(cudaEvent_t from, cudaEvent_t to);

  std::shared_ptr<Clock> clock_;
  OwnedEvent reference_;
  OwnedEvent next_;
  Nanoseconds reference_time_{0};
  Nanoseconds recorded_{0};  ///< when the newest of both was recorded, on the host
  bool pending_ = false;
};

}  // namespace feedtune::cuda
