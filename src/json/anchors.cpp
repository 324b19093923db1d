#include "json/anchors.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/parse.hpp"
#include "core/spec.hpp"
#include "json/codec.hpp"

namespace feedtune {

AnchorSet decode_anchors(std::string_view text, const std::string& where) {
  const JsonValue json = parse_json(text, where);
  const Place place(where, true);
  ObjectReader reader(json, place);
  AnchorSet anchors;
  std::optional<std::string> description;
  std::string trial_time;
  Configuration common;
  reader.field("description", description);
  reader.field("version", anchors.version);
  reader.field("images", anchors.images);
  reader.field("seed", anchors.seed);
  reader.field("image_size", anchors.image_size);
  reader.field("model", anchors.model);
  reader.field("trial_time", trial_time);
  reader.field("common", common);
  reader.field("configurations", anchors.configurations);
  reader.finish();
  anchors.trial_time_s = parse_duration_s(trial_time, Place(place, "trial_time").text(*json.find("trial_time")));
  if (anchors.images < 1) Place(place, "images").want(*json.find("images"), "an integer >= 1");
  if (anchors.image_size < smallest_image_size || anchors.image_size > largest_image_size)
    Place(place, "image_size").want(*json.find("image_size"),
                                    fmt::format("an integer from {} to {}", smallest_image_size, largest_image_size));

  const JsonValue& list = *json.find("configurations");
  const Place list_at(place, "configurations");
  if (anchors.configurations.empty()) list_at.fail(list, "is empty, want at least one configuration");
  for (std::size_t i = 0; i < anchors.configurations.size(); ++i) {
    Configuration whole = common;
    for (const auto& [axis, value] : anchors.configurations[i].values()) whole.set(axis, value);
    const auto before = anchors.configurations.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(anchors.configurations.begin(), before, whole) != before)
      Place(list_at, i).fail((*list.array())[i], "stands twice");
    *before = std::move(whole);
  }
  return anchors;
}

}  // namespace feedtune
