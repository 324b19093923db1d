#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "core/run.hpp"

namespace feedtune::testing {

/// A folder that is gone with the object; in memory where that is possible, since the tests sync thousands of times.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const std::filesystem::path parents[] = {"/dev/shm", std::filesystem::temp_directory_path()};
    for (const auto& parent : parents) {
      std::string name = (parent / "feedtune_store_XXXXXX").string();
      if (::mkdtemp(name.data()) == nullptr) continue;
      path_ = name;
      return;
    }
    throw std::runtime_error("no temporary folder");
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
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
