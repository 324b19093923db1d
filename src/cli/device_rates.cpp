#include "cli/device_rates.hpp"

#include <fmt/format.h>

#include "calibrate/measure_rates.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/files.hpp"
#include "cli/signals.hpp"
#include "cli/trial_children.hpp"
#include "core/error.hpp"
#include "device/make_device.hpp"
#include "json/device_rates_json.hpp"
#include "process/child.hpp"

namespace feedtune {

std::optional<DeviceRates> device_rates(const RatesRequest& request, std::chrono::steady_clock::time_point deadline) {
  Child::Options options;
  options.arguments = {program_path(), "__rates"};
  options.environment = child_environment();
  options.stop = [] { return stop_signal() != 0; };
  Child child(std::move(options));
  std::string message;
  if (child.send(encode_rates_request(request))) {
    for (;;) {
      const auto received = child.receive(message, deadline);
      if (received == Child::Receive::message) return decode_device_rates(message);
      if (received != Child::Receive::timeout) break;
      if (stop_signal() != 0) return std::nullopt;
      if (std::chrono::steady_clock::now() < deadline) continue;
      throw InputError("--time", fmt::format("too short to measure {}'s copies and kernels here, want more, or an idle machine; or its driver hangs", request.device));
    }
  }
  const ChildExit exit = child.wait(std::chrono::seconds(2));
  // The device was there when it was chosen: it ran out of memory, refused some, or failed.
  throw InputError(fmt::format("device {}", request.device), fmt::format("measuring its copies and kernels ended with {}: {}", exit.text(), child.output_tail()));
}

int run_command(const RatesArguments&) {
  ParentChannel parent;
  parent.end_with_parent();
  std::string message;
  if (!parent.receive(message)) return exit_code::ok;
  const RatesRequest request = decode_rates_request(message);
  TrialSetup setup;
  setup.device = request.device;
  const auto clock = std::make_shared<SteadyClock>();
  const auto device = make_device(setup, clock);
  parent.send(encode_device_rates(measure_rates(*device, *clock, request)));
  return exit_code::ok;
}

}  // namespace feedtune
