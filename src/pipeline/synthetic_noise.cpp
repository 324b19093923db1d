#include "pipeline/synthetic_noise.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/hash.hpp"

namespace feedtune {
namespace {

/// Calls use(x, n) for every x in [0, count) with n uniform in [-32768, 32767]; one hash makes four numbers.
template <class Use>
void for_each_random(std::uint64_t seed, int count, const Use& use) {
  for (int x = 0; x < count; x += 4, ++seed) {
    const std::uint64_t bits = mix64(seed);
    const int end = std::min(4, count - x);
    for (int i = 0; i < end; ++i) use(x + i, static_cast<int>(static_cast<std::int16_t>(bits >> (16 * i))));
  }
}

/// Apart from any other row's and octave's by more than a row is long.
std::uint64_t row_seed(std::uint64_t seed, int octave, int y) {
  return mix64(seed + static_cast<std::uint64_t>(octave)) + (static_cast<std::uint64_t>(y) << 24);
}

constexpr int halved(int size) { return (size + 1) / 2; }

}  // namespace

void enlarge(const NoisePlane& from, int width, int height, NoisePlane& to) {
  to.resize(width, height);
  std::vector<int> column(static_cast<std::size_t>(from.width) + 2);  // times 4, with the border repeated
  for (int y = 0; y < height; ++y) {
    const int centre = y / 2;
    const int other = std::clamp(y % 2 == 0 ? centre - 1 : centre + 1, 0, from.height - 1);
    const std::int16_t* near = from.row(centre);
    const std::int16_t* far = from.row(other);
    for (int i = 0; i < from.width; ++i) column[static_cast<std::size_t>(i) + 1] = 3 * near[i] + far[i];
    column.front() = column[1];
    column.back() = column[column.size() - 2];
    std::int16_t* out = to.row(y);
    const int* cell = column.data() + 1;
    for (int i = 0; i < width / 2; ++i) {
      out[2 * i] = static_cast<std::int16_t>((3 * cell[i] + cell[i - 1] + 8) >> 4);
      out[2 * i + 1] = static_cast<std::int16_t>((3 * cell[i] + cell[i + 1] + 8) >> 4);
    }
    if (width % 2 == 1)
      out[width - 1] = static_cast<std::int16_t>((3 * cell[width / 2] + cell[width / 2 - 1] + 8) >> 4);
  }
}

void NoiseMaker::make(std::uint64_t seed, int width, int height, const NoiseSpec& spec, NoisePlane& out) {
  for (int octave = noise_octaves; octave >= 0; --octave) {
    int level_width = width, level_height = height;
    for (int i = 0; i < octave; ++i) level_width = halved(level_width), level_height = halved(level_height);
    if (octave == noise_octaves) {
      out.resize(level_width, level_height);
      std::fill(out.values.begin(), out.values.end(), std::int16_t{0});
    } else {
      std::swap(coarse_, out);
      enlarge(coarse_, level_width, level_height, out);
    }
    const int range = spec.ranges[static_cast<std::size_t>(octave)];
    const bool with_gain = spec.gain != nullptr && octave < noise_octaves - 1;
    row_.resize(static_cast<std::size_t>(level_width));
    for (int y = 0; y < level_height; ++y) {
      std::int16_t* row = out.row(y);
      const std::uint64_t numbers = row_seed(seed, octave, y);
      if (!with_gain) {
        for_each_random(numbers, level_width,
                        [&](int x, int n) { row[x] = static_cast<std::int16_t>(row[x] + ((n * range) >> 15)); });
        continue;
      }
      const NoisePlane& gain = *spec.gain;
      const std::int16_t* gains = gain.row(y * gain.height / level_height);
      const int step = (gain.width << 16) / level_width;  // gain.width is a few hundred at most
      for_each_random(numbers, level_width, [&](int x, int n) {
        const int local = range * gains[(x * static_cast<std::int64_t>(step)) >> 16] >> 8;
        row[x] = static_cast<std::int16_t>(row[x] + ((n * local) >> 15));
      });
    }
  }
}

void add_grain(std::uint64_t seed, int range, NoisePlane& plane) {
  for (int y = 0; y < plane.height; ++y) {
    std::int16_t* row = plane.row(y);
    const std::uint64_t numbers = row_seed(seed, 0, y);
    for (int x = 0, pair = 0; x < plane.width; x += 2, ++pair) {
      const std::uint64_t bits = mix64(numbers + static_cast<std::uint64_t>(pair));
      const auto part = [&](int i) { return static_cast<int>(static_cast<std::int16_t>(bits >> (16 * i))); };
      row[x] = static_cast<std::int16_t>(row[x] + (((part(0) + part(1)) * range) >> 16));
      if (x + 1 < plane.width)
        row[x + 1] = static_cast<std::int16_t>(row[x + 1] + (((part(2) + part(3)) * range) >> 16));
    }
  }
}

}  // namespace feedtune
