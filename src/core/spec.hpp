#pragma once
// What the user asked for, after flags, environment, spec file and defaults have been merged.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/configuration.hpp"
#include "core/enums.hpp"
#include "core/trial_setup.hpp"

namespace feedtune {

/// Side of the square input, pixels: what --image-size, a spec file and an anchor set may ask for.
inline constexpr int smallest_image_size = 8, largest_image_size = 4096;

/// Either may be absent; both absent means: to the end of the plan.
struct Budget {
  std::optional<double> seconds;
  std::optional<std::int64_t> trials;
};

/// Where the answers of a sweep come from that measures nothing.
struct ReplaySource {
  std::string file;    ///< as given
  std::string digest;  ///< of what is recorded there
};

struct Spec {
  std::string data;    ///< as given
  std::string device;  ///< resolved: cpu, virtual:NAME
  std::string model;
  std::vector<StepTime> step_times;
  std::map<std::string, std::vector<AxisValue>> axes;  ///< what the user restricted; others take their defaults
  std::optional<Configuration> current;
  std::optional<Configuration> baseline{};  ///< what gains are over; absent: feedtune's own (analyze/roles)
  std::optional<ReplaySource> replay{};     ///< absent: trials are measured
  std::string strategy = "guided";
  Budget budget;
  double trial_time_s = 3;
  CachePolicy cache = CachePolicy::warm;
  int image_size = 224;
  std::uint64_t seed = 1;
  bool anchors = true;
  double within = 0.02;  ///< loss under which two settings are equivalent
  std::map<std::string, std::string> origin;  ///< option -> flag, environment, spec file or default
};

}  // namespace feedtune
