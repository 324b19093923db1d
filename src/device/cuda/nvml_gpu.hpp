#pragma once
// One GPU as NVIDIA's management library knows it. The library is loaded when the first GPU is asked for, and stays.

#include <dlfcn.h>

#include <map>
#include <string>

namespace feedtune::cuda::nvml {

// The calls used, as NVIDIA's NVML API reference declares them.
using Result = int;
using Handle = struct NvmlDevice*;
constexpr Result success = 0;
struct Utilization {
  unsigned gpu, memory;  ///< per cent
};
struct Memory {
  unsigned long long total, available, used;  ///< bytes
};
constexpr int clock_sm = 1, clock_memory = 2, sensor_gpu = 0;

template <class F>
F* find(void* library, const char* name) {
  return library == nullptr ? nullptr : reinterpret_cast<F*>(::dlsym(library, name));
}

struct NvmlLibrary {
  void* handle = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  std::string missing = handle == nullptr ? "libnvidia-ml.so.1 was not found" : "";
  Result (*init)() = find<Result()>(handle, "nvmlInit_v2");
  const char* (*error_text)(Result) = find<const char*(Result)>(handle, "nvmlErrorString");
  Result (*by_address)(const char*, Handle*) = find<Result(const char*, Handle*)>(handle, "nvmlDeviceGetHandleByPciBusId_v2");
  Result (*utilization)(Handle, Utilization*) = find<Result(Handle, Utilization*)>(handle, "nvmlDeviceGetUtilizationRates");
  Result (*clock)(Handle, int, unsigned*) = find<Result(Handle, int, unsigned*)>(handle, "nvmlDeviceGetClockInfo");
  Result (*temperature)(Handle, int, unsigned*) = find<Result(Handle, int, unsigned*)>(handle, "nvmlDeviceGetTemperature");
  Result (*power)(Handle, unsigned*) = find<Result(Handle, unsigned*)>(handle, "nvmlDeviceGetPowerUsage");
  Result (*memory)(Handle, Memory*) = find<Result(Handle, Memory*)>(handle, "nvmlDeviceGetMemoryInfo");
  Result (*throttle)(Handle, unsigned long long*) =
      find<Result(Handle, unsigned long long*)>(handle, "nvmlDeviceGetCurrentClocksThrottleReasons");
  Result (*generation)(Handle, unsigned*) = find<Result(Handle, unsigned*)>(handle, "nvmlDeviceGetCurrPcieLinkGeneration");
  Result (*width)(Handle, unsigned*) = find<Result(Handle, unsigned*)>(handle, "nvmlDeviceGetCurrPcieLinkWidth");
  Result (*generation_max)(Handle, unsigned*) = find<Result(Handle, unsigned*)>(handle, "nvmlDeviceGetMaxPcieLinkGeneration");
  Result (*width_max)(Handle, unsigned*) = find<Result(Handle, unsigned*)>(handle, "nvmlDeviceGetMaxPcieLinkWidth");
  Result (*driver)(char*, unsigned) = find<Result(char*, unsigned)>(handle, "nvmlSystemGetDriverVersion");
  Result (*clock_max)(Handle, int, unsigned*) = find<Result(Handle, int, unsigned*)>(handle, "nvmlDeviceGetMaxClockInfo");
  Result (*power_limit)(Handle, unsigned*) = find<Result(Handle, unsigned*)>(handle, "nvmlDeviceGetEnforcedPowerLimit");
  Result (*ecc)(Handle, int*, int*) = find<Result(Handle, int*, int*)>(handle, "nvmlDeviceGetEccMode");
  Result (*persistence)(Handle, int*) = find<Result(Handle, int*)>(handle, "nvmlDeviceGetPersistenceMode");
  Result (*mig)(Handle, unsigned*, unsigned*) = find<Result(Handle, unsigned*, unsigned*)>(handle, "nvmlDeviceGetMigMode");
};

class NvmlGpu {
 public:
  /// At that PCI address ("0000:65:00.0"). Where the library or the GPU is not found, every question has the reason for an answer.
  explicit NvmlGpu(const std::string& pci_address) {
    reason_ = library.missing;
    if (!reason_.empty()) return;
    if (library.init == nullptr || library.by_address == nullptr) {
      reason_ = "libnvidia-ml.so.1 lacks what is needed";
      return;
    }
    Result result = library.init();
    if (result == success) result = library.by_address(pci_address.c_str(), &gpu_);
    if (result != success) reason_ = text(result);
  }

  /// Calls `function` with this GPU and `arguments`. Empty: it answered; else why not.
  template <class F, class... A>
  std::string ask(F function, A... arguments) const {
    return function == nullptr ? why_not() : why_not(function, gpu_, arguments...);
  }
  /// The same of a function that asks for no GPU.
  template <class F, class... A>
  std::string ask_system(F function, A... arguments) const {
    return function == nullptr ? why_not() : why_not(function, arguments...);
  }

  NvmlLibrary library;

 private:
  std::string why_not() const { return reason_.empty() ? "this driver's NVML lacks it" : reason_; }
  template <class F, class... A>
  std::string why_not(F function, A... arguments) const {
    if (!reason_.empty()) return reason_;
    const Result result = function(arguments...);
    return result == success ? "" : text(result);
  }
  std::string text(Result result) const {
    const char* words = library.error_text == nullptr ? nullptr : library.error_text(result);
    return words == nullptr ? "NVML: error " + std::to_string(result) : "NVML: " + std::string(words);
  }

  Handle gpu_ = nullptr;
  std::string reason_;
};

}  // namespace feedtune::cuda::nvml
