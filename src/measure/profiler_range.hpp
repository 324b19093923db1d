#pragma once
// Names of phases and threads for a profiler (Nsight Systems and others that speak NVTX).
//
// By NVIDIA's own header, which needs no library and no CUDA: at the first range it looks, by itself, into NVTX_INJECTION64_PATH for
// the library that a profiler has put there. Without a profiler a range costs two calls that find a null pointer; a build without
// the CUDA Toolkit's headers has ranges that do nothing.

#include <string>

namespace feedtune {

/// A range on this thread's own stack of ranges, from here to the end of the scope, also by an exception. Safe from any thread; a
/// range ends on the thread that it began on.
class ProfilerRange {
 public:
  /// `name` lives as long as the program: one of the phases' names (core/phases.hpp).
  explicit ProfilerRange(const char* name) { push(name); }
  ~ProfilerRange() { pop(); }
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
  /// Ends this range and begins the one that follows it.
  void next(const char* name) {
    pop();
    push(name);
  }

 private:
  static void push(const char* name);
  static void pop();
};

/// What a profiler calls the calling thread.
void name_profiled_thread(const std::string& name);

}  // namespace feedtune
