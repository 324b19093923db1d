#pragma once
#include <memory>

#include "device/cuda/cuda_timeline.hpp"
#include "device/device.hpp"

namespace feedtune::cuda {

struct DestroyStream {
  void operator()(cudaStream_t stream) const { (void)cudaStreamDestroy(stream); }
};
using OwnedStream = std::unique_ptr<CUstream_st, DestroyStream>;
/// Doesn't wait for the default stream, nor that for it.
OwnedStream create_stream();

class CudaEvent final : public Event {
 public:
  explicit CudaEvent(std::shared_ptr<CudaTimeline> timeline) : timeline_(std::move(timeline)), event_(create_event()) {}
  bool done() const override;
  Nanoseconds synchronize() override;
  Nanoseconds time() const override { return timeline_->time_of(event_.get()); }
  cudaEvent_t get() const { return event_.get(); }

 private:
  std::shared_ptr<CudaTimeline> timeline_;
  OwnedEvent event_;
};

class CudaStream final : public Stream {
 public:
  explicit CudaStream(std::shared_ptr<CudaTimeline> timeline) : timeline_(std::move(timeline)), stream_(create_stream()) {}
  void copy_to_device(std::byte* destination, std::span<const std::byte> source, HostMemory kind) override;
  void record(Event& event) override;
  void wait(const Event& event) override;
  cudaStream_t get() const { return stream_.get(); }

 private:
  std::shared_ptr<CudaTimeline> timeline_;
  OwnedStream stream_;
};

}  // namespace feedtune::cuda
