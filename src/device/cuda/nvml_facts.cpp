#include "device/cuda/nvml.hpp"
#include "device/cuda/nvml_gpu.hpp"

namespace feedtune::cuda {
namespace {

using namespace nvml;

/// `reason` empty: the value; else unknown for it.
Fact fact(const std::string& reason, AxisValue value) {
  return {.value = reason.empty() ? std::optional(std::move(value)) : std::nullopt, .source = "NVML", .reason = reason};
}

Fact number(const std::string& reason, unsigned value) { return fact(reason, static_cast<std::int64_t>(value)); }
Fact state(const std::string& reason, bool on) { return fact(reason, std::string(on ? "on" : "off")); }

}  // namespace

std::map<std::string, Fact> nvml_facts(const std::string& pci_address) {
  const NvmlGpu gpu(pci_address);
  const NvmlLibrary& library = gpu.library;
  std::map<std::string, Fact> facts;
  const auto ask_number = [&](const char* name, auto function, auto... before) {
    unsigned value = 0;
    const std::string reason = gpu.ask(function, before..., &value);
    facts[name] = number(reason, value);
  };
  char driver[96] = "";
  const std::string no_driver = gpu.ask_system(library.driver, driver, static_cast<unsigned>(sizeof driver));
  facts["driver"] = fact(no_driver, std::string(driver));
  ask_number("sm_mhz_max", library.clock_max, clock_sm);
  ask_number("memory_mhz_max", library.clock_max, clock_memory);
  unsigned milliwatts = 0;
  const std::string no_limit = gpu.ask(library.power_limit, &milliwatts);
  facts["power_limit_w"] = number(no_limit, (milliwatts + 500) / 1000);
  int now = 0, pending = 0;
  const std::string no_ecc = gpu.ask(library.ecc, &now, &pending);
  facts["ecc"] = state(no_ecc, now != 0);
  const std::string no_persistence = gpu.ask(library.persistence, &now);
  facts["persistence"] = state(no_persistence, now != 0);
  unsigned mig = 0, mig_pending = 0;
  const std::string no_mig = gpu.ask(library.mig, &mig, &mig_pending);
  facts["mig"] = state(no_mig, mig != 0);
  ask_number("pcie_generation", library.generation);
  ask_number("pcie_width", library.width);
  ask_number("pcie_generation_max", library.generation_max);
  ask_number("pcie_width_max", library.width_max);
  return facts;
}

}  // namespace feedtune::cuda
