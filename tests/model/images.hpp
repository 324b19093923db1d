#pragma once
// Small pictures for tests: smooth in space, each with its own colours, already normalised.

#include <cmath>
#include <cstdint>
#include <vector>

namespace feedtune {

inline std::vector<float> smooth_images(int count, int side) {
  std::vector<float> images;
  images.reserve(static_cast<std::size_t>(count) * 3 * static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
  for (int i = 0; i < count; ++i)
    for (int c = 0; c < 3; ++c)
      for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x)
          images.push_back(std::sin(static_cast<float>(i * (c + 1)) + 6.0f * static_cast<float>(x) / static_cast<float>(side)) +
                           0.5f * std::cos(static_cast<float>(i + c) + static_cast<float>(i % 5 * y) / static_cast<float>(side)));
  return images;
}

inline std::vector<std::int32_t> spread_labels(int count, int classes) {
  std::vector<std::int32_t> labels;
  for (int i = 0; i < count; ++i) labels.push_back(i * 7 % classes);
  return labels;
}

}  // namespace feedtune
