#include <sys/utsname.h>

#include <algorithm>

#include "machine/facts.hpp"

#if defined(__x86_64__)
#include <cpuid.h>

#include <cstring>
#endif

namespace feedtune {
namespace {

const std::string cpuinfo_path = "/proc/cpuinfo";

using Text = std::optional<std::string>;

Text cpuinfo_value(const Text& cpuinfo, std::string_view key) {
  const auto value = cpuinfo ? find_value(*cpuinfo, key, ':') : std::nullopt;
  return value ? Text(std::string(*value)) : std::nullopt;
}

/// Words of "flags" (x86) or "Features" (ARM).
std::vector<std::string_view> flags_of(const Text& flags) { return flags ? split(*flags, " ") : std::vector<std::string_view>(); }

bool holds(const std::vector<std::string_view>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// x86 kernels print a name; ARM's print who made the core and its number (Arm's MIDR_EL1).
void add_model(const Text& cpuinfo, FactMap& facts) {
  Text model = cpuinfo_value(cpuinfo, "model name");
  if (!model) {
    const auto implementer = cpuinfo_value(cpuinfo, "CPU implementer");
    const auto part = cpuinfo_value(cpuinfo, "CPU part");
    if (implementer && part) model = "ARM implementer " + *implementer + " part " + *part;
  }
  facts["cpu_model"] = text_fact(model, cpuinfo_path, cpuinfo ? "neither a model name nor an ARM part in it" : "can't be read");
}

void add_architecture(const Root& root, FactMap& facts) {
  const std::string source = "/proc/sys/kernel/arch";  // since Linux 6.1
  if (const auto name = root.read_line(source); name || !root.is_this_machine()) {
    facts["architecture"] = text_fact(name, source, "can't be read");
    return;
  }
  utsname names{};
  facts["architecture"] = ::uname(&names) == 0 ? known(std::string(names.machine), "uname") : unknown_fact("uname", "refused");
}

/// The widest vector instructions that pixel code can use, as the kernel names them.
void add_simd(const Text& cpuinfo, const Text& flags, FactMap& facts) {
  if (!flags) {
    facts["cpu_simd"] = unknown_fact(cpuinfo_path, cpuinfo ? "no flags in it" : "can't be read");
    return;
  }
  const auto words = flags_of(flags);
  for (const char* name : {"avx512bw", "avx2", "avx", "sse4_2", "sse2", "sve2", "sve", "asimd"}) {
    if (!holds(words, name)) continue;
    facts["cpu_simd"] = known(std::string(name), cpuinfo_path);
    return;
  }
  facts["cpu_simd"] = known(std::string("none"), cpuinfo_path);
}

/// Of the kernel's list of processor faults: which are worked around (that costs time), which are open.
void add_mitigations(const Root& root, FactMap& facts) {
  const std::string source = "/sys/devices/system/cpu/vulnerabilities";
  std::set<std::string> mitigated, open;
  const auto names = root.list(source);
  for (const auto& name : names) {
    const auto state = root.read_line(source + "/" + name).value_or("");
    if (state.rfind("Mitigation", 0) == 0) mitigated.insert(name);
    if (state.rfind("Vulnerable", 0) == 0) open.insert(name);
  }
  const auto list = [&](const std::set<std::string>& found) {
    if (names.empty()) return unknown_fact(source, "not there (a kernel before 4.15, or no access)");
    return found.empty() ? known(std::string("none"), source) : list_fact(found, source, "");
  };
  facts["mitigations"] = list(mitigated);
  facts["vulnerabilities"] = list(open);
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

void add_hypervisor(const Root& root, const Text& flags, FactMap& facts) {
  if (const auto type = root.read_line("/sys/hypervisor/type"); type && !type->empty()) {
    facts["hypervisor"] = text_fact(type, "/sys/hypervisor/type", "");
    return;
  }
  if (!flags) {
    facts["hypervisor"] = unknown_fact(cpuinfo_path, "no flags to tell by");
    return;
  }
  if (!holds(flags_of(flags), "hypervisor")) {
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
  const auto x86_flags = cpuinfo_value(cpuinfo, "flags");
  add_architecture(root, facts);
  add_model(cpuinfo, facts);
  add_simd(cpuinfo, x86_flags ? x86_flags : cpuinfo_value(cpuinfo, "Features"), facts);
  facts["cpu_microcode"] = text_fact(cpuinfo_value(cpuinfo, "microcode"), cpuinfo_path, cpuinfo ? "no microcode version in it" : "can't be read");
  add_mitigations(root, facts);
  add_hypervisor(root, x86_flags, facts);
}

}  // namespace feedtune
