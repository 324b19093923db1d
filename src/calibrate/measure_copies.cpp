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
constexpr int most_rounds = 3;  // of one call
constexpr double share_of_one_copy = 0.3;  // of the time of one call

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

void measure_copies(Stopwatch& watch, double launch_us, double seconds, CopyRounds& rounds, std::vector<std::string>& notes) {
  Device& device = watch.device();
  const bool first = rounds.done == 0;
  const DeviceBuffer target = take_target(device);
  std::vector<Source> sources;
  for (const HostMemory kind : {HostMemory::pinned, HostMemory::pageable}) {
    if (!first && !rounds.most.contains(kind)) continue;  // refused before
    try {
      const std::size_t most = first ? target.size() : std::min(target.size(), rounds.most[kind]);
      std::vector<std::string> ignored;
      sources.push_back({kind, take_source(device, kind, most, first ? notes : ignored)});
    } catch (const TrialFailure& refused) {
      if (kind != HostMemory::pinned || refused.status() != TrialStatus::unsupported) throw;
      notes.push_back(fmt::format("copies from pinned memory: {}; the profile has no rate for them", refused.what()));
      continue;
    }
    if (first) rounds.most[kind] = sources.back().memory.size();
  }

  const auto copy = [&](const Source& source, std::size_t bytes) {
    watch.drain();
    return watch.device_us([&] { watch.stream().copy_to_device(target.address(), source.memory.bytes().first(bytes), source.kind); },
                           source.kind == HostMemory::pinned ? 4 * launch_us : 0);
  };
  for (const Source& source : sources) copy(source, sizes[0]);  // the first one sets its path up
  const Nanoseconds begin = watch.clock().now();
  for (int round = 0; round < most_rounds; ++round, ++rounds.done) {
    for (std::size_t i = 0; i < std::size(sizes); ++i) {
      // Up and down in turn, so that a drift does not look like a size.
      const std::size_t at = rounds.done % 2 == 0 ? i : std::size(sizes) - 1 - i;
      for (const Source& source : sources) {
        std::size_t& most = rounds.most[source.kind];
        if (sizes[at] > std::min(most, source.memory.size())) continue;
        const double us = copy(source, sizes[at]);
        auto& list = rounds.times[std::string(to_text(source.kind))];
        if (list.size() <= at) list.push_back({.size = static_cast<double>(sizes[at]), .us = {}});
        list[at].us.push_back(std::max(us, 1e-3));
        if (rounds.done == 0 && at + 1 >= least_sizes && at + 1 < std::size(sizes) && sizes[at + 1] <= most && us * 4e-6 > share_of_one_copy * seconds) {
          notes.push_back(fmt::format("copies of {} MiB and more from {} memory would take too much of the time", sizes[at + 1] / mib, to_text(source.kind)));
          most = sizes[at];
        }
      }
    }
    if (to_s(watch.clock().now() - begin) * (round + 2) / (round + 1) > seconds) {
      ++rounds.done;
      return;
    }
  }
}

}  // namespace feedtune
