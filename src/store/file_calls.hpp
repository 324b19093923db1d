#pragma once
// The system calls that writing a run needs, so that tests can make each of them fail. Internal to src/store.

#include <sys/types.h>

#include <cstddef>

namespace feedtune {

/// Each as the system call of that name: -1 and errno on failure.
struct FileCalls {
  int (*open)(const char* path, int flags, mode_t mode);
  ssize_t (*write)(int fd, const void* data, std::size_t bytes);
  int (*fdatasync)(int fd);
  int (*fsync)(int fd);
  int (*ftruncate)(int fd, off_t bytes);
  int (*rename)(const char* from, const char* to);
};

const FileCalls& system_file_calls();

}  // namespace feedtune
