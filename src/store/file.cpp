#include "store/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
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

void replace_file(const std::string& path, std::string_view text, const FileCalls& calls) {
  const std::filesystem::path target(path);
  const std::string folder = target.has_parent_path() ? target.parent_path().string() : ".";
  const std::string temporary = (target.parent_path() / ("." + target.filename().string() + ".tmp")).string();
  try {
    {
      const FileHandle file = open_file(temporary, O_WRONLY | O_CREAT | O_TRUNC, calls);
      if (const int error = write_whole(file.fd(), text, calls)) throw IoError(path, "write", error);
      if (const int error = sync_data(file.fd(), calls)) throw IoError(path, "sync", error);
    }
    if (calls.rename(temporary.c_str(), path.c_str()) != 0) throw IoError(path, "replace", errno);
  } catch (const IoError&) {
    ::unlink(temporary.c_str());
    throw;
  }
  sync_folder(folder, calls);
}

std::string read_file(const std::string& path, std::size_t max_bytes) {
  // Non-blocking, so that a FIFO nobody writes to does not hang the program before it is told apart.
  const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) {
    if (errno == ENOENT || errno == ENOTDIR) throw InputError(path, "no such file or folder");
    throw IoError(path, "read", errno);
  }
  struct stat status {};
  if (::fstat(file.fd(), &status) != 0) throw IoError(path, "read", errno);
  if (S_ISDIR(status.st_mode)) throw InputError(path, "is a folder, want a file");
  if (!S_ISREG(status.st_mode)) throw InputError(path, "is no regular file");
  const auto too_large = [&] { return InputError(path, fmt::format("is larger than {} MiB", max_bytes >> 20)); };
  if (static_cast<std::size_t>(status.st_size) > max_bytes) throw too_large();

  std::string text;
  text.reserve(static_cast<std::size_t>(status.st_size) + 1);
  char block[65536];
  while (true) {
    const ssize_t got = ::read(file.fd(), block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw IoError(path, "read", errno);
    if (got == 0) return text;
    text.append(block, static_cast<std::size_t>(got));
    if (text.size() > max_bytes) throw too_large();
  }
}

}  // namespace feedtune
