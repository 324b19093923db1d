#include "cli/cuda_probe.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/files.hpp"
#include "core/error.hpp"
#include "device/cuda_plugin.hpp"
#include "json/device_probe_json.hpp"
#include "process/child.hpp"

namespace feedtune {
namespace {

// A driver that wakes many GPUs without its persistence daemon takes seconds.
constexpr std::chrono::seconds longest{20};

DeviceProbe ask() {
  DeviceProbe probe;
  Child::Options options;
  options.arguments = {program_path(), "__cuda"};
  Child child(std::move(options));
  std::string message;
  switch (child.receive(message, std::chrono::steady_clock::now() + longest)) {
    case Child::Receive::message:
      try {
        probe = decode_device_probe(message);
      } catch (const InputError& error) {
        probe.unusable = fmt::format("its probe sent {}", error.what());
      }
      child.wait(std::chrono::seconds(2));
      break;
    case Child::Receive::timeout:
      child.kill(std::chrono::milliseconds(200));
      probe.unusable = fmt::format("CUDA gave no answer within {} s (a hung driver?)", longest.count());
      break;
    case Child::Receive::closed:
    case Child::Receive::malformed: {
      const ChildExit exit = child.wait(std::chrono::seconds(2));
      probe.unusable = fmt::format("asking for it ended with {}: {}", exit.text(), child.output_tail());
      break;
    }
  }
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");  // set to nothing is not the same as not set
  if (probe.nothing_visible && visible != nullptr)
    probe.unusable += *visible == '\0' ? "; CUDA_VISIBLE_DEVICES is set to nothing, which hides every GPU"
                                       : fmt::format("; CUDA_VISIBLE_DEVICES='{}' may hide it", visible);
  return probe;
}

}  // namespace

const DeviceProbe& cuda_probe() {
  static const DeviceProbe probe = ask();
  return probe;
}

int run_command(const CudaProbeArguments&) {
  ParentChannel parent;
  parent.end_with_parent();
  const CudaStatus status = cuda_status();
  parent.send(encode_device_probe({status.reason, status.absence == CudaAbsence::no_device, status.facts}));
  return exit_code::ok;
}

}  // namespace feedtune
