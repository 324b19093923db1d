#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "analyze/check.hpp"
#include "cli/commands.hpp"
#include "cli/cuda_probe.hpp"
#include "cli/exit_codes.hpp"
#include "cli/option_values.hpp"
#include "cli/settings.hpp"
#include "cli/version.hpp"
#include "core/error.hpp"
#include "core/parse.hpp"
#include "json/doctor_json.hpp"
#include "machine/facts.hpp"
#include "machine/fingerprint.hpp"
#include "report/doctor_text.hpp"
#include "space/space.hpp"

namespace feedtune {
namespace {

namespace fs = std::filesystem;

/// Variables that libraries of a training program look at, of those that are set.
std::map<std::string, std::string> library_environment() {
  const Environment environment = process_environment();
  std::map<std::string, std::string> set;
  for (const char* name : {"OMP_NUM_THREADS", "JSIMD_FORCENONE"})
    if (const auto value = environment(name)) set[name] = *value;
  return set;
}

/// Without --current a worker for each CPU that may be used, and PyTorch's own defaults.
DoctorSetting setting_of(const DoctorArguments& arguments, double effective_cpus) {
  TrialSetup setup;
  setup.loader.num_workers = std::max(1, static_cast<int>(effective_cpus));
  setup.loader.input_type = InputType::float32;
  try {
    if (arguments.current) setup = apply(parse_assignments(*arguments.current, "--current"), setup);
  } catch (const InputError& error) {
    throw UsageError(fmt::format("--current: {}", error.what()));
  }
  return {.batch_size = setup.loader.batch_size,
          .num_workers = setup.loader.num_workers,
          .prefetch = setup.loader.prefetch,
          .image_size = integer_option<int>(arguments.image_size, "--image-size", smallest_image_size, largest_image_size),
          .bytes_per_value = static_cast<std::int64_t>(bytes_per_value(setup.loader.input_type))};
}

std::string absolute_data(const std::string& data) {
  std::error_code error;
  const fs::path path = fs::canonical(data, error);  // a link's target is where the bytes are
  if (error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory) throw InputError(data, "no such file or folder");
  if (error) throw IoError(data, "find", error.value());
  return path.string();
}

}  // namespace

int run_command(const DoctorArguments& arguments) {
  DoctorReport report;
  report.tool = tool_facts();
  report.machine = machine_facts(arguments.data ? absolute_data(*arguments.data) : "");
  report.setting = setting_of(arguments, report.machine.cpus.effective);
  report.cuda = cuda_probe();
  add_fingerprint(report.machine, report.cuda.facts, report.tool);
  if (arguments.identify) add_identity_facts(Root(), report.machine.facts);
  const auto environment = library_environment();
  report.checks = run_checks({report.machine, report.cuda, report.tool, report.setting, environment});
  std::cout << (arguments.format == "json" ? encode(report) : doctor_text(report));
  return exit_code::ok;
}

}  // namespace feedtune
