// Stands for a profiler: what NVTX loads from NVTX_INJECTION64_PATH. Appends what each thread does to the file NVTX_RECORD, a line
// at a time: "PROCESS THREAD push NAME", "... pop", "... thread NAME".
#include <fcntl.h>
#include <nvtx3/nvToolsExt.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace {

void record(long thread, const std::string& what) {
  static const int file = ::open(std::getenv("NVTX_RECORD"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  const std::string line = std::to_string(::getpid()) + ' ' + std::to_string(thread) + ' ' + what + '\n';
  if (::write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size())) std::abort();
}

int push(const char* name) {
  record(::gettid(), std::string("push ") + name);
  return 0;
}
int pop() {
  record(::gettid(), "pop");
  return 0;
}
void name_thread(std::uint32_t thread, const char* name) { record(thread, std::string("thread ") + name); }

template <class F>
void set(NvtxFunctionTable table, NvtxCallbackIdCore function, F* to) {
  *table[function] = reinterpret_cast<NvtxFunctionPointer>(to);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks == nullptr || callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) == 0) return 0;
  set(table, NVTX_CBID_CORE_RangePushA, &push);
  set(table, NVTX_CBID_CORE_RangePop, &pop);
  set(table, NVTX_CBID_CORE_NameOsThreadA, &name_thread);
  return 1;
}
