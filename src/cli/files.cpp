#include "cli/files.hpp"

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "core/error.hpp"

namespace feedtune {
namespace fs = std::filesystem;

std::string program_path() {
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/exe", error);
  if (error) throw IoError("/proc/self/exe", "read", error.value());
  const char* given = std::getenv("FEEDTUNE_LAUNCHER");
  if (given == nullptr) return path.string();
  // Whatever a bundle's program starts inherits it, also a feedtune that is no bundle's.
  const fs::path launcher(given), loader = launcher.parent_path() / "lib" / "ld.so";
  return launcher.is_absolute() && fs::equivalent(loader, path, error) && !error ? launcher.string() : path.string();
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
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  if (error) throw IoError("TMPDIR", "use it as a folder", error.value());
  return (temporary / "feedtune").string();
}

}  // namespace feedtune
