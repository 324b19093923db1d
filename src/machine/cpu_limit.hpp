#pragma once
#include "core/facts.hpp"
#include "machine/root.hpp"

namespace feedtune {

/// CPUs that this process may use: the least of the control groups' CPU time quota (own and all ancestors), and the
/// CPUs that are online, in the affinity mask and in the cpuset. `affinity` counts the last; `limited_by` names the
/// tightest: "online", "affinity", "cgroup v2 /a (cpuset)", "cgroup v1 /a/b"; "unknown" (and 1 CPU) where not even the
/// online CPUs can be read.
CpuLimit cpu_limit(const Root& root = Root());

}  // namespace feedtune
