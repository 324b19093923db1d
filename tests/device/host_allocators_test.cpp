#include "device/host_allocators.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <limits>
#include <thread>
#include <vector>

#include "core/error.hpp"

using namespace feedtune;

namespace {

std::vector<std::shared_ptr<HostAllocator>> both() {
  return {std::make_shared<PageableAllocator>(), std::make_shared<LockedAllocator>()};
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool mlock_is_a_stub = true;  // the sanitizers' runtimes make it succeed without locking
#else
constexpr bool mlock_is_a_stub = false;
#endif

/// Runs `body` in a child without root's right to lock memory, its lock limit set; returns the child's exit code.
template <class Body>
int in_child_with_lock_limit(rlim_t bytes, Body body) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{bytes, bytes};
    if (setrlimit(RLIMIT_MEMLOCK, &limit) != 0) _exit(100);
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(101);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 200 + WTERMSIG(status);
}

}  // namespace

TEST(HostAllocators, BlocksAreAlignedZeroedAndOfTheKindTheyClaim) {
  for (const auto& allocator : both()) {
    for (const std::size_t bytes : {1u, 63u, 100u, 4095u, 4096u, 5000u, 3'000'000u}) {
      const HostBuffer block = allocator->allocate(bytes);
      const auto address = reinterpret_cast<std::uintptr_t>(block.data());
      EXPECT_EQ(address % (bytes >= 4096 ? 4096 : 64), 0u) << bytes;
      EXPECT_EQ(block.size(), bytes);
      EXPECT_EQ(block.kind(), allocator->kind());
      EXPECT_EQ(std::count(block.bytes().begin(), block.bytes().end(), std::byte{0}), static_cast<std::ptrdiff_t>(bytes));
      std::memset(block.data(), 0xab, bytes);  // all of it is ours
    }
  }
}

TEST(HostAllocators, BlocksOfTwoMebibytesAndMoreCanBeHugePages) {
  for (const auto& allocator : both()) {
    const HostBuffer block = allocator->allocate((std::size_t{2} << 20) + 1);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data()) % (std::size_t{2} << 20), 0u);
  }
}

TEST(HostAllocators, PagesAreThereBeforeTheFirstUseSoThatNoTrialTimesPageFaults) {
  for (const auto& allocator : both()) {
    const HostBuffer block = allocator->allocate(std::size_t{5} << 20);
    std::vector<unsigned char> resident(block.size() / 4096);
    ASSERT_EQ(mincore(block.data(), block.size(), resident.data()), 0);
    for (std::size_t page = 0; page < resident.size(); ++page) ASSERT_TRUE(resident[page] & 1) << page;
  }
}

TEST(HostAllocators, WhatIsGivenOutIsCountedUntilItComesBack) {
  for (const auto& allocator : both()) {
    {
      const HostBuffer small = allocator->allocate(100);
      const HostBuffer big = allocator->allocate(10'000);
      EXPECT_EQ(allocator->allocated_bytes(), 10'100u);
      EXPECT_LE(allocator->locked_bytes(), 10'100u);
    }
    EXPECT_EQ(allocator->allocated_bytes(), 0u);
    EXPECT_EQ(allocator->locked_bytes(), 0u);
  }
}

TEST(HostAllocators, ABufferMayOutliveItsAllocator) {
  for (auto allocator : both()) {
    HostBuffer block = allocator->allocate(100'000);
    allocator.reset();
    std::memset(block.data(), 1, block.size());
    block = {};
    EXPECT_FALSE(block);
  }
}

TEST(HostAllocators, ZeroBytesAreAnEmptyBufferOfTheKind) {
  for (const auto& allocator : both()) {
    const HostBuffer block = allocator->allocate(0);
    EXPECT_EQ(block.size(), 0u);
    EXPECT_EQ(block.kind(), allocator->kind());
  }
}

TEST(HostAllocators, MoreThanTheMachineHasIsOutOfHostMemoryNotADeadProcess) {
  const auto machine = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (const auto& allocator : both()) {
    for (const std::size_t bytes : {machine + 1, std::size_t{1} << 60, std::numeric_limits<std::size_t>::max()}) {
      try {
        allocator->allocate(bytes);
        FAIL() << bytes;
      } catch (const OutOfMemory& error) {
        EXPECT_EQ(error.where(), MemoryKind::host);
        EXPECT_EQ(error.requested_bytes(), bytes);
      }
    }
    EXPECT_EQ(allocator->allocated_bytes(), 0u);
  }
}

TEST(HostAllocators, ABlockThatTheContainersLimitHasNoRoomForIsRefusedBeforeItIsTouched) {
  // A float32 batch of 64: 38.5 MB, in a container with 40 MB left, of which something has to stay for the rest.
  const std::size_t batch = std::size_t{64} * 3 * 224 * 224 * 4;
  std::int64_t left = 40'000'000;
  const HostMemoryLeft asked = [&] { return left; };
  for (const std::shared_ptr<HostAllocator>& allocator :
       {std::shared_ptr<HostAllocator>(std::make_shared<PageableAllocator>(asked)), std::shared_ptr<HostAllocator>(std::make_shared<LockedAllocator>(asked))}) {
    left = 40'000'000;
    try {
      allocator->allocate(batch);
      FAIL();
    } catch (const OutOfMemory& error) {
      EXPECT_EQ(error.where(), MemoryKind::host);
      EXPECT_EQ(error.requested_bytes(), batch);
      EXPECT_GT(error.limit_bytes(), 0u);
      EXPECT_LT(error.limit_bytes(), 40'000'000u);
    }
    left = 60'000'000;
    EXPECT_EQ(allocator->allocate(batch).size(), batch);
    left = 0;
    EXPECT_THROW(allocator->allocate(5000), OutOfMemory) << "many small blocks fill a container too";
    EXPECT_EQ(allocator->allocated_bytes(), 0u);
  }
}

TEST(HostAllocators, ManyThreadsShareOneAllocator) {
  for (const auto& allocator : both()) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&allocator, t] {
        for (int i = 0; i < 50; ++i) {
          const HostBuffer block = allocator->allocate(static_cast<std::size_t>(1000 * (t + 1) + 500 * i));
          std::memset(block.data(), t, block.size());
          for (const std::byte value : block.bytes()) ASSERT_EQ(value, static_cast<std::byte>(t));
        }
      });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(allocator->allocated_bytes(), 0u);
    EXPECT_EQ(allocator->locked_bytes(), 0u);
  }
}

TEST(HostAllocators, WithRoomUnderTheLimitAllOfAPinnedBlockIsLocked) {
  EXPECT_EQ(in_child_with_lock_limit(std::size_t{1} << 20,
                                     [] {
                                       LockedAllocator allocator;
                                       const HostBuffer block = allocator.allocate(100'000);
                                       return allocator.locked_bytes() == 100'000 ? 0 : 1;
                                     }),
            0);
}

TEST(HostAllocators, ASmallLockLimitLeavesPinnedMemoryPinnedAndSaysHowMuchIsLocked) {
  if (mlock_is_a_stub) GTEST_SKIP() << "mlock does nothing under this sanitizer";
  EXPECT_EQ(in_child_with_lock_limit(std::size_t{256} << 10,
                                     [] {
                                       LockedAllocator allocator;
                                       HostBuffer block = allocator.allocate(std::size_t{3} << 20);
                                       if (block.kind() != HostMemory::pinned) return 1;
                                       if (allocator.allocated_bytes() != std::size_t{3} << 20) return 2;
                                       if (allocator.locked_bytes() != std::size_t{256} << 10) return 3;
                                       const HostBuffer second = allocator.allocate(1000);
                                       if (allocator.locked_bytes() != std::size_t{256} << 10) return 4;
                                       block = {};
                                       const HostBuffer third = allocator.allocate(100'000);
                                       return allocator.locked_bytes() == 100'000 ? 0 : 5;  // the room came back
                                     }),
            0);
}

TEST(HostAllocators, MemoryOfOthersIsLockedWhileItIsPinnedAndTheRoomComesBack) {
  if (mlock_is_a_stub) GTEST_SKIP() << "mlock does nothing under this sanitizer";
  EXPECT_EQ(in_child_with_lock_limit(std::size_t{256} << 10,
                                     [] {
                                       PageableAllocator pageable;
                                       LockedAllocator allocator;
                                       const HostBuffer block = pageable.allocate(std::size_t{200} << 10);
                                       const HostBuffer large = pageable.allocate(std::size_t{3} << 20);
                                       PinnedRange range = allocator.pin(block.bytes());
                                       if (allocator.locked_bytes() != block.size()) return 1;
                                       range = allocator.pin({});
                                       if (allocator.allocated_bytes() != 0 || allocator.locked_bytes() != 0) return 2;
                                       range = allocator.pin(large.bytes());
                                       if (allocator.allocated_bytes() != large.size()) return 3;
                                       return allocator.locked_bytes() == std::size_t{256} << 10 ? 0 : 4;
                                     }),
            0);
}

TEST(HostAllocators, WithoutAnyRightToLockPinnedMemoryStillWorks) {
  if (mlock_is_a_stub) GTEST_SKIP() << "mlock does nothing under this sanitizer";
  EXPECT_EQ(in_child_with_lock_limit(0,
                                     [] {
                                       LockedAllocator allocator;
                                       const HostBuffer block = allocator.allocate(1 << 20);
                                       std::memset(block.data(), 1, block.size());
                                       return allocator.locked_bytes() == 0 && block.kind() == HostMemory::pinned ? 0 : 1;
                                     }),
            0);
}
