#pragma once
// Memory pools, as a driver has them that never gives a block back while its pool lives: taken in blocks, kept for the next one.

#include <cstdint>

namespace fake_cuda {

struct PoolBytes {
  std::uint64_t used = 0;
  std::uint64_t reserved = 0;  ///< whole blocks; only grows
};

/// A handle, never null.
void* create_pool();
void destroy_pool(void* pool);
/// Null: the device is full.
void* take_from_pool(void* pool, std::size_t bytes);
/// For what take_from_pool() gave; what came from elsewhere is left alone.
void left_pool(void* address);
/// What all pools hold beyond what was taken from them.
std::uint64_t idle_pool_bytes();

}  // namespace fake_cuda
