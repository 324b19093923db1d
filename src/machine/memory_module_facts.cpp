#include <fmt/format.h>

#include <set>

#include "core/counted.hpp"
#include "machine/facts.hpp"
#include "machine/smbios.hpp"

namespace feedtune {
namespace {

const std::string dmi_table = "/sys/firmware/dmi/tables/DMI";
const std::string edac_folder = "/sys/devices/system/edac/mc";

constexpr const char* module_facts[] = {"memory_slots",   "memory_slots_populated", "memory_channels", "memory_channels_populated",
                                        "memory_modules", "memory_slots_empty",     "memory_type",     "memory_rated_mts",
                                        "memory_mts"};

std::string name_of(const MemoryDevice& device) {
  if (device.locator.empty()) return device.bank_locator.empty() ? "unnamed" : device.bank_locator;
  const bool adds = !device.bank_locator.empty() && device.bank_locator.find("CHANNEL") != std::string::npos;
  return adds ? device.bank_locator + " " + device.locator : device.locator;
}

std::string size_text(const MemoryDevice& device) {
  if (!device.bytes) return "unknown size";
  return *device.bytes % (std::uint64_t{1} << 30) == 0 ? fmt::format("{} GiB", *device.bytes >> 30) : fmt::format("{} MiB", *device.bytes >> 20);
}

/// The least of what the modules say: they all run at the slowest one's speed.
Fact least(const std::vector<MemoryDevice>& devices, std::optional<int> MemoryDevice::* speed) {
  std::optional<std::int64_t> lowest;
  for (const auto& device : devices)
    if (device.populated() && device.*speed && (!lowest || *(device.*speed) < *lowest)) lowest = *(device.*speed);
  return integer_fact(lowest, dmi_table, "the firmware does not say");
}

void add_channels(const std::vector<MemoryDevice>& devices, FactMap& facts) {
  std::set<std::string> all, populated;
  for (const auto& device : devices) {
    const auto channel = memory_channel(device);
    if (!channel) {
      const auto unknown = unknown_fact(dmi_table, fmt::format("'{}' names no channel", name_of(device)));
      facts["memory_channels"] = facts["memory_channels_populated"] = unknown;
      return;
    }
    all.insert(*channel);
    if (device.populated()) populated.insert(*channel);
  }
  facts["memory_channels"] = known(static_cast<std::int64_t>(all.size()), dmi_table);
  facts["memory_channels_populated"] = known(static_cast<std::int64_t>(populated.size()), dmi_table);
}

void add_from_smbios(const std::vector<MemoryDevice>& devices, FactMap& facts) {
  std::string modules, empty, types;
  std::int64_t populated = 0;
  for (const auto& device : devices) {
    auto& list = device.populated() ? modules : empty;
    list += (list.empty() ? "" : ", ") + name_of(device);
    if (!device.populated()) continue;
    ++populated;
    list += " " + size_text(device);
    if (!device.type.empty() && types.find(device.type) == std::string::npos) types += (types.empty() ? "" : ", ") + device.type;
  }
  facts["memory_slots"] = known(static_cast<std::int64_t>(devices.size()), dmi_table);
  facts["memory_slots_populated"] = known(populated, dmi_table);
  add_channels(devices, facts);
  facts["memory_modules"] = known(modules.empty() ? "none" : modules, dmi_table);
  facts["memory_slots_empty"] = known(empty.empty() ? "none" : empty, dmi_table);
  facts["memory_type"] = types.empty() ? unknown_fact(dmi_table, "the firmware does not say") : known(types, dmi_table);
  facts["memory_rated_mts"] = least(devices, &MemoryDevice::rated_mts);
  facts["memory_mts"] = least(devices, &MemoryDevice::configured_mts);
}

/// What the kernel's error reporting knows where the table can't be read: populated modules and their channels, of
/// machines with ECC memory and a driver for it. Empty slots are not in it.
void add_from_edac(const Root& root, FactMap& facts) {
  std::int64_t modules = 0;
  std::set<std::string> channels;
  for (const auto& controller : root.list(edac_folder)) {
    for (const auto& name : root.list(edac_folder + "/" + controller)) {
      const auto location = root.read_line(edac_folder + "/" + controller + "/" + name + "/dimm_location");  // "channel 0 slot 1"
      if (!location || location->rfind("channel ", 0) != 0) continue;
      ++modules;
      channels.insert(controller + " " + location->substr(0, location->find(' ', 8)));
    }
  }
  if (modules == 0) return;
  facts["memory_slots_populated"] = known(modules, edac_folder);
  facts["memory_channels_populated"] = known(static_cast<std::int64_t>(channels.size()), edac_folder);
}

}  // namespace

void add_memory_module_facts(const Root& root, FactMap& facts) {
  const auto table = root.read(dmi_table);
  std::string reason;
  if (!table) {
    reason = root.exists(dmi_table) ? "only root may read it" : "there is no such table (a virtual machine, a container or no SMBIOS)";
  } else {
    const auto memory = read_smbios_memory(*table);
    if (memory.problem.empty()) return add_from_smbios(memory.devices, facts);
    reason = memory.problem;
  }
  for (const char* name : module_facts) facts[name] = unknown_fact(dmi_table, reason);
  add_from_edac(root, facts);
}

}  // namespace feedtune
