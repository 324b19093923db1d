#include "replay/synthetic_axes.hpp"

#include <cmath>
#include <set>

#include "replay/seeded_draw.hpp"

namespace feedtune {
namespace {

std::vector<AxisValue> numbers(const std::set<std::int64_t>& values) { return {values.begin(), values.end()}; }
std::vector<AxisValue> texts(std::initializer_list<const char*> values) {
  std::vector<AxisValue> all;
  for (const char* value : values) all.emplace_back(std::string(value));
  return all;
}

std::set<std::int64_t> batch_sizes(SyntheticFamily family, bool small) {
  if (small) return {32, 128, 512};
  if (family == SyntheticFamily::cpu_device) return {16, 24, 32, 40, 48, 64, 80, 96, 112, 128};
  if (family == SyntheticFamily::tile_quantised) return {32, 48, 64, 96, 128, 192, 256, 384, 512};
  if (family == SyntheticFamily::all_but_one_infeasible) return {16, 24, 32, 48, 64, 80, 96, 128, 160, 192, 256, 384, 512, 640, 768, 1024};
  if (family == SyntheticFamily::zero_workers_best) return {8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024};
  return {16, 32, 64, 128, 256, 512, 1024};
}

/// As feedtune sweeps them by default: 0, the powers of two, the CPUs once and twice.
std::set<std::int64_t> worker_counts(double effective_cpus) {
  const std::int64_t cpus = std::llround(effective_cpus);
  std::set<std::int64_t> counts = {0, cpus, 2 * cpus};
  for (std::int64_t count = 1; count <= 2 * cpus; count *= 2) counts.insert(count);
  return counts;
}

}  // namespace

std::map<std::string, std::vector<AxisValue>> synthetic_axes(std::uint64_t seed, SyntheticFamily family, double effective_cpus, bool small) {
  SeededDraw draw(seed, stream_of("axes"));
  const std::set<std::int64_t> prefetches[] = {{1, 2}, {1, 4}, {2, 4}}, totals[] = {{2, 4}, {2, 8}, {4, 8}};
  std::map<std::string, std::vector<AxisValue>> axes;
  axes["batch_size"] = numbers(batch_sizes(family, small));
  axes["num_workers"] = numbers(worker_counts(effective_cpus));
  axes["host_memory"] = texts({"pageable", "pinned"});
  axes["loader"] = texts({"batch_per_worker", "pooled"});
  axes["prefetch"] = numbers(prefetches[draw.index(3)]);
  axes["ready_batches"] = numbers(totals[draw.index(3)]);
  axes["decoder"] = texts({"turbo", "turbo_full"});
  axes["input_type"] = texts({"uint8", "float32"});
  if (small) {
    axes["prefetch"] = numbers({2});
    axes["ready_batches"] = numbers({4});
    axes["decoder"] = texts({"turbo"});
  }
  if (family == SyntheticFamily::all_but_one_infeasible) {
    // Whatever takes memory without being swept by size would make more than one of them the smallest.
    axes["loader"] = texts({"pooled"});
    axes["ready_batches"] = numbers({2, 3, 4, 6, 8, 12});
    axes["decoder"] = texts({"turbo"});
    axes["input_type"] = texts({"uint8"});
    axes.erase("prefetch");
  }
  if (family == SyntheticFamily::cpu_device) axes.erase("host_memory");
  if ((family == SyntheticFamily::zero_workers_best || family == SyntheticFamily::cpu_device) && !small) {
    axes["prefetch"] = numbers({1, 2, 4});
    axes["ready_batches"] = numbers({2, 4, 8});
  }
  return axes;
}

}  // namespace feedtune
