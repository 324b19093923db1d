#include "machine/fingerprint.hpp"

#include <span>
#include <string>

#include "machine/facts.hpp"
#include "machine/keyed_hash.hpp"

namespace feedtune {
namespace {

constexpr const char* purpose = "feedtune machine id, version 1";

constexpr const char* hardware[] = {"architecture", "cpu_model", "cpu_simd", "sockets",    "cores",    "threads",
                                    "smt",          "l1d_bytes", "l2_bytes", "l3_bytes",   "l3_caches", "numa_nodes",
                                    "hypervisor",   "gpus",      "gpu_models"};
constexpr const char* software[] = {"kernel",      "os",    "cpu_microcode",          "mitigations", "governor", "frequency_driver",
                                    "turbo",       "container", "cgroup_version", "transparent_huge_pages", "gpu_driver",  "bios"};

/// "name=value" lines; an unknown one is a line too: it makes a difference.
std::string lines_of(const FactMap& facts, std::span<const char* const> names) {
  std::string lines;
  for (const char* name : names) {
    const auto found = facts.find(name);
    const bool has_value = found != facts.end() && found->second.value;
    lines += std::string(name) + "=" + (has_value ? to_text(*found->second.value) : "") + "\n";
  }
  return lines;
}

/// In GiB, rounded: the kernel keeps a little for itself, more or less of it with every version.
std::string rounded_memory(const FactMap& facts) {
  const auto found = facts.find("memory_bytes");
  const auto* bytes = found != facts.end() && found->second.value ? std::get_if<std::int64_t>(&*found->second.value) : nullptr;
  return bytes == nullptr ? "" : std::to_string((*bytes + (std::int64_t{1} << 29)) >> 30);
}

std::string program_lines(const ToolFacts& tool) {
  std::string lines = "tool=" + tool.version + " " + tool.commit + " " + tool.compiler + " " + tool.build_type + "\n";
  for (const auto& [name, version] : tool.libraries) lines += "library " + name + "=" + version + "\n";
  return lines;
}

Fact machine_id(const Root& root) {
  for (const char* source : {"/etc/machine-id", "/var/lib/dbus/machine-id"}) {
    const auto id = root.read_line(source);
    if (!id) continue;
    // machine-id(5): 32 hexadecimal digits; before the first boot "uninitialized" or nothing.
    if (id->size() != 32 || id->find_first_not_of("0123456789abcdef") != std::string::npos)
      return unknown_fact(source, "holds no machine id");
    return known(keyed_hash(*id, purpose), std::string("keyed hash of ") + source);
  }
  return unknown_fact("/etc/machine-id", "not there (a container?)");
}

}  // namespace

void add_fingerprint(MachineFacts& machine, const DeviceFacts& device, const ToolFacts& tool, const Root& root) {
  FactMap& facts = machine.facts;
  facts["machine_id"] = machine_id(root);
  facts["hardware_hash"] =
      known(keyed_hash("hardware", lines_of(facts, hardware) + "memory_gib=" + rounded_memory(facts) + "\ndevice=" + device.title + "\n"),
            "processor, memory size, GPU");
  facts["software_hash"] = known(keyed_hash("software", lines_of(facts, software) + program_lines(tool)),
                                 "kernel, system settings, driver, libraries, feedtune");
}

}  // namespace feedtune
