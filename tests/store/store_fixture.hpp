#pragma once
#include <fstream>
#include <sstream>
#include <string>

#include "core/run.hpp"
#include "temporary_folder.hpp"

namespace feedtune::testing {

/// In memory where that is possible, since the tests sync thousands of times.
struct MemoryFolder : test::TemporaryFolder {
  MemoryFolder() : TemporaryFolder("/dev/shm") {}
};

inline std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

inline Run header() {
  Run run;
  run.started = "2026-12-01T23:07:00Z";
  run.spec.device = "cpu";
  run.spec.data = "photos";
  return run;
}

inline TrialResult trial(std::int64_t id) {
  TrialResult result;
  result.id = id;
  result.stage = "explore";
  result.configuration.set("batch_size", std::int64_t{64});
  result.images_per_s = Interval{.mean = 100.0 + static_cast<double>(id), .low = 99, .high = 200, .n = 10};
  result.step_us.assign(20, 12'345);
  return result;
}

}  // namespace feedtune::testing
