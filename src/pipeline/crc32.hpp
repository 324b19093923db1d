#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace feedtune {

/// The CRC-32 of zlib and PNG (ISO 3309, reflected polynomial 0xedb88320), so that other programs can check our files.
/// `before`: of the bytes that come before these; 0 at the beginning.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0);
/// The same of `count` zero bytes, in a time that hardly depends on their number.
std::uint32_t crc32_of_zeros(std::uint64_t count, std::uint32_t before = 0);

}  // namespace feedtune
