#pragma once
// Memory devices in the firmware's own table (SMBIOS), as DMTF's standard DSP0134 lays it out: structures of type 16
// (physical memory array) and 17 (memory device).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace feedtune {

/// A slot for a memory module, or memory that is soldered on.
struct MemoryDevice {
  std::string locator;       ///< on the board, "DIMM_A2"
  std::string bank_locator;  ///< "P0 CHANNEL A", "BANK 0"
  std::optional<std::uint64_t> bytes;  ///< 0: the slot is empty; absent: the firmware doesn't know
  std::string type;          ///< "DDR5"; empty: unknown
  std::optional<int> rated_mts;       ///< million transfers a second that the module can do
  std::optional<int> configured_mts;  ///< and that it runs at
  bool populated() const { return !bytes || *bytes > 0; }
};

/// The system's memory (of other arrays, such as flash memory, nothing). `problem` says, in one line, why there are no
/// devices: the table is cut off or names none.
struct SmbiosMemory {
  std::vector<MemoryDevice> devices;
  std::string problem;
};

/// `table`: the bytes of /sys/firmware/dmi/tables/DMI. Text in it is made safe to show. Serial numbers are not looked at.
SmbiosMemory read_smbios_memory(std::string_view table);

/// Which memory channel of which controller or processor a slot belongs to, told from its locators ("P0 CHANNEL A",
/// "Controller1-ChannelB-DIMM0", "DIMM_A2", "P1-DIMMC1"); equal for slots of one channel. Nothing where they don't say.
std::optional<std::string> memory_channel(const MemoryDevice& device);

}  // namespace feedtune
