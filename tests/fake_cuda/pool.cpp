#include "pool.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "memory.hpp"
#include "settings.hpp"

namespace fake_cuda {
namespace {

struct Taken {
  PoolBytes* pool;
  std::size_t bytes;
};

struct Pools {
  std::mutex mutex;
  std::set<PoolBytes*> living;
  std::map<void*, Taken> taken;
};

Pools& pools() {
  static auto& all = *new Pools;
  return all;
}

}  // namespace

void* create_pool() {
  const std::lock_guard lock(pools().mutex);
  return *pools().living.insert(new PoolBytes).first;
}

void destroy_pool(void* pool) {
  const std::lock_guard lock(pools().mutex);
  auto* const gone = static_cast<PoolBytes*>(pool);
  if (pools().living.erase(gone) == 0) broken("a pool is destroyed that isn't there");
  std::erase_if(pools().taken, [&](const auto& one) { return one.second.pool == gone; });
  delete gone;
}

void* take_from_pool(void* pool, std::size_t bytes) {
  const std::lock_guard lock(pools().mutex);
  auto* const from = static_cast<PoolBytes*>(pool);
  if (!pools().living.contains(from)) broken("memory is taken from a pool that isn't there");
  void* const address = device_memory().take(bytes);
  if (address == nullptr) return nullptr;
  pools().taken[address] = {from, bytes};
  from->used += bytes;
  const std::uint64_t block = std::max<std::uint64_t>(settings().pool_block, 1);
  from->reserved = std::max(from->reserved, (from->used + block - 1) / block * block);
  return address;
}

void left_pool(void* address) {
  const std::lock_guard lock(pools().mutex);
  const auto found = pools().taken.find(address);
  if (found == pools().taken.end()) return;
  found->second.pool->used -= found->second.bytes;
  pools().taken.erase(found);
}

std::uint64_t idle_pool_bytes() {
  if (settings().pool_block == 0) return 0;
  const std::lock_guard lock(pools().mutex);
  std::uint64_t idle = 0;
  for (const PoolBytes* pool : pools().living) idle += pool->reserved - pool->used;
  return idle;
}

}  // namespace fake_cuda
