// Takes the place of the other files of this folder in a build without oneDNN.
#include "core/error.hpp"
#include "device/cpu/cpu_device.hpp"

namespace feedtune {

std::unique_ptr<Device> make_cpu_device(std::shared_ptr<Clock>, int, HostMemoryLeft) {
  throw DeviceUnavailableError("cpu", "built without oneDNN (apt: libdnnl-dev, then configure again)");
}

std::string cpu_math_library() { return ""; }

}  // namespace feedtune
