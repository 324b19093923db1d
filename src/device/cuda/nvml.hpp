#pragma once
// NVIDIA's management library, loaded when it is first asked: the GPU's own counters.

#include <map>
#include <memory>
#include <string>

#include "device/device.hpp"

namespace feedtune::cuda {

/// The counters of the GPU at that PCI address ("0000:65:00.0"). Where libnvidia-ml.so.1 or the GPU is not found, every value is
/// absent with the reason. Never throws.
std::shared_ptr<GpuMonitor> make_nvml_monitor(const std::string& pci_address);

/// What stands still: driver, clocks and power limits, ECC, MIG, PCIe link. Each with its source and a value or the reason why
/// it has none. Never throws.
std::map<std::string, Fact> nvml_facts(const std::string& pci_address);

}  // namespace feedtune::cuda
