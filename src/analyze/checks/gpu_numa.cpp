#include <fmt/format.h>

#include <algorithm>

#include "analyze/check.hpp"
#include "core/kernel_text.hpp"

namespace feedtune {
namespace {

CheckVerdict judge(const CheckInput& in) {
  if (in.integer("gpus") == 0) return {CheckStatus::ok, "no NVIDIA GPU on the bus"};
  if (in.integer("numa_nodes") == 1) return {CheckStatus::ok, "one NUMA node"};
  const auto local = in.text("gpu_local_cpus"), allowed = in.text("cpus_allowed");
  const auto nodes = in.text("gpu_numa_nodes");
  const auto near = local ? parse_cpu_list(*local) : std::nullopt;
  const auto mine = allowed ? parse_cpu_list(*allowed) : std::nullopt;
  if (!near || !mine)
    return {CheckStatus::unknown, in.why_unknown(near ? "cpus_allowed" : "gpu_local_cpus"), "bind each training process to the CPUs of its GPU's node (numactl --cpunodebind)"};
  const auto close = std::count_if(mine->begin(), mine->end(), [&](int cpu) { return near->contains(cpu); });
  const std::string evidence = fmt::format("{} of the {} CPUs allowed are on the GPU's node (node {}, CPUs {})", close, mine->size(), nodes.value_or("unknown"), *local);
  const std::string advice = fmt::format("numactl --cpunodebind={0} --membind={0}, or the axis affinity=node", nodes.value_or("NODE"));
  if (close == 0) return {CheckStatus::bad, evidence, advice};
  if (close < std::ssize(*mine)) return {CheckStatus::warn, evidence, advice};
  return {CheckStatus::ok, evidence};
}

}  // namespace

Check make_gpu_numa() { return {"gpu_numa", judge}; }

}  // namespace feedtune
