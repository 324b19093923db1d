#include "device/cuda_plugin.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <limits.h>
#include <unistd.h>

#include "device/elf_fault.hpp"

namespace feedtune {
namespace {

constexpr const char* file_name = "feedtune-cuda.so";

std::string program_folder() {
  char path[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  const std::string text(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  return text.substr(0, text.rfind('/') + 1);
}

LoadedCudaPlugin load() {
  LoadedCudaPlugin loaded;
  if (FEEDTUNE_CUDA_MAJOR == 0) {
    loaded.status = {CudaAbsence::not_built, "this build has no CUDA backend (no CUDA Toolkit was found)", {}};
    return loaded;
  }
  const std::string folder = program_folder();
  for (const std::string& path : {folder + file_name, folder + "../lib/feedtune/" + file_name}) {
    if (::access(path.c_str(), F_OK) != 0) continue;
    if (const std::string fault = elf_fault(path); !fault.empty()) {
      loaded.status = {CudaAbsence::damaged, fmt::format("{} {}; build or unpack it again", path, fault), {}};
      return loaded;
    }
    void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == nullptr) {
      // dlerror() names the library that is missing; the loader looks along LD_LIBRARY_PATH, the plugin's run path and its cache.
      loaded.status = {CudaAbsence::library_missing,
                       fmt::format("{} ({} is there; it needs CUDA {}'s libcudart and libcublas: set LD_LIBRARY_PATH to their folder)",
                                   ::dlerror(), path, FEEDTUNE_CUDA_MAJOR), {}};
      return loaded;
    }
    const auto entry = reinterpret_cast<FeedtuneCudaEntry>(::dlsym(library, "feedtune_cuda_entry"));
    loaded.plugin = entry == nullptr ? nullptr : entry(FEEDTUNE_CUDA_BUILD_ID);
    if (loaded.plugin == nullptr)
      loaded.status = {CudaAbsence::other_build, fmt::format("{} belongs to another build of feedtune", path), {}};
    return loaded;
  }
  loaded.status = {CudaAbsence::library_missing,
                   fmt::format("{} is neither in {} nor in {}../lib/feedtune", file_name, folder, folder), {}};
  return loaded;
}

}  // namespace

const LoadedCudaPlugin& cuda_plugin() {
  static const LoadedCudaPlugin loaded = load();
  return loaded;
}

CudaStatus cuda_status() {
  const LoadedCudaPlugin& loaded = cuda_plugin();
  return loaded.plugin == nullptr ? loaded.status : loaded.plugin->status();
}

}  // namespace feedtune
