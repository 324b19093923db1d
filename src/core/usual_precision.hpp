#pragma once
#include "core/enums.hpp"
#include "core/facts.hpp"

namespace feedtune {

/// What a model is trained in where nobody says: bf16 where the device has it, else fp16, else fp32.
Precision usual_precision(const DeviceFacts& device);

}  // namespace feedtune
