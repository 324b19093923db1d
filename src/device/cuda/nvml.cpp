#include "device/cuda/nvml.hpp"

#include <dlfcn.h>

#include <utility>

namespace feedtune::cuda {
namespace {

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

struct ThrottleReason {
  unsigned long long bit;
  const char* name;
};
/// nvmlClocksThrottleReason*, in words.
constexpr ThrottleReason throttle_reasons[] = {
    {0x1, "gpu_idle"},          {0x2, "applications_clocks_setting"}, {0x4, "sw_power_cap"},
    {0x8, "hw_slowdown"},       {0x10, "sync_boost"},                 {0x20, "sw_thermal_slowdown"},
    {0x40, "hw_thermal_slowdown"}, {0x80, "hw_power_brake_slowdown"}, {0x100, "display_clock_setting"}};

template <class F>
F* find(void* library, const char* name) {
  return library == nullptr ? nullptr : reinterpret_cast<F*>(::dlsym(library, name));
}

struct Library {
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
  Result (*mig)(Handle, unsigned*, unsigned*) = find<Result(Handle, unsigned*, unsigned*)>(handle, "nvmlDeviceGetMigMode");
};

class NvmlMonitor final : public GpuMonitor {
 public:
  explicit NvmlMonitor(const std::string& pci_address) {
    reason_ = library_.missing;
    if (!reason_.empty()) return;
    if (library_.init == nullptr || library_.by_address == nullptr) {
      reason_ = "libnvidia-ml.so.1 lacks what is needed";
      return;
    }
    Result result = library_.init();
    if (result == success) result = library_.by_address(pci_address.c_str(), &gpu_);
    if (result != success) reason_ = text(result);
  }

  GpuSample sample() override {
    GpuSample now;
    const auto read = [&](const char* field, auto function, auto&&... arguments) {
      return ask(now.unknown, field, function, std::forward<decltype(arguments)>(arguments)...);
    };
    Utilization use{};
    if (read("utilization", library_.utilization, &use)) now.utilization = use.gpu / 100.0;
    unsigned value = 0;
    if (read("sm_mhz", library_.clock, clock_sm, &value)) now.sm_mhz = value;
    if (read("memory_mhz", library_.clock, clock_memory, &value)) now.memory_mhz = value;
    if (read("temperature_c", library_.temperature, sensor_gpu, &value)) now.temperature_c = value;
    if (read("power_w", library_.power, &value)) now.power_w = value / 1000.0;
    Memory memory{};
    if (read("memory_used_bytes", library_.memory, &memory)) now.memory_used_bytes = static_cast<std::int64_t>(memory.used);
    if (read("pcie_generation", library_.generation, &value)) now.pcie_generation = value;
    if (read("pcie_width", library_.width, &value)) now.pcie_width = value;
    unsigned long long bits = 0;
    if (read("throttled", library_.throttle, &bits)) {
      now.throttled_by.emplace();
      for (const ThrottleReason& reason : throttle_reasons)
        if ((bits & reason.bit) != 0) now.throttled_by->push_back(reason.name);
    }
    return now;
  }

  GpuLimits limits() override {
    GpuLimits limits;
    unsigned value = 0, pending = 0;
    if (ask(limits.unknown, "pcie_generation_max", library_.generation_max, &value)) limits.pcie_generation_max = value;
    if (ask(limits.unknown, "pcie_width_max", library_.width_max, &value)) limits.pcie_width_max = value;
    if (ask(limits.unknown, "mig", library_.mig, &value, &pending)) limits.mig = value != 0;
    return limits;
  }

 private:
  /// False, with the reason under `field`, where the answer isn't to be had.
  template <class F, class... A>
  bool ask(std::map<std::string, std::string>& unknown, const char* field, F function, A... arguments) {
    if (!reason_.empty() || function == nullptr) {
      unknown[field] = reason_.empty() ? "this driver's NVML lacks it" : reason_;
      return false;
    }
    const Result result = function(gpu_, arguments...);
    if (result == success) return true;
    unknown[field] = text(result);
    return false;
  }
  std::string text(Result result) const {
    const char* words = library_.error_text == nullptr ? nullptr : library_.error_text(result);
    return words == nullptr ? "NVML: error " + std::to_string(result) : "NVML: " + std::string(words);
  }

  Library library_;
  Handle gpu_ = nullptr;
  std::string reason_;
};

}  // namespace

std::shared_ptr<GpuMonitor> make_nvml_monitor(const std::string& pci_address) { return std::make_shared<NvmlMonitor>(pci_address); }

}  // namespace feedtune::cuda
