#include "pipeline/opencv_module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <limits.h>
#include <unistd.h>

#include <string>

namespace feedtune {
namespace {

std::string program_folder() {
  char path[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  const std::string text(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  return text.substr(0, text.rfind('/') + 1);
}

struct LoadedModule {
  OpencvModule module;
  std::string reason;
};

LoadedModule load() {
  LoadedModule loaded;
  const std::string folder = program_folder();
  for (const std::string& path : {folder + "feedtune-opencv.so", folder + "../lib/feedtune/feedtune-opencv.so"}) {
    if (::access(path.c_str(), F_OK) != 0) continue;
    void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      loaded.reason = ::dlerror();
      return loaded;
    }
    const auto entry = reinterpret_cast<FeedtuneOpencvEntry>(::dlsym(library, "feedtune_opencv_entry"));
    loaded.module.functions = entry == nullptr ? nullptr : entry(FEEDTUNE_BUILD_ID);
    if (loaded.module.functions == nullptr)
      loaded.reason = fmt::format("{} belongs to another build of feedtune", path);
    return loaded;
  }
  loaded.reason =
      "feedtune-opencv.so is not there (not built without libopencv-imgcodecs-dev and libopencv-imgproc-dev)";
  return loaded;
}

}  // namespace

const OpencvModule& opencv_module() {
  static const LoadedModule loaded = load();
  static const OpencvModule module{loaded.module.functions, loaded.reason.c_str()};
  return module;
}

}  // namespace feedtune
