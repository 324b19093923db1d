#pragma once
#include <cstdint>
#include <vector>

#include "core/enums.hpp"

namespace feedtune {

/// Which input samples, with which weights, make each output sample along one axis. Weights are whole numbers that add
/// up to `weight_sum` exactly, held as floats: every sum over 8-bit samples, rounding included, stays below 2^24 and is
/// therefore exact in single precision, in whatever order and with or without fused multiply-adds. So a plain loop and
/// any SIMD version give the same bits, and a flat picture stays flat.
class ResizeWeights {
 public:
  static constexpr float weight_sum = 65536;

  /// antialias: the triangle filter of Pillow and of torchvision's antialias=True, its support widened by the scale
  /// when shrinking. linear: two neighbours at half-pixel centres (antialias=False). `mirrored` reverses the output.
  /// Keeps its memory from call to call.
  void set(int input, int output, Resize method, bool mirrored);

  int output() const { return static_cast<int>(first_.size()); }
  int first(int out) const { return first_[static_cast<std::size_t>(out)]; }
  /// At least every count(out).
  std::size_t most() const { return most_; }
  int count(int out) const { return count_[static_cast<std::size_t>(out)]; }
  const float* weights(int out) const { return weights_.data() + static_cast<std::size_t>(out) * most_; }

 private:
  void quantise(const double* exact, double sum, int count, float* weights) const;

  std::size_t most_ = 0;  ///< places per output sample
  std::vector<int> first_;
  std::vector<int> count_;
  std::vector<float> weights_;
  std::vector<double> exact_;
};

}  // namespace feedtune
