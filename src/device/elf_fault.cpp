#include "device/elf_fault.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>

namespace feedtune {
namespace {

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);

template <class T>
bool read_at(std::ifstream& file, std::uint64_t offset, T& out) {
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  return static_cast<bool>(file.read(reinterpret_cast<char*>(&out), sizeof out));
}

std::optional<Header> header_of(std::ifstream& file) {
  Header header{};
  if (!read_at(file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return std::nullopt;
  return header;
}

/// Where its last segment, or its table of sections, ends.
std::uint64_t end_of(std::ifstream& file, const Header& header) {
  std::uint64_t end = header.e_shoff + std::uint64_t{header.e_shnum} * header.e_shentsize;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Segment segment{};
    const std::uint64_t at = header.e_phoff + i * sizeof segment;
    end = std::max(end, at + sizeof segment);
    if (read_at(file, at, segment)) end = std::max<std::uint64_t>(end, segment.p_offset + segment.p_filesz);
  }
  return end;
}

}  // namespace

std::string elf_fault(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return "cannot be read";
  const auto bytes = static_cast<std::uint64_t>(std::max<std::streamoff>(file.tellg(), 0));
  if (bytes == 0) return "is empty";
  const auto header = header_of(file);
  if (!header) return "is no shared library (its first bytes are not those of an ELF file)";
  std::ifstream own_file("/proc/self/exe", std::ios::binary);
  const auto own = header_of(own_file);
  if (own && (header->e_machine != own->e_machine || header->e_ident[EI_CLASS] != own->e_ident[EI_CLASS] || header->e_ident[EI_DATA] != own->e_ident[EI_DATA]))
    return fmt::format("is built for another processor (ELF machine {}, class {}; this program: {}, {})", header->e_machine, header->e_ident[EI_CLASS],
                       own->e_machine, own->e_ident[EI_CLASS]);
  const std::uint64_t end = end_of(file, *header);
  return bytes < end ? fmt::format("is cut off: it has {} bytes of {}", bytes, end) : "";
}

}  // namespace feedtune
