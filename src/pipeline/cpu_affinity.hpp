#pragma once
#include <string>
#include <vector>

#include "core/enums.hpp"

namespace feedtune {

/// The CPUs of one worker, by number. `allowed`: the process's CPUs, ascending. `node`: those of the NUMA node chosen,
/// as far as they are allowed; empty: all of `allowed` (one node, or none known). cores: worker k takes the next
/// `threads` of the allowed CPUs, round and round. none: empty.
std::vector<int> worker_cpus(Affinity affinity, int worker, int threads, const std::vector<int>& allowed,
                             const std::vector<int>& node);

/// This process's CPUs, ascending.
std::vector<int> allowed_cpus();
/// "0-3,8" of /sys/devices/system/node/node<n>/cpulist under `root` ("" or a test's folder). Empty where there is none.
std::vector<int> node_cpus(const std::string& root, int node);

/// Pins the calling thread. Throws TrialFailure{unsupported} where the kernel refuses.
void pin_this_thread(const std::vector<int>& cpus);

}  // namespace feedtune
