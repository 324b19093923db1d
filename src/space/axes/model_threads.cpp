#include <algorithm>
#include <cmath>

#include "space/axis_kinds.hpp"

namespace feedtune {
namespace {

std::int64_t effective_cpus(const SpaceContext& context) {
  return std::max<std::int64_t>(1, std::llround(context.effective_cpus));
}

}  // namespace

Axis make_model_threads() {
  return integer_axis({.name = "model_threads",
                       .unit = "threads",
                       .summary = "threads of the training step (cpu device)",
                       .most = 1024,
                       .defaults =
                           [](const SpaceContext& context) {
                             std::vector<std::int64_t> counts;
                             for (std::int64_t count = effective_cpus(context); count >= 1; count /= 2)
                               counts.insert(counts.begin(), count);
                             return counts;
                           },
                       .unswept = [](const Configuration&,
                                     const SpaceContext& context) { return effective_cpus(context); },
                       .collapse = [](const Configuration&, const SpaceContext& context) -> std::string {
                         if (context.device.name != "cpu") return "the step runs on " + context.device.name;
                         return context.user_step ? "the step's times are given" : "";
                       },
                       .set = [](TrialSetup& setup, int value) { setup.step.model_threads = value; }});
}

}  // namespace feedtune
