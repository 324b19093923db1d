#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace fake_cuda {

/// One kernel of the program under test, by the device name that nvcc gave it.
struct Kernel {
  std::string name;
  std::size_t functor_bytes = 0;
  bool counted = false;  ///< run_items(functor, count), else run_blocks(functor)
  /// Runs it whole. `functor` points to a copy of its argument.
  void (*run)(const void* functor, std::int64_t count_or_blocks) = nullptr;
};

/// From the mangled name; ends the process for a kernel that src/device/cuda/kernels/list.hpp doesn't have.
Kernel find_kernel(const std::string& mangled);

}  // namespace fake_cuda
