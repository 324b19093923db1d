// Compiled with -ffp-contract=off: a fused multiply-add would round otherwise than the machines that lack it.
#include "pipeline/resize_weights.hpp"

#include <algorithm>
#include <cmath>

namespace feedtune {

namespace {

/// Whole numbers nearest to exact / sum that add up to weight_sum: what rounding left over goes to the largest.
void quantise(const double* exact, double sum, int count, std::int16_t* weights) {
  const double unit = ResizeWeights::weight_sum / sum;
  int largest = 0;
  int total = 0;
  for (int i = 0; i < count; ++i) {
    weights[i] = static_cast<std::int16_t>(exact[i] * unit + 0.5);
    total += weights[i];
    if (weights[i] > weights[largest]) largest = i;
  }
  weights[largest] = static_cast<std::int16_t>(weights[largest] + ResizeWeights::weight_sum - total);
}

}  // namespace

void ResizeWeights::set(int input, int output, Resize method, bool mirrored, CropSpan span) {
  const double scale = (span.length > 0 ? span.length : input) / output;
  const double support = method == Resize::antialias ? std::max(scale, 1.0) : 1.0;
  const double slope = 1 / support;
  const auto outputs = static_cast<std::size_t>(output);
  first_.resize(outputs);
  count_.resize(outputs);
  int most = 1;
  for (int out = 0; out < output; ++out) {
    const double centre = span.begin + (out + 0.5) * scale;
    const int first = std::max(static_cast<int>(centre - support + 0.5), 0);
    const int last = std::min(static_cast<int>(centre + support + 0.5), input);
    const auto place = static_cast<std::size_t>(mirrored ? output - 1 - out : out);
    first_[place] = first;
    count_[place] = last - first;
    most = std::max(most, last - first);
  }
  pairs_ = (most + 1) / 2;
  exact_.resize(static_cast<std::size_t>(most));
  weights_.assign(outputs * stride(), 0);
  for (int out = 0; out < output; ++out) {
    const auto place = static_cast<std::size_t>(mirrored ? output - 1 - out : out);
    const double centre = span.begin + (out + 0.5) * scale;
    double sum = 0;
    for (int k = 0; k < count_[place]; ++k) {
      const double distance = std::abs(first_[place] + k + 0.5 - centre) * slope;
      exact_[static_cast<std::size_t>(k)] = std::max(1 - distance, 0.0);
      sum += exact_[static_cast<std::size_t>(k)];
    }
    quantise(exact_.data(), sum, count_[place], weights_.data() + place * stride());
  }
}

}  // namespace feedtune
