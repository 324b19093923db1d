#pragma once
// Which processes belong to a child, from /proc, and their end.

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <vector>

namespace feedtune {

struct ProcessEntry {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t group = 0;
  char state = '?';  ///< as in /proc/PID/stat: R, S, D, T, Z, ...
};

/// Every process that /proc shows. Those that end meanwhile are left out.
std::vector<ProcessEntry> list_processes();

/// The members of `leader`'s tree among `all`, without the leader: its process group, its descendants, and orphans of
/// its that were handed to this process (`self`, a subreaper): children of `self` in a process group that is neither
/// `own_group` nor one of `other_groups`. With other children alive an orphan outside every group cannot be told
/// apart and is left for the last of them.
std::vector<ProcessEntry> members_of(const std::vector<ProcessEntry>& all, pid_t leader, pid_t self, pid_t own_group,
                                     const std::vector<pid_t>& other_groups);

/// Marks `leader` as a child of this process that is being looked after; its tree is not touched for another's sake.
void register_leader(pid_t leader);
void unregister_leader(pid_t leader);

/// Sends SIGKILL to the members of `leader`'s tree, as they are now, and reaps those that have ended and are children of
/// this process, the leader excepted. Returns how many members there were. The leader must not have been reaped yet,
/// so that its group's number is still its own.
std::size_t kill_members_once(pid_t leader);

/// Repeats kill_members_once until no member is left (true) or `deadline` has passed (false).
bool kill_members(pid_t leader, std::chrono::steady_clock::time_point deadline);

}  // namespace feedtune
