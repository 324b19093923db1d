#include "store/run_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "core/error.hpp"

namespace feedtune {
namespace {

/// "process 1234"; what is in the file may be anything.
std::string holder(int fd) {
  char text[32];
  const ssize_t got = ::pread(fd, text, sizeof text, 0);
  std::string digits;
  for (ssize_t i = 0; i < got && text[i] >= '0' && text[i] <= '9'; ++i) digits += text[i];
  return digits.empty() ? "another process" : "process " + digits;
}

/// False when the file was removed or replaced after it had been opened: its lock guards nothing.
bool is_still(const std::string& path, int fd) {
  struct stat ours {}, named {};
  return ::fstat(fd, &ours) == 0 && ::stat(path.c_str(), &named) == 0 && ours.st_ino == named.st_ino &&
         ours.st_dev == named.st_dev;
}

int flock_retried(int fd) {
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

}  // namespace

RunLock::RunLock(const std::string& folder) : path_(folder + "/lock") {
  do {
    file_ = open_file(path_, O_RDWR | O_CREAT, system_file_calls());
    const int error = flock_retried(file_.fd());
    if (error == EWOULDBLOCK)
      throw RunInUseError(fmt::format("{}: in use by {}; wait for it, or choose another folder", folder, holder(file_.fd())));
    if (error != 0) throw IoError(path_, "lock", error);
  } while (!is_still(path_, file_.fd()));

  const std::string pid = fmt::format("{}\n", ::getpid());
  if (::ftruncate(file_.fd(), 0) != 0) throw IoError(path_, "write", errno);
  if (const int error = write_whole(file_.fd(), pid, system_file_calls())) throw IoError(path_, "write", error);
}

RunLock::~RunLock() {
  if (file_) ::unlink(path_.c_str());
}

}  // namespace feedtune
