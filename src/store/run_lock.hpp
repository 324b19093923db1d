#pragma once
#include <string>

#include "store/file.hpp"

namespace feedtune {

/// Says that this process writes the run in a folder. The lock is the kernel's (flock on the file `lock`): it ends with
/// its process however that ends, so a file left behind by a killed one is no obstacle.
class RunLock {
 public:
  /// Throws RunInUseError naming the process that holds it, IoError when the system refuses.
  explicit RunLock(const std::string& folder);
  RunLock(RunLock&&) noexcept = default;
  RunLock& operator=(RunLock&&) = delete;
  /// Removes the file, then lets go.
  ~RunLock();

 private:
  std::string path_;
  FileHandle file_;
};

}  // namespace feedtune
