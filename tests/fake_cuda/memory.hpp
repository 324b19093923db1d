#pragma once
// The fake GPU's memory and pinned host memory: blocks in address ranges of their own that are never used again, so that what
// touches a freed block, or goes beyond one, faults.

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "order.hpp"

namespace fake_cuda {

struct Block {
  std::size_t bytes = 0;
  std::size_t mapped = 0;
  bool retired = false;
  bool registered = false;  ///< the program's own memory
  Uses uses;
};

class Memory {
 public:
  explicit Memory(std::uint64_t capacity) : capacity_(capacity) {}
  /// Null: full.
  void* take(std::size_t bytes);
  /// From now on nobody may begin to use it; what is queued still may. Then give_back().
  void retire(void* address);
  /// Ends the process for an address that is no block's begin: freed twice, or never taken.
  void give_back(void* address);
  enum class Registered { yes, already, full };
  /// Counts memory that the program brings.
  Registered add(void* address, std::size_t bytes);
  /// Ends the process for what was not added, or is no longer mapped.
  void remove(void* address);
  std::uint64_t capacity() const { return capacity_; }
  std::uint64_t used();
  std::size_t blocks();
  /// The begin of the block that [address, address + bytes) lies in, 0: none. Ends the process where it lies partly in one.
  std::uintptr_t find(const void* address, std::size_t bytes);
  /// Checks a use against the earlier ones of the same block and notes it; `block` as find() gave it.
  void use(std::uintptr_t block, Actor actor, const Moment& now, bool write, const char* what);

 private:
  std::mutex mutex_;
  std::map<std::uintptr_t, Block> blocks_;
  std::uint64_t capacity_;
  std::uint64_t used_ = 0;
};

Memory& device_memory();
Memory& pinned_memory();

}  // namespace fake_cuda
