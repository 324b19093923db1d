#include "pipeline/cpu_affinity.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "core/error.hpp"
#include "core/kernel_text.hpp"

namespace feedtune {
namespace {

/// A set of CPUs as large as the kernel's may be.
class CpuSet {
 public:
  static constexpr int most = 8192;
  CpuSet() : set_(CPU_ALLOC(most)), bytes_(CPU_ALLOC_SIZE(most)) { CPU_ZERO_S(bytes_, set_); }
  ~CpuSet() { CPU_FREE(set_); }
  CpuSet(const CpuSet&) = delete;
  CpuSet& operator=(const CpuSet&) = delete;
  void add(int cpu) { CPU_SET_S(cpu, bytes_, set_); }
  bool has(int cpu) const { return CPU_ISSET_S(cpu, bytes_, set_); }
  cpu_set_t* get() const { return set_; }
  std::size_t bytes() const { return bytes_; }

 private:
  cpu_set_t* set_;
  std::size_t bytes_;
};

}  // namespace

std::vector<int> allowed_cpus() {
  CpuSet set;
  std::vector<int> cpus;
  if (::sched_getaffinity(0, set.bytes(), set.get()) != 0) return cpus;
  for (int cpu = 0; cpu < CpuSet::most; ++cpu)
    if (set.has(cpu)) cpus.push_back(cpu);
  return cpus;
}

std::vector<int> node_cpus(const std::string& root, int node) {
  std::ifstream file(fmt::format("{}/sys/devices/system/node/node{}/cpulist", root, node));
  const auto cpus = parse_cpu_list(std::string(std::istreambuf_iterator<char>(file), {}));
  return cpus ? std::vector<int>(cpus->begin(), cpus->end()) : std::vector<int>{};
}

std::vector<int> worker_cpus(Affinity affinity, int worker, int threads, const std::vector<int>& allowed,
                             const std::vector<int>& node) {
  std::vector<int> cpus;
  if (affinity == Affinity::none || allowed.empty()) return cpus;
  if (affinity == Affinity::node) {
    std::set_intersection(allowed.begin(), allowed.end(), node.begin(), node.end(), std::back_inserter(cpus));
    return cpus.empty() ? allowed : cpus;
  }
  const std::size_t count = std::min(static_cast<std::size_t>(threads), allowed.size());
  const std::size_t first = static_cast<std::size_t>(worker) * static_cast<std::size_t>(threads);
  for (std::size_t i = 0; i < count; ++i) cpus.push_back(allowed[(first + i) % allowed.size()]);
  return cpus;
}

void pin_this_thread(const std::vector<int>& cpus) {
  CpuSet set;
  for (const int cpu : cpus) set.add(cpu);
  if (::sched_setaffinity(0, set.bytes(), set.get()) != 0)
    throw TrialFailure(TrialStatus::unsupported, fmt::format("affinity: the kernel refuses CPUs {}: {}",
                                                             fmt::join(cpus, ","), std::strerror(errno)));
}

}  // namespace feedtune
