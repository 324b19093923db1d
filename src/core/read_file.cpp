#include "core/read_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "core/error.hpp"

namespace feedtune {

std::string read_file(const std::string& path, std::size_t max_bytes) {
  const int file = open_to_read(path);
  if (file < 0) {
    if (errno == ENOENT || errno == ENOTDIR) throw InputError(path, "no such file or folder");
    throw IoError(path, "read", errno);
  }
  const auto close_file = [](const int* number) { ::close(*number); };
  const std::unique_ptr<const int, decltype(close_file)> closer(&file, close_file);
  struct stat status {};
  if (::fstat(file, &status) != 0) throw IoError(path, "read", errno);
  if (S_ISDIR(status.st_mode)) throw InputError(path, "is a folder, want a file");
  if (!S_ISREG(status.st_mode)) throw InputError(path, "is no regular file");
  const auto too_large = [&] { return InputError(path, fmt::format("is larger than {} MiB", max_bytes >> 20)); };
  if (static_cast<std::size_t>(status.st_size) > max_bytes) throw too_large();

  std::string text;
  text.reserve(static_cast<std::size_t>(status.st_size) + 1);
  char block[65536];
  while (true) {
    const ssize_t got = ::read(file, block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw IoError(path, "read", errno);
    if (got == 0) return text;
    text.append(block, static_cast<std::size_t>(got));
    if (text.size() > max_bytes) throw too_large();
  }
}

int open_to_read(const std::string& path) { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); }

ssize_t read_at(int file, std::span<std::byte> into, std::uint64_t offset) {
  std::size_t filled = 0;
  while (filled < into.size()) {
    const ssize_t got = ::pread(file, into.data() + filled, into.size() - filled, static_cast<off_t>(offset + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  return static_cast<ssize_t>(filled);
}

}  // namespace feedtune
