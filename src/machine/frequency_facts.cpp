#include "machine/cpu_folders.hpp"
#include "machine/facts.hpp"

namespace feedtune {
namespace {

const std::string cpufreq = "/sys/devices/system/cpu/cpu*/cpufreq/";
constexpr const char* no_cpufreq = "no cpufreq here (a virtual machine, or no driver)";

/// The highest of what the CPUs say in kHz: cores of one machine may differ.
Fact highest_mhz(const Root& root, const std::string& file) {
  std::optional<std::int64_t> highest;
  for (const auto& value : cpu_values(root, "/cpufreq/" + file)) {
    const auto khz = parse_integer(value);
    if (khz && *khz > 0 && (!highest || *khz / 1000 > *highest)) highest = *khz / 1000;
  }
  return integer_fact(highest, cpufreq + file, no_cpufreq);
}

Fact names(const Root& root, const std::string& file) {
  return list_fact(cpu_values(root, "/cpufreq/" + file), cpufreq + file, no_cpufreq);
}

Fact turbo(const Root& root) {
  const std::string boost = "/sys/devices/system/cpu/cpufreq/boost", no_turbo = "/sys/devices/system/cpu/intel_pstate/no_turbo";
  if (const auto on = root.read_integer(boost)) return known(std::string(*on != 0 ? "on" : "off"), boost);
  if (const auto off = root.read_integer(no_turbo)) return known(std::string(*off != 0 ? "off" : "on"), no_turbo);
  return unknown_fact(boost, no_cpufreq);
}

}  // namespace

void add_frequency_facts(const Root& root, FactMap& facts) {
  facts["governor"] = names(root, "scaling_governor");
  facts["frequency_driver"] = names(root, "scaling_driver");
  facts["cpu_max_mhz"] = highest_mhz(root, "cpuinfo_max_freq");
  facts["cpu_base_mhz"] = highest_mhz(root, "base_frequency");
  facts["turbo"] = turbo(root);
}

}  // namespace feedtune
