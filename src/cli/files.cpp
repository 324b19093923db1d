#include "cli/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "core/error.hpp"

namespace feedtune {
namespace fs = std::filesystem;

std::string read_file(const std::string& path) {
  constexpr std::uint64_t largest = std::uint64_t{1} << 30;
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) throw InputError(path, "no such file");
    throw IoError(path, "read", errno);
  }
  if (!S_ISREG(facts.st_mode)) throw InputError(path, "is not a regular file");
  if (static_cast<std::uint64_t>(facts.st_size) > largest) throw InputError(path, "is larger than 1 GiB");
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw IoError(path, "open", errno);
  std::string text;
  char block[65536];
  for (;;) {
    const ssize_t n = ::read(file, block, sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int error = errno;
      ::close(file);
      throw IoError(path, "read", error);
    }
    if (n == 0) break;
    text.append(block, static_cast<std::size_t>(n));
    if (text.size() > largest) {
      ::close(file);
      throw InputError(path, "is larger than 1 GiB");
    }
  }
  ::close(file);
  return text;
}

std::string program_path() {
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/exe", error);
  if (error) throw IoError("/proc/self/exe", "read", error.value());
  return path.string();
}

std::string configs_folder() {
  std::vector<fs::path> places;
  if (const char* given = std::getenv("FEEDTUNE_CONFIGS"); given != nullptr && *given != '\0') {
    places.emplace_back(given);
  } else {
    const fs::path folder = fs::path(program_path()).parent_path();
    places = {folder / "configs", folder.parent_path() / "configs", folder.parent_path() / "share" / "feedtune" / "configs"};
  }
  std::string looked;
  for (const auto& place : places) {
    std::error_code error;
    if (fs::is_directory(place / "devices", error)) return place.string();
    looked.append(looked.empty() ? "" : ", ").append(place.string());
  }
  throw InputError("configs", "the folder with devices/ and anchors-v1.json was not found; looked in " + looked +
                                  " (FEEDTUNE_CONFIGS names another)");
}

std::string cache_folder() {
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg == '/') return (fs::path(xdg) / "feedtune").string();
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') return (fs::path(home) / ".cache" / "feedtune").string();
  return (fs::temp_directory_path() / "feedtune").string();
}

}  // namespace feedtune
