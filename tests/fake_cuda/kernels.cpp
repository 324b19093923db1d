// The program's kernels, run on the CPU through the same functors.
#include "kernels.hpp"

#include <cxxabi.h>

#include <map>
#include <typeinfo>
#include <vector>

#include "device/cuda/kernels/list.hpp"
#include "settings.hpp"

namespace fake_cuda {
namespace {

using namespace feedtune::cuda;

std::string demangled(const char* name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  if (status != 0) broken(std::string("can't read the name ") + name);
  std::string copy(text);
  std::free(text);
  return copy;
}

template <class F>
void run_items(const void* functor, std::int64_t count) {
  const F& kernel = *static_cast<const F*>(functor);
  for (std::int64_t item = 0; item < count; ++item) kernel(item);
}

template <class F, int Phase>
void run_phases(const F& kernel, std::int64_t block, float* shared) {
  for (int thread = 0; thread < F::threads; ++thread) kernel.template run<Phase>(block, thread, shared);
  if constexpr (Phase + 1 < F::phases) run_phases<F, Phase + 1>(kernel, block, shared);
}

template <class F>
void run_blocks(const void* functor, std::int64_t blocks) {
  std::vector<float> shared(F::shared_floats);
  for (std::int64_t block = 0; block < blocks; ++block) run_phases<F, 0>(*static_cast<const F*>(functor), block, shared.data());
}

std::map<std::string, Kernel> known_kernels() {
  std::map<std::string, Kernel> all;
#define FEEDTUNE_ITEMS(...) \
  all[demangled(typeid(__VA_ARGS__).name())] = {"", sizeof(__VA_ARGS__), true, &run_items<__VA_ARGS__>};
#define FEEDTUNE_BLOCKS(...) \
  all[demangled(typeid(__VA_ARGS__).name())] = {"", sizeof(__VA_ARGS__), false, &run_blocks<__VA_ARGS__>};
  FEEDTUNE_ALL_KERNELS(FEEDTUNE_ITEMS, FEEDTUNE_BLOCKS)
  return all;
}

}  // namespace

Kernel find_kernel(const std::string& mangled) {
  static const std::map<std::string, Kernel> known = known_kernels();
  // "void feedtune::cuda::run_items<feedtune::cuda::BiasGelu<float, 4> >(feedtune::cuda::BiasGelu<float, 4>, long)"
  const std::string name = demangled(mangled.c_str());
  const auto begin = name.find("run_");
  const auto open = name.find('<', begin);
  std::size_t end = open;
  int depth = 0;
  for (; end < name.size(); ++end) {
    if (name[end] == '<') ++depth;
    if (name[end] == '>' && --depth == 0) break;
  }
  std::string functor = open == std::string::npos ? "" : name.substr(open + 1, end - open - 1);
  while (!functor.empty() && functor.back() == ' ') functor.pop_back();
  const auto found = known.find(functor);
  if (found == known.end()) broken("no kernel is known as " + name);
  Kernel kernel = found->second;
  if (kernel.counted != (name.compare(begin, 9, "run_items") == 0)) broken("kernel of the other form: " + name);
  kernel.name = functor;
  return kernel;
}

}  // namespace fake_cuda
