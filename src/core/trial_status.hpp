#pragma once
// How a trial ended (names: core/enums.hpp). Anything but `ok` carries a reason and is never ranked.

namespace feedtune {

enum class TrialStatus {
  ok,
  out_of_memory,    ///< with MemoryKind saying where
  timeout,          ///< killed at its deadline
  crashed,          ///< the child died (signal or exit code in the reason)
  invalid,          ///< too many images failed, or a result that contradicts itself
  unsupported,      ///< this device or machine cannot do what the configuration asks for
  too_short,        ///< ended before the queue's fill could be told from throughput
  no_steady_state,  ///< throughput never settled
};

enum class MemoryKind { device, host, pinned };

/// crashed, timeout and invalid make `sweep` end with exit code 7; out of memory and unsupported are answers.
bool is_failure(TrialStatus status);

}  // namespace feedtune
