#include "cli/devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "cli/cuda_probe.hpp"
#include "cli/files.hpp"
#include "core/error.hpp"
#include "core/nearest.hpp"
#include "core/read_file.hpp"
#include "device/make_device.hpp"
#include "json/device_profile_json.hpp"
#include "model/model.hpp"

namespace feedtune {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t most_profile_bytes = std::size_t{1} << 20;

std::vector<std::string> profile_names() {
  const fs::path folder = fs::path(configs_folder()) / "devices";
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".json") names.push_back(entry->path().stem().string());
  if (error) throw IoError(folder.string(), "list", error.value());
  std::sort(names.begin(), names.end());
  return names;
}

DeviceProfile read_profile_file(const std::string& path) { return profile_of(read_file(path, most_profile_bytes), path); }

DeviceProfile read_profile(const std::string& name) {
  return read_profile_file((fs::path(configs_folder()) / "devices" / (name + ".json")).string());
}

bool is_for(const DeviceProfile& profile, const std::string& driver_name) {
  const auto& names = profile.driver_names;
  return profile.title == driver_name || std::find(names.begin(), names.end(), driver_name) != names.end();
}

DeviceFacts facts_of(const std::string& name, const std::optional<DeviceProfile>& profile, int model_threads) {
  TrialSetup setup;
  setup.device = name;
  setup.profile = profile;
  setup.step.model_threads = model_threads;
  return make_device(setup, std::make_shared<SteadyClock>())->facts();
}

DeviceRow row_of(const std::string& name, const std::optional<DeviceProfile>& profile, const std::string& note) {
  DeviceRow row;
  row.name = name;
  try {
    const DeviceFacts facts = facts_of(name, profile, 1);
    row.title = facts.title;
    row.usable = true;
    row.note = note;
    row.memory_bytes = facts.memory_bytes;
    row.precisions = facts.precisions;
  } catch (const DeviceUnavailableError& error) {
    row.note = error.what();
  }
  return row;
}

}  // namespace

DeviceProfile profile_of(const std::string& text, const std::string& where) {
  DeviceProfile profile = decode_device_profile(text, where);
  for (std::size_t i = 0; i < profile.steps.size(); ++i) {
    const StepCurve& curve = profile.steps[i];
    try {
      (void)model_facts(model_preset(curve.model), curve.image_size, curve.precision);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: steps[{}]", where, i), error.what());
    }
  }
  return profile;
}

std::vector<DeviceRow> known_devices() {
  std::vector<DeviceRow> rows;
  DeviceRow cuda;
  cuda.name = "cuda";
  const DeviceProbe& probe = cuda_probe();
  cuda.usable = probe.unusable.empty();
  cuda.note = cuda.usable ? "the first visible GPU" : probe.unusable;
  if (cuda.usable) {
    cuda.title = probe.facts.title;
    cuda.memory_bytes = probe.facts.memory_bytes;
    cuda.precisions = probe.facts.precisions;
  }
  rows.push_back(cuda);
  rows.push_back(row_of("cpu", std::nullopt, "shares the cores with the loader's workers"));
  rows.push_back(row_of("null", std::nullopt, "takes no time: measures the loader and feedtune itself"));
  for (const auto& name : profile_names()) rows.push_back(row_of("virtual:" + name, read_profile(name), "modelled from a profile"));
  return rows;
}

ChosenDevice choose_device(const std::string& asked, int model_threads, std::string& note) {
  ChosenDevice chosen;
  chosen.name = asked;
  if (asked == "auto") {
    chosen.name = cuda_probe().unusable.empty() ? "cuda" : "cpu";
    if (chosen.name == "cpu")
      note = fmt::format("device cpu: cuda can't be used: {}; virtual:NAME shows what a GPU would get (feedtune devices)", cuda_probe().unusable);
  } else if (asked.starts_with("virtual:")) {
    const std::string name = asked.substr(8);
    if (name.find('/') != std::string::npos || name.ends_with(".json")) {
      chosen.profile = read_profile_file(name);
      chosen.name = "virtual:" + chosen.profile->name;  // a path says nothing on another machine
      chosen.facts = facts_of(chosen.name, chosen.profile, model_threads);
      return chosen;
    }
    const auto known = profile_names();
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw DeviceUnavailableError(asked, fmt::format("no such profile{}; known: {}; or a file, as in virtual:./{}.json", did_you_mean(name, known), joined(known), name));
    chosen.profile = read_profile(name);
  } else if (asked != "cpu" && asked != "null" && asked != "cuda") {
    const std::vector<std::string> known = {"auto", "cuda", "cpu", "null", "virtual:NAME"};
    throw DeviceUnavailableError(asked, fmt::format("unknown device{}; known: {}", did_you_mean(asked, known), joined(known)));
  }
  if (chosen.name == "cuda") {
    if (!cuda_probe().unusable.empty()) throw DeviceUnavailableError("cuda", cuda_probe().unusable);
    chosen.facts = cuda_probe().facts;
    return chosen;
  }
  chosen.facts = facts_of(chosen.name, chosen.profile, model_threads);
  chosen.facts.name = chosen.name;
  return chosen;
}

std::optional<DeviceProfile> shipped_profile(const std::string& driver_name) {
  for (const auto& name : profile_names())
    if (DeviceProfile one = read_profile(name); is_for(one, driver_name)) return one;
  return std::nullopt;
}

std::map<std::string, double> peak_tflops_of(const ChosenDevice& chosen) {
  const std::optional<DeviceProfile> profile = chosen.name == "cuda" ? shipped_profile(chosen.facts.title) : chosen.profile;
  std::map<std::string, double> peaks;
  if (profile)
    for (const auto& [precision, figure] : profile->peak_tflops) peaks[precision] = figure.value;
  return peaks;
}

}  // namespace feedtune
