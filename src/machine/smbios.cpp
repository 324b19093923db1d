#include "machine/smbios.hpp"

#include <fmt/format.h>

#include <map>

#include "core/single_line.hpp"

namespace feedtune {
namespace {

constexpr std::size_t header_bytes = 4;
constexpr std::size_t longest_locator = 48;
constexpr int type_memory_array = 16, type_memory_device = 17, type_end = 127;
constexpr unsigned use_system_memory = 3;

/// One structure: its formatted area, and the strings behind it.
class Structure {
 public:
  Structure(std::string_view formatted, std::vector<std::string_view> strings) : formatted_(formatted), strings_(std::move(strings)) {}

  /// A little-endian number at `offset`; nothing where this (older) structure is shorter.
  std::optional<std::uint64_t> number(std::size_t offset, std::size_t bytes) const {
    if (offset + bytes > formatted_.size()) return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t i = bytes; i > 0; --i) value = value << 8 | static_cast<unsigned char>(formatted_[offset + i - 1]);
    return value;
  }
  int type() const { return static_cast<int>(*number(0, 1)); }
  std::uint64_t handle() const { return *number(2, 2); }
  /// The string whose number stands at `offset`; empty where there is none.
  std::string text(std::size_t offset) const {
    const auto index = number(offset, 1).value_or(0);
    if (index == 0 || index > strings_.size()) return "";
    return single_line(strings_[index - 1].substr(0, longest_locator));
  }

 private:
  std::string_view formatted_;
  std::vector<std::string_view> strings_;
};

/// The next structure, taken off the front of `rest`. Nothing where the table ends inside it.
std::optional<Structure> take_structure(std::string_view& rest) {
  if (rest.size() < header_bytes) return std::nullopt;
  const std::size_t length = static_cast<unsigned char>(rest[1]);
  if (length < header_bytes || length > rest.size()) return std::nullopt;
  const auto formatted = rest.substr(0, length);
  rest.remove_prefix(length);
  std::vector<std::string_view> strings;
  if (rest.size() >= 2 && rest[0] == '\0' && rest[1] == '\0') {  // no strings: two NULs
    rest.remove_prefix(2);
    return Structure(formatted, strings);
  }
  for (;;) {
    const auto end = rest.find('\0');
    if (end == std::string_view::npos) return std::nullopt;
    if (end > 0) strings.push_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
    if (end == 0) return Structure(formatted, strings);
  }
}

/// DSP0134 table 78; what this list lacks stays unnamed.
std::string type_name(std::uint64_t code) {
  static const std::map<std::uint64_t, const char*> names = {
      {0x12, "DDR"},    {0x13, "DDR2"},   {0x18, "DDR3"},   {0x1A, "DDR4"}, {0x1B, "LPDDR"}, {0x1C, "LPDDR2"}, {0x1D, "LPDDR3"},
      {0x1E, "LPDDR4"}, {0x20, "HBM"},    {0x21, "HBM2"},   {0x22, "DDR5"}, {0x23, "LPDDR5"}, {0x24, "HBM3"}};
  const auto found = names.find(code);
  return found == names.end() ? "" : found->second;
}

/// Size: bit 15 set: KiB, else MiB; 0x7FFF: see the extended size (MiB); 0xFFFF: unknown.
std::optional<std::uint64_t> size_of(const Structure& device) {
  const auto size = device.number(0x0C, 2);
  if (!size || *size == 0xFFFF) return std::nullopt;
  if (*size == 0x7FFF) {
    const auto extended = device.number(0x1C, 4);
    return extended ? std::optional((*extended & 0x7FFFFFFF) << 20) : std::nullopt;
  }
  return (*size & 0x8000) != 0 ? (*size & 0x7FFF) << 10 : *size << 20;
}

/// Speed: 0: unknown; 0xFFFF: see the extended speed.
std::optional<int> speed_of(const Structure& device, std::size_t offset, std::size_t extended_offset) {
  auto speed = device.number(offset, 2);
  if (speed == 0xFFFF) speed = device.number(extended_offset, 4);
  if (!speed || *speed == 0 || *speed > 1'000'000) return std::nullopt;
  return static_cast<int>(*speed);
}

MemoryDevice device_of(const Structure& structure) {
  return {.locator = structure.text(0x10),
          .bank_locator = structure.text(0x11),
          .bytes = size_of(structure),
          .type = type_name(structure.number(0x12, 1).value_or(0)),
          .rated_mts = speed_of(structure, 0x15, 0x54),
          .configured_mts = speed_of(structure, 0x20, 0x58)};
}

}  // namespace

SmbiosMemory read_smbios_memory(std::string_view table) {
  std::map<std::uint64_t, std::uint64_t> use_of_array;
  std::vector<std::pair<std::uint64_t, MemoryDevice>> devices;  // with their array's handle
  std::string_view rest = table;
  while (!rest.empty()) {
    const auto offset = table.size() - rest.size();
    const auto structure = take_structure(rest);
    if (!structure) return {.devices = {}, .problem = fmt::format("the table of {} bytes is cut off in the structure at byte {}", table.size(), offset)};
    if (structure->type() == type_end) break;
    if (structure->type() == type_memory_array) use_of_array[structure->handle()] = structure->number(0x05, 1).value_or(0);
    if (structure->type() == type_memory_device) devices.emplace_back(structure->number(0x04, 2).value_or(0), device_of(*structure));
  }
  SmbiosMemory memory;
  for (auto& [array, device] : devices) {
    const auto use = use_of_array.find(array);
    if (use == use_of_array.end() || use->second == use_system_memory) memory.devices.push_back(std::move(device));
  }
  if (memory.devices.empty()) memory.problem = "the table names no memory device";
  return memory;
}

}  // namespace feedtune
