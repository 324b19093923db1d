#include "store/file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "core/error.hpp"

namespace feedtune {

FileHandle::~FileHandle() {
  if (fd_ >= 0) ::close(fd_);
}

FileHandle open_file(const std::string& path, int flags, const FileCalls& calls) {
  while (true) {
    const int fd = calls.open(path.c_str(), flags | O_CLOEXEC, 0666);
    if (fd >= 0) return FileHandle(fd);
    if (errno != EINTR) throw IoError(path, "open for writing", errno);
  }
}

int write_whole(int fd, std::string_view text, const FileCalls& calls) {
  while (!text.empty()) {
    const ssize_t written = calls.write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    if (written == 0) return ENOSPC;  // not known to happen on regular files; looping on it would never end
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int sync_data(int fd, const FileCalls& calls) {
  while (calls.fdatasync(fd) != 0)
    if (errno != EINTR) return errno == EINVAL ? 0 : errno;
  return 0;
}

void sync_folder(const std::string& folder, const FileCalls& calls) {
  const FileHandle handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!handle) throw IoError(folder, "open", errno);
  while (calls.fsync(handle.fd()) != 0) {
    if (errno == EINVAL) return;  // this filesystem syncs no folders
    if (errno != EINTR) throw IoError(folder, "sync", errno);
  }
}

namespace {

/// Writes `temporary`, a name beside `path`, and lets `put` give it its own (0, or -1 and errno).
template <class Put>
void write_beside(const std::string& path, const std::string& temporary, std::string_view text, const FileCalls& calls, const Put& put, const char* doing) {
  const std::filesystem::path target(path);
  const std::string folder = target.has_parent_path() ? target.parent_path().string() : ".";
  try {
    {
      ::unlink(temporary.c_str());  // what a crash has left; a link that somebody put there must not be followed
      const FileHandle file = open_file(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, calls);
      if (const int error = write_whole(file.fd(), text, calls)) throw IoError(path, "write", error);
      if (const int error = sync_data(file.fd(), calls)) throw IoError(path, "sync", error);
    }
    if (put(temporary.c_str(), path.c_str()) != 0) throw IoError(path, doing, errno);
  } catch (const IoError&) {
    ::unlink(temporary.c_str());
    throw;
  }
  sync_folder(folder, calls);
}

std::string beside(const std::string& path, const std::string& ending) {
  const std::filesystem::path target(path);
  return (target.parent_path() / ("." + target.filename().string() + ending)).string();
}

}  // namespace

void replace_file(const std::string& path, std::string_view text, const FileCalls& calls) {
  write_beside(path, beside(path, ".tmp"), text, calls, calls.rename, "replace");
}

void create_file(const std::string& path, std::string_view text, const FileCalls& calls) {
  const auto put = [&](const char* from, const char* to) {
    const int done = ::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
    return done != 0 && (errno == EINVAL || errno == ENOSYS) ? calls.rename(from, to) : done;
  };
  write_beside(path, beside(path, "." + std::to_string(::getpid()) + ".tmp"), text, calls, put, "create");
}

}  // namespace feedtune
