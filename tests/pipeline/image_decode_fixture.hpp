#pragma once
// What decoders make of bytes.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pipeline/decoder.hpp"

namespace feedtune::test {

/// RGB, row after row.
std::vector<std::uint8_t> pixels_of(const DecodedImage& image);
/// A crop of a whole file; that it decodes without a warning is expected.
std::vector<std::uint8_t> decode(Decoder& decoder, std::span<const std::byte> encoded, const CropBox& crop);
/// Why the decoder of that name refuses a file; empty where it takes it.
std::string failure_of(const std::string& decoder, std::span<const std::byte> encoded);

}  // namespace feedtune::test
