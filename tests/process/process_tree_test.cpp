#include "process/process_tree.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

using namespace feedtune;

namespace {

constexpr pid_t self = 100, own_group = 90, leader = 200;

std::set<pid_t> members(const std::vector<ProcessEntry>& all, const std::vector<pid_t>& others = {}) {
  std::set<pid_t> pids;
  for (const auto& entry : members_of(all, leader, self, own_group, others)) pids.insert(entry.pid);
  return pids;
}

}  // namespace

TEST(ProcessTree, GroupDescendantsAndOrphansBelong) {
  const std::vector<ProcessEntry> all = {
      {.pid = 1, .parent = 0, .group = 1, .state = 'S'},          {.pid = self, .parent = 1, .group = own_group, .state = 'S'},
      {.pid = 230, .parent = 220, .group = 230, .state = 'S'},    // listed before its parent, in a group of its own
      {.pid = leader, .parent = self, .group = leader, .state = 'S'}, {.pid = 210, .parent = leader, .group = leader, .state = 'S'},
      {.pid = 220, .parent = 210, .group = 220, .state = 'S'},    {.pid = 240, .parent = 1, .group = leader, .state = 'S'},
      {.pid = 250, .parent = self, .group = 250, .state = 'Z'},   // a daemon handed to the subreaper
  };
  EXPECT_EQ(members(all), (std::set<pid_t>{210, 220, 230, 240, 250}));
}

TEST(ProcessTree, TheCallersOwnHelpersAndOtherTrialsAreNotTouched) {
  const std::vector<ProcessEntry> all = {
      {.pid = leader, .parent = self, .group = leader, .state = 'S'},
      {.pid = 300, .parent = self, .group = own_group, .state = 'S'},  // popen()
      {.pid = 400, .parent = self, .group = 400, .state = 'S'},        // another Child
      {.pid = 410, .parent = 400, .group = 400, .state = 'S'},
      {.pid = 420, .parent = self, .group = 400, .state = 'S'},
      {.pid = 430, .parent = self, .group = 430, .state = 'S'},  // whose daemon? not known while both live
      {.pid = 500, .parent = 1, .group = 500, .state = 'S'},
  };
  EXPECT_EQ(members(all, {400}), std::set<pid_t>{});
}

TEST(ProcessTree, TheListHoldsThisProcessWithItsParentAndGroup) {
  bool found = false;
  for (const auto& entry : list_processes()) {
    if (entry.pid != ::getpid()) continue;
    found = true;
    EXPECT_EQ(entry.parent, ::getppid());
    EXPECT_EQ(entry.group, ::getpgrp());
    EXPECT_EQ(entry.state, 'R');
  }
  EXPECT_TRUE(found);
}
