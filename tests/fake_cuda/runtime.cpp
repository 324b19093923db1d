// The CUDA runtime's functions that the program calls, on the CPU. What is not here is not called: a missing symbol says so.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <vector>

#include "gpu.hpp"
#include "kernels.hpp"
#include "memory.hpp"
#include "pool.hpp"
#include "settings.hpp"
#include "stream.hpp"

using namespace fake_cuda;

namespace {

thread_local cudaError_t last_error = cudaSuccess;

cudaError_t result(cudaError_t error) {
  if (error == cudaSuccess && sticky_error() != 0) error = static_cast<cudaError_t>(sticky_error());
  if (error != cudaSuccess && error != cudaErrorNotReady) last_error = error;
  return error;
}

/// The driver's own state, before anything else.
cudaError_t machine() {
  if (settings().no_driver || settings().old_driver) return cudaErrorInsufficientDriver;
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (settings().no_device || (visible != nullptr && *visible == '\0')) return cudaErrorNoDevice;
  return cudaSuccess;
}

Stream& stream_of(cudaStream_t stream) {
  // The default stream doesn't wait for non-blocking ones, nor they for it.
  static Stream& default_stream = *new Stream;
  return stream == nullptr ? default_stream : *reinterpret_cast<Stream*>(stream);
}

Event& event_of(cudaEvent_t event) {
  if (event == nullptr) broken("an event that is none");
  return *reinterpret_cast<Event*>(event);
}

std::uint64_t hash_of(const void* data, std::size_t bytes) {
  const auto* at = static_cast<const unsigned char*>(data);
  std::uint64_t hash = bytes;
  std::uint64_t word = 0;
  std::size_t k = 0;
  for (; k + 8 <= bytes; k += 8) {
    std::memcpy(&word, at + k, 8);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  for (; k < bytes; ++k) hash = (hash ^ at[k]) * 0x100000001b3u;
  return hash;
}

void copy_at(double gbps, void* to, const void* from, std::size_t bytes) {
  const auto begin = std::chrono::steady_clock::now();
  std::memcpy(to, from, bytes);
  if (gbps > 0) std::this_thread::sleep_until(begin + std::chrono::nanoseconds(static_cast<std::int64_t>(static_cast<double>(bytes) / gbps)));
}

void leak_check() {
  if (const auto count = living_streams(); count > 1 || (count == 1 && device_memory().blocks() > 0))
    std::fprintf(stderr, "fake CUDA: %lld streams and %zu blocks of device memory were left\n", static_cast<long long>(count),
                 device_memory().blocks());
  if (const auto count = pinned_memory().blocks(); count > 0) std::fprintf(stderr, "fake CUDA: %zu blocks of pinned memory were left\n", count);
}

std::atomic<std::int64_t> kernels_started = 0;

}  // namespace

namespace fake_cuda {

int queue_work(cudaStream_t stream, const std::vector<Access>& accesses, const char* what, std::function<void()> work) {
  Stream& on = stream_of(stream);
  for (const Access& access : accesses)
    if (access.bytes > 0 && device_memory().find(access.address, access.bytes) == 0) broken(std::string(what) + " reaches memory that is no device memory");
  const std::int64_t number = ++kernels_started;
  std::function<void()> whole = std::move(work);
  if (number == settings().fail_kernel) whole = [] { set_sticky_error(cudaErrorIllegalAddress); };
  if (number == settings().hang_kernel) whole = [] { while (true) std::this_thread::sleep_for(std::chrono::hours(1)); };
  const Moment moment = on.queue([whole = std::move(whole)] {
    if (sticky_error() == 0) whole();
  });
  for (const Access& access : accesses)
    if (access.bytes > 0) device_memory().use(device_memory().find(access.address, access.bytes), on.number(), moment, access.write, what);
  return sticky_error();
}

}  // namespace fake_cuda

extern "C" {

// --- what nvcc's code calls

struct FakeFunction {
  Kernel kernel;
};
struct CallConfiguration {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
};
static thread_local std::vector<CallConfiguration> configurations;
static std::map<const void*, FakeFunction>& functions() {
  static auto& all = *new std::map<const void*, FakeFunction>;
  return all;
}

void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) { leak_check(); }
void __cudaRegisterFunction(void**, const char* host, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*, int*) {
  functions()[host] = {find_kernel(name)};
}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, CUstream_st* stream) {
  configurations.push_back({grid, block, shared, stream});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  if (configurations.empty()) broken("a launch without its configuration");
  const CallConfiguration top = configurations.back();
  configurations.pop_back();
  *grid = top.grid, *block = top.block, *shared = top.shared;
  *static_cast<cudaStream_t*>(stream) = top.stream;
  return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void* host, dim3 grid, dim3 block, void** arguments, std::size_t, cudaStream_t stream) {
  const auto found = functions().find(host);
  if (found == functions().end()) return result(cudaErrorInvalidDeviceFunction);
  if (machine() != cudaSuccess) return result(machine());
  const Kernel& kernel = found->second.kernel;
  if (grid.x == 0 || block.x == 0 || block.x > 1024) return result(cudaErrorInvalidConfiguration);
  std::vector<unsigned char> functor(kernel.functor_bytes);
  std::memcpy(functor.data(), arguments[0], functor.size());
  std::int64_t count = grid.x;
  if (kernel.counted) std::memcpy(&count, arguments[1], sizeof count);
  // Its members are pointers and numbers: a word that lies in device memory is taken for a pointer. Whether it is written through
  // isn't known, so it counts as written.
  std::vector<Access> accesses;
  for (std::size_t k = 0; k + sizeof(void*) <= functor.size(); k += sizeof(void*)) {
    void* pointer = nullptr;
    std::memcpy(&pointer, functor.data() + k, sizeof pointer);
    if (device_memory().find(pointer, 1) != 0) accesses.push_back({pointer, 1, true});
  }
  if (accesses.empty()) broken(kernel.name + " has no pointer to device memory");
  return result(static_cast<cudaError_t>(queue_work(stream, accesses, kernel.name.c_str(), [run = kernel.run, functor, count] { run(functor.data(), count); })));
}
#if CUDART_VERSION >= 13000
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(host));
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared, cudaStream_t stream) {
  return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments, shared, stream);
}
#endif

// --- the machine

cudaError_t cudaDriverGetVersion(int* version) {
  *version = settings().no_driver ? 0 : settings().old_driver ? 11040 : CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = machine() == cudaSuccess ? 1 : 0;
  return result(machine());
}
cudaError_t cudaSetDevice(int device) {
  if (machine() != cudaSuccess) return result(machine());
  return result(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (device != 0) return result(cudaErrorInvalidDevice);
  *properties = {};
  std::strcpy(properties->name, "fake");
  properties->major = settings().compute;
  properties->totalGlobalMem = settings().memory;
  properties->pciBusID = 0x65;
  std::memcpy(properties->uuid.bytes, "the fake GPU    ", sizeof properties->uuid.bytes);
  return result(cudaSuccess);
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (device != 0) return result(cudaErrorInvalidDevice);
  if (attribute == cudaDevAttrMemoryPoolsSupported) *value = settings().no_pools ? 0 : 1;
  else broken("device attribute " + std::to_string(attribute) + " isn't known here");
  return result(cudaSuccess);
}
cudaError_t cudaDeviceGetPCIBusId(char* address, int length, int device) {
  if (device != 0 || length < 13) return result(cudaErrorInvalidValue);
  std::strcpy(address, "0000:65:00.0");
  return result(cudaSuccess);
}
cudaError_t cudaDeviceSynchronize() {
  // Only the training thread's streams exist; each is waited for by its own marks.
  for (Stream* stream : all_streams()) stream->synchronize();
  return result(cudaSuccess);
}
cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error != cudaSuccess ? error : static_cast<cudaError_t>(sticky_error());
}
cudaError_t cudaPeekAtLastError() { return last_error != cudaSuccess ? last_error : static_cast<cudaError_t>(sticky_error()); }
const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaErrorIllegalAddress: return "cudaErrorIllegalAddress";
    case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidValue: return "cudaErrorInvalidValue";
    case cudaErrorHostMemoryAlreadyRegistered: return "cudaErrorHostMemoryAlreadyRegistered";
    default: return "cudaError";
  }
}
const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaErrorIllegalAddress: return "an illegal memory access was encountered";
    case cudaErrorMemoryAllocation: return "out of memory";
    default: return "another error";
  }
}

// --- memory

cudaError_t cudaMalloc(void** address, std::size_t bytes) {
  if (machine() != cudaSuccess) return result(machine());
  *address = device_memory().take(bytes);
  return result(*address == nullptr ? cudaErrorMemoryAllocation : cudaSuccess);
}
cudaError_t cudaFree(void* address) {
  if (address == nullptr) return result(cudaSuccess);
  cudaDeviceSynchronize();
  device_memory().give_back(address);
  return result(cudaSuccess);
}
cudaError_t cudaMemGetInfo(std::size_t* available, std::size_t* total) {
  if (machine() != cudaSuccess) return result(machine());
  *total = settings().memory;
  const std::uint64_t taken = device_memory().used() + idle_pool_bytes();
  *available = settings().memory - std::min(taken, settings().memory);
  return result(cudaSuccess);
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  if (settings().no_pools) return result(cudaErrorNotSupported);
  if (properties->allocType != cudaMemAllocationTypePinned || properties->location.type != cudaMemLocationTypeDevice)
    return result(cudaErrorInvalidValue);
  *pool = static_cast<cudaMemPool_t>(create_pool());
  return result(cudaSuccess);
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  destroy_pool(pool);
  return result(cudaSuccess);
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return result(cudaSuccess); }
cudaError_t cudaMallocFromPoolAsync(void** address, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  stream_of(stream).synchronize();  // what was given back on this stream before can be taken again
  *address = take_from_pool(pool, bytes);
  return result(*address == nullptr ? cudaErrorMemoryAllocation : cudaSuccess);
}
cudaError_t cudaFreeAsync(void* address, cudaStream_t stream) {
  device_memory().retire(address);
  stream_of(stream).queue([address] {
    left_pool(address);
    device_memory().give_back(address);
  });
  return result(cudaSuccess);
}
cudaError_t cudaHostAlloc(void** address, std::size_t bytes, unsigned) {
  if (machine() != cudaSuccess) return result(machine());
  *address = pinned_memory().take(bytes);
  return result(*address == nullptr ? cudaErrorMemoryAllocation : cudaSuccess);
}
cudaError_t cudaFreeHost(void* address) {
  if (address != nullptr) pinned_memory().give_back(address);
  return result(cudaSuccess);
}
cudaError_t cudaHostRegister(void* address, std::size_t bytes, unsigned) {
  if (machine() != cudaSuccess) return result(machine());
  if (address == nullptr || bytes == 0) return result(cudaErrorInvalidValue);
  switch (pinned_memory().add(address, bytes)) {
    case Memory::Registered::already: return result(cudaErrorHostMemoryAlreadyRegistered);
    case Memory::Registered::full: return result(cudaErrorMemoryAllocation);
    case Memory::Registered::yes: break;
  }
  return result(cudaSuccess);
}
cudaError_t cudaHostUnregister(void* address) {
  pinned_memory().remove(address);
  return result(cudaSuccess);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  if (kind != cudaMemcpyHostToDevice) broken("only copies to the device are asynchronous here");
  if (device_memory().find(to, bytes) == 0) return result(cudaErrorInvalidValue);
  const double rate = settings().h2d_gbps;
  if (pinned_memory().find(from, bytes) == 0) {
    // Pageable: staged, and back when the source may be used again; in the order of the stream.
    const double slow = settings().pageable_gbps > 0 ? settings().pageable_gbps : rate;
    stream_of(stream).synchronize();
    const int error = queue_work(stream, {{to, bytes, true}}, "a copy", [=] { copy_at(slow, to, from, bytes); });
    stream_of(stream).synchronize();
    return result(static_cast<cudaError_t>(error));
  }
  return result(static_cast<cudaError_t>(queue_work(stream, {{to, bytes, true}}, "a copy", [=, before = hash_of(from, bytes)] {
    copy_at(rate, to, from, bytes);
    if (hash_of(from, bytes) != before) broken("a pinned buffer was written to before its copy ended");
  })));
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const void* device = kind == cudaMemcpyHostToDevice ? to : from;
  const auto block = device_memory().find(device, bytes);
  if (block == 0) return result(cudaErrorInvalidValue);
  if (sticky_error() != 0) return result(cudaSuccess);
  device_memory().use(block, host_actor, host_moment(), kind == cudaMemcpyHostToDevice, "cudaMemcpy");
  std::memcpy(to, from, bytes);
  return result(cudaSuccess);
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  if (device_memory().find(to, bytes) == 0) return result(cudaErrorInvalidValue);
  return result(static_cast<cudaError_t>(queue_work(stream, {{to, bytes, true}}, "a memset", [=] { std::memset(to, value, bytes); })));
}

// --- streams and events

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  if (machine() != cudaSuccess) return result(machine());
  *stream = reinterpret_cast<cudaStream_t>(new Stream);
  return result(cudaSuccess);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete reinterpret_cast<Stream*>(stream);
  return result(cudaSuccess);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  stream_of(stream).synchronize();
  return result(cudaSuccess);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  stream_of(stream).wait(event_of(event).mark());
  return result(cudaSuccess);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  if (machine() != cudaSuccess) return result(machine());
  *event = reinterpret_cast<cudaEvent_t>(new Event);
  return result(cudaSuccess);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete reinterpret_cast<Event*>(event);
  return result(cudaSuccess);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  event_of(event).record(stream_of(stream));
  return result(cudaSuccess);
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  const auto mark = event_of(event).mark();
  return result(mark == nullptr || done(*mark) ? cudaSuccess : cudaErrorNotReady);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (const auto mark = event_of(event).mark()) host_wait(*mark);
  return result(cudaSuccess);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  const auto from = event_of(begin).mark(), to = event_of(end).mark();
  if (from == nullptr || to == nullptr) return result(cudaErrorInvalidResourceHandle);
  if (!done(*from) || !done(*to)) return result(sticky_error() != 0 ? cudaSuccess : cudaErrorNotReady);
  // A float of milliseconds in steps of half a microsecond, as on a GPU.
  const double half_us = static_cast<double>((to->time_ns - from->time_ns) / 500);
  *milliseconds = static_cast<float>(half_us * 0.0005);
  return result(cudaSuccess);
}

}  // extern "C"
