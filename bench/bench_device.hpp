#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "device/device.hpp"

namespace feedtune {

/// What the benchmarks of a device run on: feedtune-bench --device.
struct BenchDevice {
  std::shared_ptr<Device> device;
  std::map<std::string, double> peak_tflops;  ///< 1e12 FLOP/s by precision; one that is absent is not known
  std::uint64_t available_bytes = 0;          ///< of the device's memory when it was opened
  std::chrono::milliseconds warm_up{500};     ///< before each measurement: a GPU's clocks follow its load within some hundred milliseconds
};

}  // namespace feedtune
