#include "store/file_calls.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace feedtune {

const FileCalls& system_file_calls() {
  static const FileCalls calls = {
      .open = [](const char* path, int flags, mode_t mode) { return ::open(path, flags, mode); },
      .write = ::write,
      .fdatasync = ::fdatasync,
      .fsync = ::fsync,
      .ftruncate = ::ftruncate,
      .rename = ::rename,
  };
  return calls;
}

}  // namespace feedtune
