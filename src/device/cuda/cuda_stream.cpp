#include "device/cuda/cuda_stream.hpp"

#include "device/cuda/cuda_error.hpp"

namespace feedtune::cuda {

OwnedStream create_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
  return OwnedStream(stream);
}

bool CudaEvent::done() const {
  const cudaError_t state = cudaEventQuery(event_.get());
  if (state == cudaErrorNotReady) return false;
  check(state, "asking for an event");
  return true;
}

Nanoseconds CudaEvent::synchronize() {
  check(cudaEventSynchronize(event_.get()), "waiting for an event");
  return Nanoseconds{0};
}

void CudaStream::copy_to_device(std::byte* destination, std::span<const std::byte> source, HostMemory) {
  // The runtime sees by the address whether memory is pinned.
  if (source.empty()) return;
  check(cudaMemcpyAsync(destination, source.data(), source.size(), cudaMemcpyHostToDevice, stream_.get()), "copying to the device");
}

void CudaStream::record(Event& event) {
  check(cudaEventRecord(dynamic_cast<CudaEvent&>(event).get(), stream_.get()), "recording an event");
  timeline_->recorded_on(stream_.get());
}

void CudaStream::wait(const Event& event) {
  check(cudaStreamWaitEvent(stream_.get(), dynamic_cast<const CudaEvent&>(event).get(), 0), "waiting for an event on the device");
}

}  // namespace feedtune::cuda
