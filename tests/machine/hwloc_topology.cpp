// What is read from /sys about this machine, beside what hwloc finds by its own means.
#include <gtest/gtest.h>
#include <hwloc.h>

#include "machine/fact_values.hpp"

using namespace feedtune;

namespace {

class Hwloc : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(hwloc_topology_init(&topology_), 0);
    hwloc_topology_set_flags(topology_, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);  // the machine, not what this process may use
    ASSERT_EQ(hwloc_topology_load(topology_), 0);
  }
  void TearDown() override { hwloc_topology_destroy(topology_); }
  std::string count(hwloc_obj_type_t type) const { return std::to_string(hwloc_get_nbobjs_by_type(topology_, type)); }

  hwloc_topology_t topology_ = nullptr;
  const MachineFacts machine_ = machine_facts();
};

}  // namespace

TEST_F(Hwloc, CountsTheSameSocketsCoresAndThreads) {
  if (is_null(machine_, "cores")) GTEST_SKIP() << "this machine shows no topology";
  EXPECT_EQ(shown(machine_, "sockets"), count(HWLOC_OBJ_PACKAGE));
  EXPECT_EQ(shown(machine_, "cores"), count(HWLOC_OBJ_CORE));
  EXPECT_EQ(shown(machine_, "threads"), count(HWLOC_OBJ_PU));
}

TEST_F(Hwloc, SeesTheSameCaches) {
  const auto size = [&](hwloc_obj_type_t type) {
    const hwloc_obj_t cache = hwloc_get_obj_by_type(topology_, type, 0);
    return cache == nullptr ? std::string() : std::to_string(cache->attr->cache.size);
  };
  for (const auto& [name, type] : {std::pair{"l1d_bytes", HWLOC_OBJ_L1CACHE}, std::pair{"l2_bytes", HWLOC_OBJ_L2CACHE}, std::pair{"l3_bytes", HWLOC_OBJ_L3CACHE}}) {
    if (!is_null(machine_, name)) { EXPECT_EQ(shown(machine_, name), size(type)) << name; }
  }
  if (!is_null(machine_, "l3_caches")) { EXPECT_EQ(shown(machine_, "l3_caches"), count(HWLOC_OBJ_L3CACHE)); }
}
