// Replaces the global allocation functions of this test program in order to count.

// g++ sees malloc() and free() through the inlined functions and takes them for a mismatched pair.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "measure/phase_recorder.hpp"

namespace {
std::atomic<long> allocations{0};
}

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

using namespace feedtune;

TEST(PhaseRecorder, MeasuringDoesNotAllocate) {
  PhaseRecorders recorders(1000);
  PhaseRecorder& step = recorders.at("step");
  const long before = allocations;
  for (int i = 0; i < 5000; ++i) step.record(Nanoseconds{i * 1000});
  recorders.clear();
  for (int i = 0; i < 5000; ++i) step.record(Nanoseconds{i * 1000});
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(recorders.summaries().at("step").count, 5000);
  EXPECT_GT(allocations, before) << "or the counting doesn't work";
}
