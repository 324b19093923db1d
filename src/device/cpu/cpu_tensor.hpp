#pragma once
#include <cassert>
#include <cstdint>

#include "device/math.hpp"

namespace feedtune::cpu {

/// The tensor's values; a null address stays null.
inline float* floats(const Tensor& tensor) {
  assert(tensor.address == nullptr || tensor.element == Element::f32);
  return reinterpret_cast<float*>(tensor.address);
}

inline bool holds(const Tensor& tensor, std::int64_t rows, std::int64_t columns) {
  return tensor.address != nullptr && static_cast<std::int64_t>(tensor.count) == rows * columns;
}

/// Absent, or of that size.
inline bool may_hold(const Tensor& tensor, std::int64_t rows, std::int64_t columns) {
  return tensor.address == nullptr || holds(tensor, rows, columns);
}

}  // namespace feedtune::cpu
