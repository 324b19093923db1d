#pragma once
// What FAKE_CUDA asks for: comma-separated words and NAME=VALUE, read once.
//   no_driver | old_driver | no_device     what the machine lacks
//   memory=BYTES  pinned=BYTES             capacities (8 GB; no limit)
//   h2d_gbps=X  pageable_gbps=X            rates of copies to the device (as fast as memcpy)
//   compute=MAJOR                          compute capability (9)
//   no_pools                               no stream-ordered allocation
//   pool_block=BYTES                       what a pool takes from the device at a time, and keeps (as much as is asked for)
//   fail_kernel=N                          the N-th kernel ends in an error that sticks
//   hang_kernel=N                          the N-th kernel never ends
//   nvml_period=SECONDS                    NVML's utilisation is 95 % for the first half of each period and 5 % for the rest

#include <cstdint>
#include <string>

namespace fake_cuda {

struct Settings {
  bool no_driver = false, old_driver = false, no_device = false, no_pools = false;
  std::uint64_t memory = 8'000'000'000, pinned = UINT64_MAX, pool_block = 0;
  double h2d_gbps = 0, pageable_gbps = 0, nvml_period = 0;
  int compute = 9;
  std::int64_t fail_kernel = 0, hang_kernel = 0;
};

/// Ends the process on a word it doesn't know: a test that asks for nothing must not pass.
const Settings& settings();

/// "fake CUDA: ..." on stderr, then abort: the program under test did what no GPU would report.
[[noreturn]] void broken(const std::string& what);

}  // namespace fake_cuda
