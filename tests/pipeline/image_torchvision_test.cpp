// What the model is shown is what torchvision would have shown it. The reference was recorded by
// make_torchvision_reference.py.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "build_paths.hpp"
#include "pipeline/image_decoder.hpp"
#include "pipeline/resample_kernels.hpp"
#include "pipeline/transform.hpp"

namespace feedtune {
namespace {

class Recording {
 public:
  explicit Recording(const std::string& name) {
    std::ifstream file(folder() + name, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
  }
  static std::string folder() { return std::string(build_paths::test_data) + "/torchvision/"; }

  std::string text(std::size_t length) {
    const std::string value = bytes_.substr(at_, length);
    at_ += length;
    return value;
  }
  template <class T>
  T number() {
    T value{};
    std::memcpy(&value, text(sizeof value).data(), sizeof value);
    return value;
  }
  int integer() { return number<std::int32_t>(); }
  std::span<const std::byte> all() const { return std::as_bytes(std::span(bytes_)); }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

struct Difference {
  double mean = 0;
  int largest = 0;
};

Difference difference(const std::vector<std::byte>& got, const std::string& expected) {
  Difference result;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const int delta = std::abs(static_cast<int>(got[i]) - static_cast<int>(static_cast<unsigned char>(expected[i])));
    result.mean += delta;
    result.largest = std::max(result.largest, delta);
  }
  result.mean /= static_cast<double>(got.size());
  return result;
}

// Stated bound, in levels of 0..255: mean abs difference below 0.25 for each case, and no value off by more than 1.
// (Rows and columns are blended in the other order, with 8-bit rounding between; the JPEG decoders agree to the bit.)
TEST(ImageTorchvision, CropResizeAndFlipMatchForTheSameBox) {
  Recording recording("reference.bin");
  ASSERT_EQ(recording.text(4), "FTTV");
  const int cases = recording.integer();
  ASSERT_EQ(cases, 21);
  for (int i = 0; i < cases; ++i) {
    const std::string name = recording.text(static_cast<std::size_t>(recording.integer()));
    const int left = recording.integer();
    const int top = recording.integer();
    const int width = recording.integer();
    const int height = recording.integer();
    const bool flip = recording.integer() != 0;
    const int side = recording.integer();
    const bool antialias = recording.integer() != 0;
    const std::string expected = recording.text(3 * static_cast<std::size_t>(side * side));
    ASSERT_EQ(expected.size(), static_cast<std::size_t>(3 * side * side));

    const Recording jpeg(name);
    for (const char* decoder_name : {"turbo", "turbo_full"}) {
      const auto decoder = make_image_decoder(decoder_name);
      decoder->read_header(jpeg.all());
      const DecodedImage image = decoder->decode({left, top, width, height});
      Transform transform({.side = side, .resize = antialias ? Resize::antialias : Resize::linear});
      std::vector<std::byte> output(transform.output_bytes());
      transform.apply(image, flip, output);
      const Difference off = difference(output, expected);
      EXPECT_LT(off.mean, 0.25) << name << " box " << left << "," << top << " " << width << "x" << height;
      EXPECT_LE(off.largest, 1) << name << " box " << left << "," << top << " " << width << "x" << height;
    }
  }
}

TEST(ImageTorchvision, NormalisedFloatsAreTorchsToTheBit) {
  Recording recording("normalised.bin");
  const int values = recording.integer();
  ASSERT_EQ(values, 768);
  for (int i = 0; i < values; ++i) {
    const int channel = recording.integer();
    const int value = recording.integer();
    const float expected = recording.number<float>();
    // Enough for whole vectors and a rest.
    const std::vector<std::uint8_t> bytes(37, static_cast<std::uint8_t>(value));
    std::vector<float> out(bytes.size());
    normalise(bytes.data(), static_cast<int>(bytes.size()), channel, out.data());
    for (const float got : out)
      ASSERT_EQ(std::bit_cast<std::uint32_t>(got), std::bit_cast<std::uint32_t>(expected))
          << "channel " << channel << " value " << value;
  }
}

struct RecordedDraws {
  std::vector<double> values;
  std::size_t used = 0;
  double uniform() { return values.at(used++); }
};

// torchvision takes the logarithm of the ratios in single precision, so a side may round the other way, rarely.
TEST(ImageTorchvision, CropBoxesAreGetParamsForTheSameDraws) {
  Recording recording("crops.bin");
  const int cases = recording.integer();
  ASSERT_EQ(cases, 200);
  int equal = 0;
  for (int i = 0; i < cases; ++i) {
    const int width = recording.integer();
    const int height = recording.integer();
    RecordedDraws draws;
    draws.values.resize(static_cast<std::size_t>(recording.integer()));
    for (double& value : draws.values) value = recording.number<double>();
    CropBox expected;
    expected.left = recording.integer();
    expected.top = recording.integer();
    expected.width = recording.integer();
    expected.height = recording.integer();
    const CropBox got = random_resized_crop({width, height}, draws);
    EXPECT_EQ(draws.used, draws.values.size()) << "case " << i;
    equal += got == expected;
    EXPECT_LE(std::abs(got.width - expected.width), 1) << "case " << i;
    EXPECT_LE(std::abs(got.height - expected.height), 1) << "case " << i;
    EXPECT_LE(std::abs(got.left - expected.left), 1) << "case " << i;
    EXPECT_LE(std::abs(got.top - expected.top), 1) << "case " << i;
  }
  EXPECT_GE(equal, 198);
}

}  // namespace
}  // namespace feedtune
