// Compiled with -ffp-contract=off: a fused multiply-add would round otherwise than the machines that lack it.
#include "pipeline/resize_weights.hpp"

#include <algorithm>
#include <cmath>

namespace feedtune {

void ResizeWeights::set(int input, int output, Resize method, bool mirrored) {
  const double scale = static_cast<double>(input) / output;
  const double support = method == Resize::antialias ? std::max(scale, 1.0) : 1.0;
  most_ = static_cast<std::size_t>(std::ceil(support)) * 2 + 1;
  const auto outputs = static_cast<std::size_t>(output);
  first_.resize(outputs);
  count_.resize(outputs);
  weights_.resize(outputs * most_);
  exact_.resize(most_);
  for (int out = 0; out < output; ++out) {
    const double centre = (out + 0.5) * scale;
    const int first = std::max(static_cast<int>(centre - support + 0.5), 0);
    const int last = std::min(static_cast<int>(centre + support + 0.5), input);
    double sum = 0;
    for (int in = first; in < last; ++in) {
      const double distance = std::abs((in + 0.5 - centre) / support);
      const double weight = distance < 1 ? 1 - distance : 0;
      exact_[static_cast<std::size_t>(in - first)] = weight;
      sum += weight;
    }
    const auto place = static_cast<std::size_t>(mirrored ? output - 1 - out : out);
    first_[place] = first;
    count_[place] = last - first;
    quantise(exact_.data(), sum, last - first, weights_.data() + place * most_);
  }
}

void ResizeWeights::quantise(const double* exact, double sum, int count, float* weights) const {
  int largest = 0;
  float total = 0;
  for (int i = 0; i < count; ++i) {
    weights[i] = static_cast<float>(std::floor(exact[i] / sum * weight_sum + 0.5));
    total += weights[i];
    if (weights[i] > weights[largest]) largest = i;
  }
  weights[largest] += weight_sum - total;
}

}  // namespace feedtune
