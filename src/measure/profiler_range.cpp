#include "measure/profiler_range.hpp"

#ifdef FEEDTUNE_HAVE_NVTX
#include <unistd.h>

#define NVTX_AS_SYSTEM_HEADER
#include <nvtx3/nvToolsExt.h>
#endif

namespace feedtune {

#ifdef FEEDTUNE_HAVE_NVTX
namespace {

/// NVTX looks for a profiler at the first call, and other threads then read without synchronisation what it found: a data race
/// unless that call is over first.
void initialize_once() {
  [[maybe_unused]] static const bool done = (nvtxInitialize(nullptr), true);
}

}  // namespace

void ProfilerRange::push(const char* name) {
  initialize_once();
  nvtxRangePushA(name);
}
void ProfilerRange::pop() { nvtxRangePop(); }  // after a push on the same thread
void name_profiled_thread(const std::string& name) {
  initialize_once();
  nvtxNameOsThreadA(static_cast<std::uint32_t>(::gettid()), name.c_str());
}
#else
void ProfilerRange::push(const char*) {}
void ProfilerRange::pop() {}
void name_profiled_thread(const std::string&) {}
#endif

}  // namespace feedtune
