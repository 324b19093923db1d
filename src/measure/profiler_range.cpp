#include "measure/profiler_range.hpp"

#ifdef FEEDTUNE_HAVE_NVTX
#include <unistd.h>

#define NVTX_AS_SYSTEM_HEADER
#include <nvtx3/nvToolsExt.h>
#endif

namespace feedtune {

#ifdef FEEDTUNE_HAVE_NVTX
void ProfilerRange::push(const char* name) { nvtxRangePushA(name); }
void ProfilerRange::pop() { nvtxRangePop(); }
void name_profiled_thread(const std::string& name) { nvtxNameOsThreadA(static_cast<std::uint32_t>(::gettid()), name.c_str()); }
#else
void ProfilerRange::push(const char*) {}
void ProfilerRange::pop() {}
void name_profiled_thread(const std::string&) {}
#endif

}  // namespace feedtune
