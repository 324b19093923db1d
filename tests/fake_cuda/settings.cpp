#include "settings.hpp"

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace fake_cuda {
namespace {

Settings parse(const std::string& text) {
  Settings s;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const double value = equals == std::string::npos ? 1 : std::strtod(word.c_str() + equals + 1, nullptr);
    if (name == "no_driver") s.no_driver = true;
    else if (name == "old_driver") s.old_driver = true;
    else if (name == "no_device") s.no_device = true;
    else if (name == "no_pools") s.no_pools = true;
    else if (name == "memory") s.memory = static_cast<std::uint64_t>(value);
    else if (name == "pinned") s.pinned = static_cast<std::uint64_t>(value);
    else if (name == "pool_block") s.pool_block = static_cast<std::uint64_t>(value);
    else if (name == "h2d_gbps") s.h2d_gbps = value;
    else if (name == "pageable_gbps") s.pageable_gbps = value;
    else if (name == "compute") s.compute = static_cast<int>(value);
    else if (name == "fail_kernel") s.fail_kernel = static_cast<std::int64_t>(value);
    else if (name == "hang_kernel") s.hang_kernel = static_cast<std::int64_t>(value);
    else if (name == "nvml_period") s.nvml_period = value;
    else if (!name.empty()) broken("FAKE_CUDA has no '" + name + "'");
  }
  return s;
}

}  // namespace

const Settings& settings() {
  static const Settings all = [] {
    const char* text = std::getenv("FAKE_CUDA");
    return parse(text == nullptr ? "" : text);
  }();
  return all;
}

void broken(const std::string& what) {
  std::fprintf(stderr, "fake CUDA: %s\n", what.c_str());
  std::fflush(stderr);
  std::abort();
}

}  // namespace fake_cuda
