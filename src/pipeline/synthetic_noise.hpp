#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace feedtune {

/// A plane of signed values in units of 1/16 grey level.
struct NoisePlane {
  int width = 0;
  int height = 0;
  std::vector<std::int16_t> values;

  std::int16_t* row(int y) { return values.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width); }
  const std::int16_t* row(int y) const { return const_cast<NoisePlane*>(this)->row(y); }
  void resize(int new_width, int new_height) {
    width = new_width;
    height = new_height;
    values.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  }
};

constexpr int noise_octaves = 6;

/// Value noise: `ranges[k]` is how far the octave with cells of 2^k pixels reaches either way, k = 0 .. 6. `gain` (may
/// be null; 256 is one) multiplies the noise place by place at every octave but the coarsest two.
struct NoiseSpec {
  std::array<int, noise_octaves + 1> ranges{};
  const NoisePlane* gain = nullptr;
};

/// Makes noise planes; keeps its buffers, so that repeated use allocates nothing. One per thread.
class NoiseMaker {
 public:
  /// `out` gets width x height values.
  void make(std::uint64_t seed, int width, int height, const NoiseSpec& spec, NoisePlane& out);

 private:
  NoisePlane coarse_;
  std::vector<std::int16_t> row_;
};

/// Twice the size (or one less), linear between cell centres.
void enlarge(const NoisePlane& from, int width, int height, NoisePlane& to);

/// Adds nearly normal noise (the sum of two uniform numbers) that reaches `range` either way.
void add_grain(std::uint64_t seed, int range, NoisePlane& plane);

}  // namespace feedtune
