#include <fmt/format.h>

#include <algorithm>

#include "core/nearest.hpp"
#include "core/usual_precision.hpp"
#include "space/axis_kinds.hpp"

namespace feedtune {
namespace {

bool device_has(const SpaceContext& context, const std::string& precision) {
  const std::vector<std::string>& all = context.device.precisions;
  return std::find(all.begin(), all.end(), precision) != all.end();
}

}  // namespace

Axis make_precision() {
  return text_axis({.name = "precision",
                    .summary = "arithmetic of the model step",
                    .accepted = {"fp32", "tf32", "bf16", "fp16"},
                    .unswept = [](const Configuration&, const SpaceContext& context) -> std::string {
                      if (context.device.name == "cpu") return "fp32";
                      return std::string(to_text(usual_precision(context.device)));
                    },
                    .lacks = [](const std::string& value, const SpaceContext& context) -> std::string {
                      if (context.device.precisions.empty() || device_has(context, value)) return "";
                      return fmt::format("{} has {}", context.device.name, joined(context.device.precisions));
                    },
                    .collapse = [](const Configuration&, const SpaceContext& context) -> std::string {
                      return context.user_step ? "the step's times are given" : "";
                    },
                    .set = [](TrialSetup& setup, const std::string& value) {
                      setup.step.precision = enum_value<Precision>(value);
                    }});
}

}  // namespace feedtune
