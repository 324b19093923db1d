#include <fmt/format.h>

#include <algorithm>

#include "space/axis_kinds.hpp"

namespace feedtune {
namespace {

/// Powers of two, never above the data set, and the user's own; what does not fit in device memory is left out with the whole configuration.
std::vector<std::int64_t> default_batch_sizes(const SpaceContext& context) {
  const std::int64_t largest = context.device.name == "cpu" ? 128 : 1024;
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 16; size <= largest; size *= 2)
    if (context.data_images <= 0 || size <= context.data_images) sizes.push_back(size);
  if (sizes.empty()) sizes.push_back(context.data_images);
  if (context.current_batch && std::find(sizes.begin(), sizes.end(), *context.current_batch) == sizes.end())
    sizes.insert(std::lower_bound(sizes.begin(), sizes.end(), *context.current_batch), *context.current_batch);
  return sizes;
}

}  // namespace

Axis make_batch_size() {
  Axis axis = integer_axis({.name = "batch_size",
                            .unit = "images",
                            .summary = "images per training step",
                            .most = 65536,
                            .defaults = default_batch_sizes,
                            .unswept =
                                [](const Configuration&, const SpaceContext& context) {
                                  return context.data_images > 0 ? std::min<std::int64_t>(64, context.data_images) : 64;
                                },
                            .swept_by_default = true,
                            .set = [](TrialSetup& setup, int value) { setup.loader.batch_size = value; }});
  axis.reject = [basic = axis.reject](const AxisValue& value, const SpaceContext& context) -> std::string {
    std::string wrong = basic(value, context);
    if (wrong.empty() && context.data_images > 0 && std::get<std::int64_t>(value) > context.data_images)
      wrong = fmt::format("got {}, want at most {}: the data has no more images", to_text(value), context.data_images);
    return wrong;
  };
  return axis;
}

}  // namespace feedtune
