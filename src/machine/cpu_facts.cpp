#include <algorithm>
#include <set>
#include <utility>

#include "core/kernel_text.hpp"
#include "machine/facts.hpp"

#if defined(__x86_64__)
#include <cpuid.h>

#include <cstring>
#endif

namespace feedtune {
namespace {

const std::string cpuinfo_path = "/proc/cpuinfo";
const std::string cpu_folder = "/sys/devices/system/cpu";

/// Names "cpu0", "cpu1", ... of the CPUs that are online (an offline one has no topology folder).
std::vector<std::string> cpu_names(const Root& root) {
  std::vector<std::string> names;
  for (const auto& name : root.list(cpu_folder))
    if (name.rfind("cpu", 0) == 0 && parse_integer(name.substr(3))) names.push_back(name);
  return names;
}

void add_topology(const Root& root, FactMap& facts) {
  std::set<std::int64_t> sockets;
  std::set<std::pair<std::int64_t, std::int64_t>> cores;
  std::int64_t threads = 0;
  for (const auto& name : cpu_names(root)) {
    const auto socket = root.read_integer(cpu_folder + "/" + name + "/topology/physical_package_id");
    const auto core = root.read_integer(cpu_folder + "/" + name + "/topology/core_id");
    if (!socket || !core) continue;
    sockets.insert(*socket);
    cores.emplace(*socket, *core);
    ++threads;
  }
  const std::string source = cpu_folder + "/cpu*/topology";
  const auto count = [&](std::size_t n) {
    return integer_fact(n > 0 ? std::optional<std::int64_t>(n) : std::nullopt, source, "can't be read");
  };
  facts["sockets"] = count(sockets.size());
  facts["cores"] = count(cores.size());
  facts["threads"] = count(static_cast<std::size_t>(threads));
}

void add_model(const std::optional<std::string>& cpuinfo, FactMap& facts) {
  const auto model = cpuinfo ? find_value(*cpuinfo, "model name", ':') : std::nullopt;
  facts["cpu_model"] = model ? known(std::string(*model), cpuinfo_path)
                             : unknown_fact(cpuinfo_path, cpuinfo ? "no model name (not an x86 machine?)" : "can't be read");
}

void add_governor(const Root& root, FactMap& facts) {
  const std::string source = cpu_folder + "/cpu*/cpufreq/scaling_governor";
  std::set<std::string> governors;
  for (const auto& name : cpu_names(root))
    if (const auto governor = root.read_line(cpu_folder + "/" + name + "/cpufreq/scaling_governor")) governors.insert(*governor);
  if (governors.empty()) {
    facts["governor"] = unknown_fact(source, "no cpufreq here (a virtual machine, or no driver)");
    return;
  }
  std::string all;
  for (const auto& governor : governors) all += (all.empty() ? "" : ", ") + governor;
  facts["governor"] = known(all, source);
}

void add_numa(const Root& root, FactMap& facts) {
  const std::string source = "/sys/devices/system/node/online";
  const auto text = root.read_line(source);
  const auto nodes = text ? parse_cpu_list(*text) : std::nullopt;
  facts["numa_nodes"] = integer_fact(nodes ? std::optional<std::int64_t>(nodes->size()) : std::nullopt, source,
                                     "can't be read (a kernel without NUMA)");
}

#if defined(__x86_64__)
/// The signature in CPUID leaf 0x40000000, e.g. "KVMKVMKVM": a register convention that all hypervisors keep.
std::string hypervisor_signature() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  __cpuid(0x40000000, eax, ebx, ecx, edx);
  char text[13] = {};
  std::memcpy(text, &ebx, 4);
  std::memcpy(text + 4, &ecx, 4);
  std::memcpy(text + 8, &edx, 4);
  std::string signature(text);
  const bool printable = std::all_of(signature.begin(), signature.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return printable ? std::string(trim(signature)) : "";
}
#endif

void add_hypervisor(const Root& root, const std::optional<std::string>& cpuinfo, FactMap& facts) {
  if (const auto type = root.read_line("/sys/hypervisor/type"); type && !type->empty()) {
    facts["hypervisor"] = known(*type, "/sys/hypervisor/type");
    return;
  }
  const auto flags = cpuinfo ? find_value(*cpuinfo, "flags", ':') : std::nullopt;
  if (!flags) {
    facts["hypervisor"] = unknown_fact(cpuinfo_path, "no flags to tell by");
    return;
  }
  const auto words = split(*flags, " ");
  if (std::find(words.begin(), words.end(), "hypervisor") == words.end()) {
    facts["hypervisor"] = known(std::string("none"), cpuinfo_path);
    return;
  }
#if defined(__x86_64__)
  if (root.is_this_machine()) {
    if (const auto signature = hypervisor_signature(); !signature.empty()) {
      facts["hypervisor"] = known(signature, "CPUID leaf 0x40000000");
      return;
    }
  }
#endif
  facts["hypervisor"] = known(std::string("unnamed"), cpuinfo_path);
}

}  // namespace

void add_cpu_facts(const Root& root, FactMap& facts) {
  const auto cpuinfo = root.read(cpuinfo_path);
  add_model(cpuinfo, facts);
  add_topology(root, facts);
  add_governor(root, facts);
  add_numa(root, facts);
  add_hypervisor(root, cpuinfo, facts);
}

}  // namespace feedtune
