#include "core/usual_precision.hpp"

#include <algorithm>

namespace feedtune {

Precision usual_precision(const DeviceFacts& device) {
  for (const Precision precision : {Precision::bf16, Precision::fp16})
    if (std::find(device.precisions.begin(), device.precisions.end(), to_text(precision)) != device.precisions.end()) return precision;
  return Precision::fp32;
}

}  // namespace feedtune
