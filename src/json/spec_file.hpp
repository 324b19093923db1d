#pragma once
// A sweep's options as a file (configs/*.json): what `feedtune sweep SPEC.json` reads before its flags.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/configuration.hpp"
#include "core/enums.hpp"
#include "core/spec.hpp"

namespace feedtune {

/// Every option may be absent. Keys of the file: description (ignored), data, device, model, step ("85ms@64,150ms@128"),
/// axes {name: [values]}, current {name: value}, strategy, budget ("5m", "200trials" or {"seconds", "trials"}),
/// trial_time ("3s"), cache, image_size, seed, anchors, within ("2%" or 0.02).
struct SpecFile {
  std::optional<std::string> data;
  std::optional<std::string> device;
  std::optional<std::string> model;
  std::vector<StepTime> step_times;  ///< sorted by batch size; empty: absent
  std::map<std::string, std::vector<AxisValue>> axes;
  std::optional<Configuration> current;
  std::optional<std::string> strategy;
  std::optional<Budget> budget;
  std::optional<double> trial_time_s;
  std::optional<CachePolicy> cache;
  std::optional<int> image_size;
  std::optional<std::uint64_t> seed;
  std::optional<bool> anchors;
  std::optional<double> within;
};

/// Throws SpecError for an unknown key or a wrong value, naming file, line and JSON path, what it got and what is
/// accepted; InputError for text that is no JSON. Whether an axis exists is the search space's question.
SpecFile decode_spec(std::string_view text, const std::string& where);

}  // namespace feedtune
