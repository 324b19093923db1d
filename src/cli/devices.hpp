#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/device_profile.hpp"
#include "core/facts.hpp"

namespace feedtune {

/// One row of `feedtune devices`.
struct DeviceRow {
  std::string name;
  std::string title;
  bool usable = false;
  std::string note;  ///< why it can't be used, or what it is
  std::optional<std::int64_t> memory_bytes;
  std::vector<std::string> precisions;
};

std::vector<DeviceRow> known_devices();

/// A device as a sweep will use it.
struct ChosenDevice {
  std::string name;
  std::optional<DeviceProfile> profile;
  DeviceFacts facts;
};

/// `asked`: auto, cuda, cpu, null, virtual:NAME, or virtual:FILE.json (with a '/' in it or .json at its end). auto takes cuda where it can, else the cpu; `note` then says why. Throws DeviceUnavailableError,
/// with the nearest known name for an unknown one.
ChosenDevice choose_device(const std::string& asked, int model_threads, std::string& note);

/// A profile of `text`, which stands in the file `where`. Throws InputError with its place for one that cannot be, also for a model
/// that this feedtune does not have.
DeviceProfile profile_of(const std::string& text, const std::string& where);

/// The profile of configs/devices which is for the GPU that the driver names.
std::optional<DeviceProfile> shipped_profile(const std::string& driver_name);

/// 1e12 FLOP/s by precision, from the device's own profile or from that of configs/devices which is for the GPU that the driver
/// names; empty where there is none.
std::map<std::string, double> peak_tflops_of(const ChosenDevice& chosen);

}  // namespace feedtune
