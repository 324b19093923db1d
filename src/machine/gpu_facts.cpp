// NVIDIA GPUs as the kernel shows them, without starting CUDA: so also those that CUDA cannot use.
#include <algorithm>

#include "core/kernel_text.hpp"
#include "machine/facts.hpp"

namespace feedtune {
namespace {

const std::string pci_folder = "/sys/bus/pci/devices";
const std::string driver_folder = "/proc/driver/nvidia";
const std::string windows_gpu = "/dev/dxg";  // WSL hands the GPU through; the driver is that of Windows

/// Folders of NVIDIA's (vendor 0x10de) display and 3D controllers (PCI class 0x03), by address.
std::vector<std::string> gpu_folders(const Root& root) {
  std::vector<std::string> folders;
  for (const auto& address : root.list(pci_folder)) {
    const auto folder = pci_folder + "/" + address;
    if (root.read_line(folder + "/vendor") == "0x10de" && root.read_line(folder + "/class").value_or("").rfind("0x03", 0) == 0)
      folders.push_back(folder);
  }
  return folders;
}

/// "535.104.05" in "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 ...".
std::optional<std::string> driver_version(const std::string& text) {
  for (const auto word : split(text.substr(0, text.find('\n')), " ")) {
    const bool version = word.find('.') != std::string_view::npos && word.find_first_not_of("0123456789.") == std::string_view::npos &&
                         word.front() != '.';
    if (version) return std::string(word);
  }
  return std::nullopt;
}

void add_driver(const Root& root, FactMap& facts) {
  const std::string source = driver_folder + "/version";
  const auto text = root.read(source);
  const bool windows = root.exists(windows_gpu);
  facts["gpu_driver"] = text_fact(text ? driver_version(*text) : std::nullopt, source,
                                  text ? "no version in it" : windows ? "the driver is that of Windows (WSL)" : "no NVIDIA driver is loaded");
  std::set<std::string> models;
  for (const auto& gpu : root.list(driver_folder + "/gpus")) {
    const auto information = root.read(driver_folder + "/gpus/" + gpu + "/information");
    const auto model = information ? find_value(*information, "Model", ':') : std::nullopt;
    if (model) models.insert(std::string(*model));
  }
  facts["gpu_models"] = list_fact(models, driver_folder + "/gpus", "the driver shows none");
}

/// GPU instances of all GPUs (NVIDIA's multi-instance mode), as the driver lists what may be used here.
void add_mig(const Root& root, FactMap& facts) {
  const std::string source = driver_folder + "/capabilities";
  if (!root.exists(source)) {
    facts["gpu_mig_slices"] = unknown_fact(source, "not there (no driver, or one before MIG)");
    return;
  }
  std::int64_t slices = 0;
  for (const auto& gpu : root.list(source)) {
    const auto names = root.list(source + "/" + gpu + "/mig");
    slices += std::count_if(names.begin(), names.end(), [](const std::string& name) { return name.rfind("gi", 0) == 0; });
  }
  facts["gpu_mig_slices"] = known(slices, source);
}

/// "16.0 GT/s x16", each different one once.
Fact links(const Root& root, const std::vector<std::string>& gpus, const std::string& which) {
  std::set<std::string> found;
  for (const auto& gpu : gpus) {
    const auto speed = root.read_line(gpu + "/" + which + "_link_speed");  // "16.0 GT/s PCIe"
    const auto width = root.read_integer(gpu + "/" + which + "_link_width");
    const auto end = speed ? speed->find("GT/s") : std::string::npos;
    if (end == std::string::npos || !width || *width < 1) continue;
    found.insert(speed->substr(0, end + 4) + " x" + std::to_string(*width));
  }
  return list_fact(found, pci_folder + "/*/" + which + "_link_speed", gpus.empty() ? "no NVIDIA GPU" : "the bus does not say (a virtual machine?)");
}

void add_place(const Root& root, const std::vector<std::string>& gpus, FactMap& facts) {
  std::set<std::string> nodes, cpus;
  for (const auto& gpu : gpus) {
    const auto node = root.read_integer(gpu + "/numa_node");  // -1: the firmware does not say
    if (node && *node >= 0) nodes.insert(std::to_string(*node));
    const auto list = root.read_line(gpu + "/local_cpulist");
    if (list && parse_cpu_list(*list)) cpus.insert(*list);
  }
  const std::string reason = gpus.empty() ? "no NVIDIA GPU" : "the firmware does not say";
  facts["gpu_numa_nodes"] = list_fact(nodes, pci_folder + "/*/numa_node", reason);
  // Of several GPUs on several nodes no one list is right.
  facts["gpu_local_cpus"] = cpus.size() > 1 ? unknown_fact(pci_folder + "/*/local_cpulist", "the GPUs lie on several nodes")
                                            : list_fact(cpus, pci_folder + "/*/local_cpulist", reason);
}

}  // namespace

void add_gpu_facts(const Root& root, FactMap& facts) {
  const auto gpus = gpu_folders(root);
  const bool windows = root.exists(windows_gpu), known_count = root.exists(pci_folder) && !windows;
  facts["gpus"] = integer_fact(known_count ? std::optional<std::int64_t>(gpus.size()) : std::nullopt, pci_folder,
                               windows ? "the GPU is not on this bus (WSL)" : "no PCI bus is shown");
  add_driver(root, facts);
  add_mig(root, facts);
  add_place(root, gpus, facts);
  facts["gpu_pcie_link"] = links(root, gpus, "current");
  facts["gpu_pcie_link_max"] = links(root, gpus, "max");
}

}  // namespace feedtune
