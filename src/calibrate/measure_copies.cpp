#include "calibrate/measure_copies.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"

namespace feedtune {
namespace {

constexpr std::size_t kib = 1 << 10, mib = 1 << 20;
// From 64 KiB to 256 MiB by fours; 32 MiB is the one that is held out of the fit.
constexpr std::size_t sizes[] = {64 * kib, 256 * kib, mib, 4 * mib, 16 * mib, 32 * mib, 64 * mib, 256 * mib};
constexpr std::size_t least_sizes = 4;
constexpr int most_rounds = 9;
constexpr double share_of_one_copy = 0.1;  // of the time

struct Source {
  HostMemory kind;
  HostBuffer memory;
};

/// The largest of the sizes that the host gives in that kind; throws what the smallest one is refused with.
HostBuffer take_source(Device& device, HostMemory kind, std::size_t most, std::vector<std::string>& notes) {
  const auto allocator = device.memory().host(kind);
  for (std::size_t i = std::size(sizes); i-- > 0;) {
    if (sizes[i] > most) continue;
    try {
      return allocator->allocate(sizes[i]);
    } catch (const TrialFailure& refused) {
      if (i + 1 <= least_sizes) throw;
      notes.push_back(fmt::format("copies of {} MiB from {} memory: {}", sizes[i] / mib, to_text(kind), refused.what()));
    }
  }
  throw OutOfMemory(MemoryKind::device, sizes[0], device.memory().limit_bytes());
}

DeviceBuffer take_target(Device& device) {
  for (std::size_t i = std::size(sizes); i-- > 1;) {
    try {
      return device.memory().allocate(sizes[i]);
    } catch (const OutOfMemory&) {
    }
  }
  return device.memory().allocate(sizes[0]);
}

}  // namespace

std::map<std::string, std::vector<SizeTimes>> measure_copies(Stopwatch& watch, double launch_us, double seconds,
                                                             std::vector<std::string>& notes) {
  Device& device = watch.device();
  const DeviceBuffer target = take_target(device);
  std::vector<Source> sources;
  for (const HostMemory kind : {HostMemory::pinned, HostMemory::pageable})
    sources.push_back({kind, take_source(device, kind, target.size(), notes)});

  std::map<std::string, std::vector<SizeTimes>> times;
  std::map<HostMemory, std::size_t> most;
  for (const Source& source : sources) most[source.kind] = source.memory.size();
  const auto copy = [&](const Source& source, std::size_t bytes) {
    watch.drain();
    return watch.device_us([&] { watch.stream().copy_to_device(target.address(), source.memory.bytes().first(bytes), source.kind); },
                           source.kind == HostMemory::pinned ? 4 * launch_us : 0);
  };
  for (const Source& source : sources) copy(source, sizes[0]);  // the first one sets its path up
  const Nanoseconds begin = watch.clock().now();
  for (int round = 0; round < most_rounds; ++round) {
    for (std::size_t i = 0; i < std::size(sizes); ++i) {
      // Up and down in turn, so that a drift does not look like a size.
      const std::size_t at = round % 2 == 0 ? i : std::size(sizes) - 1 - i;
      for (const Source& source : sources) {
        if (sizes[at] > most[source.kind]) continue;
        const double us = copy(source, sizes[at]);
        auto& list = times[std::string(to_text(source.kind))];
        if (list.size() <= at) list.push_back({.size = static_cast<double>(sizes[at]), .us = {}});
        list[at].us.push_back(std::max(us, 1e-3));
        if (round == 0 && at + 1 >= least_sizes && at + 1 < std::size(sizes) && sizes[at + 1] <= most[source.kind] && us * 4e-6 > share_of_one_copy * seconds) {
          notes.push_back(fmt::format("copies of {} MiB and more from {} memory would take too much of the time", sizes[at + 1] / mib, to_text(source.kind)));
          most[source.kind] = sizes[at];
        }
      }
    }
    if (to_s(watch.clock().now() - begin) * (round + 2) / (round + 1) > seconds) break;
  }
  return times;
}

}  // namespace feedtune
