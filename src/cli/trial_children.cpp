#include "cli/trial_children.hpp"

#include "cli/files.hpp"
#include "cli/settings.hpp"
#include "cli/signals.hpp"
#include "device/cpu/cpu_device.hpp"

namespace feedtune {

std::vector<std::string> child_environment() {
  if (process_environment()("OMP_WAIT_POLICY")) return {};
  return {cpu_device_environment};
}

ProcessRunner::Options trial_children() {
  ProcessRunner::Options options;
  options.command = {program_path(), "__trial"};
  options.environment = child_environment();
  options.stop = [] { return stop_signal() != 0; };
  return options;
}

}  // namespace feedtune
