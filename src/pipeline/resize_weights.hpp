#pragma once
#include <cstdint>
#include <vector>

#include "core/enums.hpp"
#include "pipeline/decoder.hpp"

namespace feedtune {

/// Which input samples, with which weights, make each output sample along one axis. Weights are whole numbers in units
/// of 2^-14 that add up to one exactly: they fit the multipliers of 16-bit SIMD, every sum over 8-bit samples is exact
/// in 32 bits and so the same on every machine, and a flat picture stays flat. (14 bits: a weight of one must fit
/// int16; each weight is off by 2^-15 at most, which moves a value by less than 0.008 levels a tap.)
class ResizeWeights {
 public:
  static constexpr int weight_bits = 14;
  static constexpr std::int32_t weight_sum = 1 << weight_bits;

  /// antialias: the triangle filter of Pillow and of torchvision's antialias=True, its support widened by the scale
  /// when shrinking. linear: two neighbours at half-pixel centres (antialias=False). `mirrored` reverses the output.
  /// Keeps its memory from call to call.
  /// `span`: the part of the input that the output shows, where that is not all of it.
  void set(int input, int output, Resize method, bool mirrored, CropSpan span = {});

  int output() const { return static_cast<int>(first_.size()); }
  int first(int out) const { return first_[static_cast<std::size_t>(out)]; }
  int count(int out) const { return count_[static_cast<std::size_t>(out)]; }
  /// 2 * pairs() weights: those of first(out) and of its successors, then zeros. Consecutive outputs' follow each other.
  const std::int16_t* weights(int out) const { return weights_.data() + static_cast<std::size_t>(out) * stride(); }
  /// Half of the largest count, rounded up.
  int pairs() const { return pairs_; }
  /// Of all outputs, output() of them.
  const std::int32_t* first() const { return first_.data(); }

 private:
  std::size_t stride() const { return 2 * static_cast<std::size_t>(pairs_); }

  int pairs_ = 0;
  std::vector<std::int32_t> first_;
  std::vector<int> count_;
  std::vector<std::int16_t> weights_;
  std::vector<double> exact_;
};

}  // namespace feedtune
