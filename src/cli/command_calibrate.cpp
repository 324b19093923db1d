#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iostream>
#include <iterator>

#include "calibrate/make_profile.hpp"
#include "calibrate/plausible.hpp"
#include "cli/commands.hpp"
#include "cli/device_rates.hpp"
#include "cli/devices.hpp"
#include "cli/exit_codes.hpp"
#include "cli/option_values.hpp"
#include "cli/signals.hpp"
#include "cli/trial_children.hpp"
#include "cli/utc.hpp"
#include "cli/version.hpp"
#include "core/counted.hpp"
#include "core/error.hpp"
#include "core/nearest.hpp"
#include "core/parse.hpp"
#include "core/single_line.hpp"
#include "core/usual_precision.hpp"
#include "json/device_profile_json.hpp"
#include "model/model.hpp"
#include "process/child.hpp"
#include "report/profile_text.hpp"
#include "store/file.hpp"

namespace feedtune {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t least_batch_sizes = 4;
constexpr double rates_share = 0.3;      // of the time, for what is measured outside the steps
constexpr double longest_rates_s = 15;
constexpr double rates_deadline_share = 0.6;

/// Ends the command where a signal asked for it; never leaves this file.
struct Stopped {};

std::vector<int> batch_sizes_of(const std::string& text) {
  std::vector<int> sizes;
  for (const std::string& part : listed_option(text)) sizes.push_back(integer_option(part, "--batch", 1, 65536));
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  if (sizes.size() < least_batch_sizes)
    throw UsageError(fmt::format("--batch: got {}, want {} different batch sizes at least, as in 16,64,128,256", counted(std::ssize(sizes), "batch size"),
                                 least_batch_sizes));
  return sizes;
}

double seconds_of(const std::string& text) {
  try {
    return parse_duration_s(text, "--time");
  } catch (const SpecError& error) {
    throw UsageError(error.what());
  }
}

std::vector<Precision> precisions_of(const CalibrateArguments& arguments) {
  std::vector<Precision> precisions;
  if (!arguments.precisions) return precisions;
  for (const std::string& part : listed_option(*arguments.precisions)) {
    const auto precision = enum_from_text<Precision>(part);
    if (!precision) throw UsageError(fmt::format("--precision: got '{}', want {}", single_line(part), accepted_names<Precision>()));
    if (std::find(precisions.begin(), precisions.end(), *precision) == precisions.end()) precisions.push_back(*precision);
  }
  return precisions;
}

/// What a sweep would take, or what was asked for, as far as the device has it.
std::vector<Precision> precisions_on(const DeviceFacts& device, std::vector<Precision> asked) {
  const auto has = [&](Precision precision) { return std::find(device.precisions.begin(), device.precisions.end(), to_text(precision)) != device.precisions.end(); };
  if (asked.empty()) asked = {usual_precision(device)};
  for (const Precision precision : asked)
    if (!has(precision)) throw InputError("--precision", fmt::format("{}: {} has {}", to_text(precision), device.title, joined(device.precisions)));
  return asked;
}

void check_output(const std::string& output) {
  std::error_code error;
  const fs::path path(output);
  const auto type = fs::symlink_status(path, error).type();
  if (type != fs::file_type::not_found && type != fs::file_type::none) throw InputError(output, "is there already, want a new file");
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  if (::access(folder.c_str(), W_OK | X_OK) != 0) throw IoError(folder, "write a profile there", errno);
}

/// Refuses what is no GPU before anything is measured.
ChosenDevice device_of(const CalibrateArguments& arguments) {
  if (arguments.device == "cpu")
    throw InputError("--device cpu", "its step shares the cores with the loader, which a profile can't show; sweep with --device cpu instead");
  if (arguments.device == "null" || arguments.device.starts_with("virtual:"))
    throw InputError(fmt::format("--device {}", single_line(arguments.device)), "is modelled, so there is nothing to measure; want cuda");
  std::string note;
  const ChosenDevice device = choose_device(arguments.device == "auto" ? "cuda" : arguments.device, 1, note);
  if (device.facts.fake && !arguments.allow_fake)
    throw InputError("--device cuda", "is the tests' fake GPU, so its profile says nothing about one (--allow-fake measures it all the same)");
  return device;
}

}  // namespace

int run_command(const CalibrateArguments& arguments) {
  const auto begin = std::chrono::steady_clock::now();
  const double seconds = seconds_of(arguments.time);
  StepsRequest steps;
  steps.batch_sizes = batch_sizes_of(arguments.batch_sizes);
  steps.image_size = integer_option(arguments.image_size, "--image-size", 1, 4096);
  steps.models = listed_option(arguments.models);
  steps.precisions = precisions_of(arguments);
  for (const std::string& model : steps.models) (void)model_facts(model_preset(model), steps.image_size, Precision::fp32);
  const std::string name = arguments.name.value_or(fs::path(arguments.output).stem().string());
  if (!is_profile_name(name))
    throw UsageError(arguments.name ? fmt::format("--name: got '{}', want {}", single_line(name), profile_name_rule)
                                    : fmt::format("-o '{}': the profile would be called '{}', want {} (or give --name)", single_line(arguments.output),
                                                  single_line(name), profile_name_rule));
  check_output(arguments.output);
  const ChosenDevice device = device_of(arguments);
  steps.device = device.name;
  steps.precisions = precisions_on(device.facts, steps.precisions);
  const auto say = [&](const std::string& text) {
    if (!arguments.quiet) std::cerr << single_line(text) << '\n';
  };

  become_subreaper();
  watch_signals();
  ProfileInput input;
  input.name = name;
  input.origin = fmt::format("{} calibrate, {}", version_text(), utc_now());
  RatesRequest rates;
  rates.device = device.name;
  rates.seconds = std::min(rates_share * seconds, longest_rates_s);
  for (const std::string& model : steps.models)
    for (const Precision precision : steps.precisions)
      input.submitted.push_back({.model = model, .precision = precision, .image_size = steps.image_size, .batch_size = steps.batch_sizes.front()});
  rates.steps = input.submitted;
  std::vector<std::string> notes;
  DeviceProfile profile;
  try {
    say(fmt::format("{}: copies and kernels, about {:.0f} s", device.facts.title, rates.seconds));
    const auto after = [&](double s) { return begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(s)); };
    const auto measured = device_rates(rates, after(rates_deadline_share * seconds));
    if (!measured) throw Stopped{};
    input.rates = *measured;
    ProcessRunner runner(trial_children(), std::make_shared<SteadyClock>());
    steps.end_s = runner.now_s() + std::chrono::duration<double>(after(seconds) - std::chrono::steady_clock::now()).count();
    input.steps = measure_steps(runner, steps, say);
    if (stop_signal() != 0) throw Stopped{};
  } catch (const Stopped&) {
    std::cerr << "feedtune: stopped by a signal; no profile was written\n";
    return exit_code::signal_base + stop_signal();
  }
  notes = input.rates.notes;
  notes.insert(notes.end(), input.steps.notes.begin(), input.steps.notes.end());
  profile = make_profile(input, notes);
  const auto published = shipped_profile(device.facts.title);
  if (published) std::ranges::copy(implausible(profile, *published), std::back_inserter(notes));
  else notes.push_back(fmt::format("no profile of configs/devices is for {}, so nothing published judges these figures", device.facts.title));

  const std::string text = encode(profile);
  (void)decode_device_profile(text, arguments.output);  // what is written can be read
  try {
    check_output(arguments.output);  // another may have made it meanwhile
    create_file(arguments.output, text);
  } catch (const Error&) {
    std::cout << text;  // a minute's measurements are not lost with a full disk
    throw;
  }
  std::cout << profile_text(profile, notes);
  std::cout << fmt::format("\nprofile: {}; use it: feedtune sweep --data DIR --device virtual:{}\n", single_line(arguments.output),
                           single_line(fs::path(arguments.output).has_parent_path() ? arguments.output : "./" + arguments.output));
  return exit_code::ok;
}

}  // namespace feedtune
