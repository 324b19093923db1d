#include <fmt/format.h>

#include "analyze/check.hpp"

namespace feedtune {
namespace {

CheckVerdict judge(const CheckInput& in) {
  if (in.cuda.unusable.empty()) return {CheckStatus::ok, fmt::format("cuda can be used: {}", in.cuda.facts.title)};
  const std::string evidence = "cuda can't be used: " + in.cuda.unusable;
  const auto gpus = in.integer("gpus");
  const bool driver = in.text("gpu_driver").has_value();
  if (!driver && !gpus) return {CheckStatus::unknown, evidence + "; " + in.why_unknown("gpus")};
  if (!driver && *gpus == 0) return {CheckStatus::ok, "no NVIDIA GPU on this machine; " + evidence};
  return {CheckStatus::bad, fmt::format("{}; yet there is a GPU ({})", evidence, in.text("gpu_models").value_or("on the bus")),
          "without it sweeps run on the cpu; virtual:NAME models a GPU (feedtune devices)"};
}

}  // namespace

Check make_cuda() { return {"cuda", judge}; }

}  // namespace feedtune
