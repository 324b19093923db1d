#include "device/cuda/cuda_device.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <string_view>

#include "core/error.hpp"
#include "device/cuda/cuda_error.hpp"
#include "device/cuda/cuda_math.hpp"
#include "device/cuda/cuda_memory.hpp"
#include "device/cuda/cuda_stream.hpp"
#include "device/cuda/nvml.hpp"

namespace feedtune::cuda {
namespace {

constexpr int device_number = 0;  // CUDA_VISIBLE_DEVICES chooses

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

/// FNV-1a, 64 bits.
std::string hash_of(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

DeviceFacts facts_of(const cudaDeviceProp& properties) {
  DeviceFacts facts;
  facts.name = "cuda";
  facts.title = properties.name;
  facts.fake = facts.title == "fake";  // tests/fake_cuda: its times are no GPU's
  facts.copies = true;
  facts.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  facts.precisions = {"fp32", "fp16"};
  if (properties.major >= 8) facts.precisions = {"fp32", "tf32", "bf16", "fp16"};
  facts.pci_address = fmt::format("{:04x}:{:02x}:{:02x}.0", properties.pciDomainID, properties.pciBusID, properties.pciDeviceID);
  facts.uuid_hash = hash_of({properties.uuid.bytes, sizeof properties.uuid.bytes});
  return facts;
}

/// What stands still, of the runtime and the driver.
std::map<std::string, Fact> still_facts(const cudaDeviceProp& properties, int driver, int runtime) {
  char address[32] = "";
  const bool placed = cudaDeviceGetPCIBusId(address, sizeof address, device_number) == cudaSuccess;
  std::map<std::string, Fact> facts = nvml_facts(placed ? address : "");
  const auto add = [&](const char* name, AxisValue value) { facts[name] = {.value = std::move(value), .source = "CUDA runtime", .reason = ""}; };
  add("cuda_driver", version_text(driver));
  add("cuda_runtime", version_text(runtime));
  add("compute_capability", fmt::format("{}.{}", properties.major, properties.minor));
  add("multiprocessors", static_cast<std::int64_t>(properties.multiProcessorCount));
  return facts;
}

class CudaDevice final : public Device {
 public:
  CudaDevice(std::shared_ptr<Clock> clock, std::shared_ptr<HostAllocator> pageable, const cudaDeviceProp& properties)
      : facts_(facts_of(properties)), memory_(device_number, std::move(pageable)), math_(properties.major) {
    const OwnedStream stream = cuda::create_stream();
    timeline_ = std::make_shared<CudaTimeline>(std::move(clock), stream.get());
  }
  const DeviceFacts& facts() const override { return facts_; }
  DeviceMemory& memory() override { return memory_; }
  std::unique_ptr<Stream> create_stream() override { return std::make_unique<CudaStream>(timeline_); }
  std::unique_ptr<Event> create_event() override { return std::make_unique<CudaEvent>(timeline_); }
  DeviceMath& math() override { return math_; }
  std::shared_ptr<GpuMonitor> monitor() override {
    char address[32] = "";
    check(cudaDeviceGetPCIBusId(address, sizeof address, device_number), "asking for the device's PCI address");
    return make_nvml_monitor(address);
  }

 private:
  DeviceFacts facts_;
  CudaMemory memory_;
  CudaMath math_;
  std::shared_ptr<CudaTimeline> timeline_;
};

CudaStatus failed(cudaError_t error) {
  return {CudaAbsence::failed, fmt::format("CUDA: {} ({})", cudaGetErrorString(error), cudaGetErrorName(error)), {}};
}

}  // namespace

CudaStatus status() {
  int driver = 0, runtime = 0;
  (void)cudaRuntimeGetVersion(&runtime);
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
    (void)cudaGetLastError();
    return {CudaAbsence::no_driver, "no NVIDIA driver (libcuda.so.1 was not found or did not start)", {}};
  }
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  cudaDeviceProp properties{};
  if (error == cudaSuccess && count > 0) {
    const cudaError_t asked = cudaGetDeviceProperties(&properties, device_number);
    if (asked == cudaSuccess) {
      DeviceFacts facts = facts_of(properties);
      facts.facts = still_facts(properties, driver, runtime);
      return {CudaAbsence::none, "", std::move(facts)};
    }
    return failed(asked);
  }
  (void)cudaGetLastError();
  if (error == cudaErrorInsufficientDriver)
    return {CudaAbsence::driver_too_old, fmt::format("the NVIDIA driver is too old: it serves CUDA {}, this build needs {}",
                                                     version_text(driver), version_text(runtime)), {}};
  if (error == cudaSuccess || error == cudaErrorNoDevice) return {CudaAbsence::no_device, "the NVIDIA driver shows no GPU", {}};
  return failed(error);
}

std::unique_ptr<Device> make_cuda_device(std::shared_ptr<Clock> clock, std::shared_ptr<HostAllocator> pageable) {
  if (const CudaStatus now = status(); now.absence != CudaAbsence::none) throw DeviceUnavailableError("cuda", now.reason);
  check(cudaSetDevice(device_number), "choosing the device");
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device_number), "asking for the device's properties");
  return std::make_unique<CudaDevice>(std::move(clock), std::move(pageable), properties);
}

}  // namespace feedtune::cuda
