#include <fmt/format.h>

#include "analyze/check.hpp"

namespace feedtune {
namespace {

CheckVerdict judge(const CheckInput& in) {
  if (in.integer("gpus") == 0) return {CheckStatus::ok, "no NVIDIA GPU on the bus"};
  const auto now = in.text("gpu_pcie_link"), most = in.text("gpu_pcie_link_max");
  if (!now || !most) return {CheckStatus::unknown, in.why_unknown(now ? "gpu_pcie_link_max" : "gpu_pcie_link")};
  if (*now == *most) return {CheckStatus::ok, fmt::format("the GPU's link runs at its maximum, {}", *most)};
  return {CheckStatus::unknown, fmt::format("the GPU's link is at {} of {}; links slow down at rest, so this can only be judged under load", *now, *most),
          "feedtune sweep records the link under load (gpu.pcie_generation, gpu.pcie_width): if it stays below, try another slot or the riser"};
}

}  // namespace

Check make_pcie_link() { return {"pcie_link", judge}; }

}  // namespace feedtune
