#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace feedtune {

/// RGB pixels -> a baseline JPEG: YCbCr with half the chroma each way, Huffman tables made for the picture, accurate
/// integer DCT, so the same bytes on every machine with the same libjpeg. Not thread-safe.
class JpegWriter {
 public:
  JpegWriter();
  ~JpegWriter();
  JpegWriter(const JpegWriter&) = delete;
  JpegWriter& operator=(const JpegWriter&) = delete;

  /// `pixels`: 3 * width bytes a row, rows without gaps. `quality`: 1 to 100. The bytes last until the next call.
  /// Throws Error with libjpeg's words.
  std::span<const std::byte> encode(const std::uint8_t* pixels, int width, int height, int quality);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace feedtune
