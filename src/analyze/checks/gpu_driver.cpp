#include <fmt/format.h>

#include <charconv>

#include "analyze/check.hpp"

namespace feedtune {
namespace {

/// The oldest driver branch that serves programs of CUDA 12 (NVIDIA's CUDA release notes, "minor version compatibility": 525.60.13).
constexpr int oldest_branch = 525;

CheckVerdict judge(const CheckInput& in) {
  const auto driver = in.text("gpu_driver");
  if (!driver) {
    if (in.integer("gpus") == 0 && !in.cuda.unusable.empty()) return {CheckStatus::ok, "no NVIDIA GPU on the bus"};
    return {CheckStatus::unknown, in.why_unknown("gpu_driver")};
  }
  int branch = 0;
  std::from_chars(driver->data(), driver->data() + driver->size(), branch);
  const std::string evidence = fmt::format("NVIDIA driver {}; CUDA 12 needs {} or later", *driver, oldest_branch);
  if (branch < oldest_branch) return {CheckStatus::bad, evidence, "install a newer driver: CUDA 12 and later programs, this one among them, can't use the GPU"};
  return {CheckStatus::ok, evidence};
}

}  // namespace

Check make_gpu_driver() { return {"gpu_driver", judge}; }

}  // namespace feedtune
