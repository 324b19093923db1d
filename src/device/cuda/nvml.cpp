#include "device/cuda/nvml.hpp"

#include <utility>

#include "device/cuda/nvml_gpu.hpp"

namespace feedtune::cuda {
namespace {

using namespace nvml;

struct ThrottleReason {
  unsigned long long bit;
  const char* name;
};
/// nvmlClocksThrottleReason*, in words.
constexpr ThrottleReason throttle_reasons[] = {
    {0x1, "gpu_idle"},          {0x2, "applications_clocks_setting"}, {0x4, "sw_power_cap"},
    {0x8, "hw_slowdown"},       {0x10, "sync_boost"},                 {0x20, "sw_thermal_slowdown"},
    {0x40, "hw_thermal_slowdown"}, {0x80, "hw_power_brake_slowdown"}, {0x100, "display_clock_setting"}};

class NvmlMonitor final : public GpuMonitor {
 public:
  explicit NvmlMonitor(const std::string& pci_address) : gpu_(pci_address) {}

  GpuSample sample() override {
    GpuSample now;
    const auto read = [&](const char* field, auto function, auto&&... arguments) {
      return ask(now.unknown, field, function, std::forward<decltype(arguments)>(arguments)...);
    };
    Utilization use{};
    if (read("utilization", gpu_.library.utilization, &use)) now.utilization = use.gpu / 100.0;
    unsigned value = 0;
    if (read("sm_mhz", gpu_.library.clock, clock_sm, &value)) now.sm_mhz = value;
    if (read("memory_mhz", gpu_.library.clock, clock_memory, &value)) now.memory_mhz = value;
    if (read("temperature_c", gpu_.library.temperature, sensor_gpu, &value)) now.temperature_c = value;
    if (read("power_w", gpu_.library.power, &value)) now.power_w = value / 1000.0;
    Memory memory{};
    if (read("memory_used_bytes", gpu_.library.memory, &memory)) now.memory_used_bytes = static_cast<std::int64_t>(memory.used);
    if (read("pcie_generation", gpu_.library.generation, &value)) now.pcie_generation = value;
    if (read("pcie_width", gpu_.library.width, &value)) now.pcie_width = value;
    unsigned long long bits = 0;
    if (read("throttled", gpu_.library.throttle, &bits)) {
      now.throttled_by.emplace();
      for (const ThrottleReason& reason : throttle_reasons)
        if ((bits & reason.bit) != 0) now.throttled_by->push_back(reason.name);
    }
    return now;
  }

  GpuLimits limits() override {
    GpuLimits limits;
    unsigned value = 0, pending = 0;
    if (ask(limits.unknown, "pcie_generation_max", gpu_.library.generation_max, &value)) limits.pcie_generation_max = value;
    if (ask(limits.unknown, "pcie_width_max", gpu_.library.width_max, &value)) limits.pcie_width_max = value;
    if (ask(limits.unknown, "mig", gpu_.library.mig, &value, &pending)) limits.mig = value != 0;
    return limits;
  }

 private:
  /// False, with the reason under `field`, where the answer isn't to be had.
  template <class F, class... A>
  bool ask(std::map<std::string, std::string>& unknown, const char* field, F function, A... arguments) {
    const std::string reason = gpu_.ask(function, arguments...);
    if (!reason.empty()) unknown[field] = reason;
    return reason.empty();
  }

  NvmlGpu gpu_;
};

}  // namespace

std::shared_ptr<GpuMonitor> make_nvml_monitor(const std::string& pci_address) { return std::make_shared<NvmlMonitor>(pci_address); }

}  // namespace feedtune::cuda
