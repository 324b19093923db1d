#include <fmt/format.h>

#include "analyze/check.hpp"

namespace feedtune {
namespace {

CheckVerdict judge(const CheckInput& in) {
  // CUDA's own name of a slice: "NVIDIA H100 80GB HBM3 MIG 1g.10gb".
  const bool slice = in.cuda.facts.title.find(" MIG ") != std::string::npos;
  const auto slices = in.integer("gpu_mig_slices");
  if (slice || slices.value_or(0) > 0)
    return {CheckStatus::warn, slice ? "the GPU in use is a slice: " + in.cuda.facts.title : fmt::format("the GPUs are split into {} slices", *slices),
            "a slice has a part of the GPU's compute, memory and copy engines, and no utilisation counter: compare it with the same slice only"};
  if (in.integer("gpus") == 0) return {CheckStatus::ok, "no NVIDIA GPU on the bus"};
  if (slices || in.cuda.unusable.empty()) return {CheckStatus::ok, "the GPU is whole"};
  return {CheckStatus::unknown, in.why_unknown("gpu_mig_slices")};
}

}  // namespace

Check make_mig() { return {"mig", judge}; }

}  // namespace feedtune
