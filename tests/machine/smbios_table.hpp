#pragma once
// Builds SMBIOS tables byte by byte, after DSP0134.

#include <cstdint>
#include <string>
#include <vector>

namespace feedtune {

class SmbiosTable {
 public:
  struct Module {
    std::string locator;
    std::string bank = "Not Specified";  ///< what boards write that say nothing; a string in the table is never empty
    std::uint16_t size = 0;            ///< the field as it stands: MiB, or KiB with bit 15, 0x7FFF: extended
    std::uint32_t extended_mib = 0;
    std::uint8_t type = 0x1A;          ///< DDR4
    std::uint16_t rated = 3200, configured = 3200;
  };
  static constexpr std::uint16_t memory_handle = 0x1000;

  SmbiosTable& structure(std::uint8_t type, std::uint16_t handle, const std::string& body, const std::vector<std::string>& strings = {}) {
    bytes_ += static_cast<char>(type);
    bytes_ += static_cast<char>(4 + body.size());
    bytes_ += little(handle, 2) + body;
    for (const auto& text : strings) bytes_ += text + '\0';
    bytes_ += strings.empty() ? std::string(2, '\0') : std::string(1, '\0');
    return *this;
  }
  /// Type 16; `use` 3: system memory, 5: flash.
  SmbiosTable& array(std::uint16_t handle = memory_handle, std::uint8_t use = 3) {
    return structure(16, handle, std::string{3, static_cast<char>(use), 3} + little(0, 4) + little(0xFFFE, 2) + little(8, 2));
  }
  /// Type 17 of version 3.2 (0x54 bytes).
  SmbiosTable& module(const Module& m, std::uint16_t array_handle = memory_handle) {
    const bool populated = m.size != 0;
    std::string body = little(array_handle, 2) + little(0xFFFE, 2) + little(64, 2) + little(64, 2) + little(m.size, 2);
    body += std::string{9, 0, 1, 2} + std::string(1, static_cast<char>(m.type)) + little(0x80, 2) + little(populated ? m.rated : 0, 2);
    body += std::string{3, 4, 5, 6, 2} + little(m.extended_mib, 4) + little(populated ? m.configured : 0, 2);
    body.resize(0x54 - 4, '\0');
    return structure(17, next_handle_++, body, {m.locator, m.bank, "Maker", "SERIAL-4711", "Tag", "Part"});
  }
  std::string end() const { return SmbiosTable(*this).structure(127, 0x7F00, "").bytes_; }

  static std::string little(std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xFF);
    return text;
  }

 private:
  std::string bytes_;
  std::uint16_t next_handle_ = 0x1100;
};

}  // namespace feedtune
