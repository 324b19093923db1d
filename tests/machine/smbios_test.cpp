#include "machine/smbios.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "machine/smbios_table.hpp"
#include "run_command.hpp"

using namespace feedtune;

namespace {

constexpr std::uint64_t gib = std::uint64_t{1} << 30;

std::optional<std::string> channel(const std::string& locator, const std::string& bank = "") {
  MemoryDevice device;
  device.locator = locator;
  device.bank_locator = bank;
  return memory_channel(device);
}

SmbiosTable desktop() {
  SmbiosTable table;
  table.structure(0, 1, std::string(20, '\0'), {"Firmware"}).array();
  table.module({.locator = "DIMM_A1", .bank = "BANK 0"}).module({.locator = "DIMM_A2", .bank = "BANK 1", .size = 16384, .rated = 3600, .configured = 2133});
  return table.module({.locator = "DIMM_B1", .bank = "BANK 2"}).module({.locator = "DIMM_B2", .bank = "BANK 3"});
}

}  // namespace

TEST(Smbios, SlotsSizesAndSpeedsAreThoseOfTheStandard) {
  const auto memory = read_smbios_memory(desktop().end());
  ASSERT_EQ(memory.problem, "");
  ASSERT_EQ(memory.devices.size(), 4u);
  const auto& module = memory.devices[1];
  EXPECT_EQ(module.locator, "DIMM_A2");
  EXPECT_EQ(module.bank_locator, "BANK 1");
  EXPECT_EQ(module.bytes, 16 * gib);
  EXPECT_EQ(module.type, "DDR4");
  EXPECT_EQ(module.rated_mts, 3600);
  EXPECT_EQ(module.configured_mts, 2133);
  EXPECT_TRUE(module.populated());
  EXPECT_FALSE(memory.devices[0].populated());
  EXPECT_EQ(memory.devices[0].rated_mts, std::nullopt) << "0 means unknown";
}

TEST(Smbios, AModuleOf32GibAndMoreHasItsSizeInTheExtendedField) {
  SmbiosTable table;
  table.array().module({.locator = "A", .size = 0x7FFF, .extended_mib = 128 * 1024}).module({.locator = "B", .size = 0x8000 | 512});
  table.module({.locator = "C", .size = 0xFFFF});
  const auto memory = read_smbios_memory(table.end());
  ASSERT_EQ(memory.devices.size(), 3u);
  EXPECT_EQ(memory.devices[0].bytes, 128 * gib);
  EXPECT_EQ(memory.devices[1].bytes, std::uint64_t{512} << 10) << "bit 15: KiB";
  EXPECT_EQ(memory.devices[2].bytes, std::nullopt) << "0xFFFF: unknown";
  EXPECT_TRUE(memory.devices[2].populated()) << "of unknown size, but there";
}

TEST(Smbios, FlashMemoryIsNoMemoryModule) {
  SmbiosTable table;
  table.array().array(0x2000, 5).module({.locator = "DIMM_A1", .size = 8192}).module({.locator = "System ROM", .size = 16}, 0x2000);
  const auto memory = read_smbios_memory(table.end());
  ASSERT_EQ(memory.devices.size(), 1u);
  EXPECT_EQ(memory.devices[0].locator, "DIMM_A1");
}

TEST(Smbios, TheFirstStandardsShortStructureIsRead) {
  // Version 2.1 ends after the bank's memory type (0x15 bytes): no speed, no extended size.
  SmbiosTable table;
  const auto little = SmbiosTable::little;
  table.array().structure(17, 5, little(SmbiosTable::memory_handle, 2) + little(0xFFFE, 2) + little(64, 2) + little(64, 2) + little(512, 2) +
                                     std::string{9, 0, 1, 2, 0x12} + little(0x80, 2), {"DIMM0", "BANK0"});
  const auto memory = read_smbios_memory(table.end());
  ASSERT_EQ(memory.devices.size(), 1u);
  EXPECT_EQ(memory.devices[0].bytes, std::uint64_t{512} << 20);
  EXPECT_EQ(memory.devices[0].type, "DDR");
  EXPECT_EQ(memory.devices[0].rated_mts, std::nullopt);
}

TEST(Smbios, ATableCutOffAnywhereIsAReasonNotACrash) {
  const std::string whole = desktop().end();
  int complete = 0;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto memory = read_smbios_memory(std::string_view(whole).substr(0, length));
    EXPECT_NE(memory.devices.empty(), memory.problem.empty()) << length;
    complete += memory.problem.empty();
  }
  EXPECT_LE(complete, 9) << "only tables that end between structures have devices: after each of the 4 modules, and inside the end mark";
}

RC_GTEST_PROP(Smbios, AnyBytesGiveDevicesOrAReason, (const std::string& bytes)) {
  const auto memory = read_smbios_memory(bytes);
  RC_ASSERT(memory.devices.empty() != memory.problem.empty());
}

RC_GTEST_PROP(Smbios, AFlippedByteGivesDevicesOrAReasonAndShowableText, ()) {
  std::string table = desktop().end();
  table[*rc::gen::inRange<std::size_t>(0, table.size())] = *rc::gen::arbitrary<char>();
  for (const auto& device : read_smbios_memory(table).devices) {
    RC_ASSERT(device.locator.find_first_of("\n\r\t\x1b") == std::string::npos);
    (void)memory_channel(device);
  }
}

TEST(Smbios, ChannelsAreToldByTheNamesThatBoardsUse) {
  EXPECT_EQ(channel("DIMM_A1"), channel("DIMM_A2")) << "two slots of one channel";
  EXPECT_NE(channel("DIMM_A1"), channel("DIMM_B1"));
  EXPECT_NE(channel("P1-DIMMA1"), channel("P2-DIMMA1")) << "two processors";
  EXPECT_NE(channel("DIMM_P0_A0"), channel("DIMM_P1_A0"));
  EXPECT_EQ(channel("DIMM_P0_A0"), channel("DIMM_P0_A1"));
  EXPECT_NE(channel("DIMM 0", "P0 CHANNEL A"), channel("DIMM 0", "P0 CHANNEL B")) << "one locator for all, the bank tells";
  EXPECT_EQ(channel("DIMM 0", "P0 CHANNEL A"), channel("DIMM 1", "P0 CHANNEL A"));
  EXPECT_NE(channel("ChannelA-DIMM0", "BANK 0"), channel("ChannelB-DIMM0", "BANK 2"));
  EXPECT_NE(channel("Controller0-ChannelA-DIMM0"), channel("Controller1-ChannelA-DIMM0"));
  EXPECT_NE(channel("Node 0 Channel 1 Dimm 0"), channel("Node 0 Channel 10 Dimm 0"));
  EXPECT_NE(channel("DIMM A"), channel("DIMM B")) << "a laptop's";
}

TEST(Smbios, ChannelsAreNotGuessed) {
  EXPECT_EQ(channel("PROC 1 DIMM 3"), std::nullopt);
  EXPECT_EQ(channel("A1"), std::nullopt) << "some servers number a processor's slots A1 to A12";
  EXPECT_EQ(channel("DIMM1", "BANK 0"), std::nullopt);
  EXPECT_EQ(channel(""), std::nullopt);
  EXPECT_EQ(channel("SODIMM"), std::nullopt);
  EXPECT_EQ(channel("CHANNEL"), std::nullopt);
}

TEST(Smbios, DmidecodeReadsTheSame) {
  const test::TemporaryFolder folder;
  if (test::run("command -v dmidecode || ls /usr/sbin/dmidecode").code != 0) GTEST_SKIP() << "no dmidecode (apt: dmidecode)";
  SmbiosTable two = desktop();
  two.module({.locator = "DIMM_C1", .bank = "BANK 4", .size = 0x7FFF, .extended_mib = 65536, .type = 0x22, .rated = 5600, .configured = 4800});
  const std::string table = two.end();
  // The dump that dmidecode takes: the 64-bit entry point (DSP0134, 5.2.2) at 0, the table at 0x20.
  std::string entry = "_SM3_" + std::string(1, '\0') + std::string{0x18, 3, 2, 0, 1, 0} + SmbiosTable::little(table.size(), 4) + SmbiosTable::little(0x20, 8);
  unsigned sum = 0;
  for (const char byte : entry) sum += static_cast<unsigned char>(byte);
  entry[5] = static_cast<char>(256 - sum % 256);
  entry.resize(0x20, '\0');
  folder.write("dump", entry + table);
  const auto seen = test::run("PATH=$PATH:/usr/sbin dmidecode -t 17 --from-dump '" + (folder / "dump") + "'");
  ASSERT_EQ(seen.code, 0) << seen.out;
  std::string expected;
  for (const auto& device : read_smbios_memory(table).devices) {
    expected = "Locator: " + device.locator + "\n";
    EXPECT_NE(seen.out.find(expected), std::string::npos) << expected << seen.out;
  }
  for (const char* line : {"Size: 16 GB", "Size: 64 GB", "Size: No Module Installed", "Type: DDR5", "Speed: 3600 MT/s", "Configured Memory Speed: 2133 MT/s"})
    EXPECT_NE(seen.out.find(line), std::string::npos) << line << "\n" << seen.out;
  const auto last = read_smbios_memory(table).devices.back();
  EXPECT_EQ(last.bytes, 64 * gib);
  EXPECT_EQ(last.type, "DDR5");
  EXPECT_EQ(last.configured_mts, 4800);
}
