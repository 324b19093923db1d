#include "memory.hpp"

#include <sys/mman.h>

#include <iterator>

#include "settings.hpp"

namespace fake_cuda {
namespace {

constexpr std::size_t page = 4096;

}  // namespace

void* Memory::take(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes > capacity_ - used_) return nullptr;
  const std::size_t whole = (bytes + page - 1) / page * page;
  void* address = ::mmap(nullptr, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) return nullptr;
  ::mprotect(static_cast<char*>(address) + whole, page, PROT_NONE);
  blocks_[reinterpret_cast<std::uintptr_t>(address)] = {bytes, whole, false, false, {}};
  used_ += bytes;
  return address;
}

void Memory::retire(void* address) {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(address));
  if (found == blocks_.end() || found->second.retired) broken("memory is given back that isn't taken");
  found->second.retired = true;
}

void Memory::give_back(void* address) {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(address));
  if (found == blocks_.end() || found->second.registered) broken("memory is given back that isn't taken");
  // The range stays reserved, without memory: a late use faults.
  ::mmap(address, found->second.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  used_ -= found->second.bytes;
  blocks_.erase(found);
}

Memory::Registered Memory::add(void* address, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  // By whole pages, as the driver pins them.
  const auto begin = reinterpret_cast<std::uintptr_t>(address) / page * page, end = reinterpret_cast<std::uintptr_t>(address) + bytes;
  const auto after = blocks_.lower_bound(end);
  if (after != blocks_.begin()) {
    const auto& [at, block] = *std::prev(after);
    if ((at + block.bytes + page - 1) / page * page > begin) return Registered::already;
  }
  if (bytes > capacity_ - used_) return Registered::full;
  blocks_[reinterpret_cast<std::uintptr_t>(address)] = {bytes, 0, false, true, {}};
  used_ += bytes;
  return Registered::yes;
}

void Memory::remove(void* address) {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(address));
  if (found == blocks_.end() || !found->second.registered) broken("memory is unregistered that isn't registered");
  auto* first = reinterpret_cast<void*>(found->first / page * page);
  if (::msync(first, found->second.bytes, MS_ASYNC) != 0) broken("registered memory was given back before it was unregistered");
  used_ -= found->second.bytes;
  blocks_.erase(found);
}

std::uint64_t Memory::used() {
  const std::lock_guard lock(mutex_);
  return used_;
}

std::size_t Memory::blocks() {
  const std::lock_guard lock(mutex_);
  return blocks_.size();
}

std::uintptr_t Memory::find(const void* address, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  auto after = blocks_.upper_bound(begin);
  if (after == blocks_.begin()) return 0;
  --after;
  if (after->second.retired || begin >= after->first + after->second.bytes) return 0;
  if (begin + bytes > after->first + after->second.bytes) broken("an access goes beyond its block");
  return after->first;
}

void Memory::use(std::uintptr_t block, Actor actor, const Moment& now, bool write, const char* what) {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(block);
  if (found == blocks_.end()) broken(std::string(what) + " uses memory that was given back");
  if (found->second.uses.clash(actor, now, write))
    broken(std::string(what) + " is not ordered against another stream's use of the same memory: an event is missing");
  found->second.uses.add(actor, now, write);
}

// Never destroyed: the program's last objects may still give memory back.
Memory& device_memory() {
  static Memory& memory = *new Memory(settings().memory);
  return memory;
}

Memory& pinned_memory() {
  static Memory& memory = *new Memory(settings().pinned);
  return memory;
}

}  // namespace fake_cuda
