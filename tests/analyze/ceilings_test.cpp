#include "analyze/ceilings.hpp"

#include <gtest/gtest.h>

#include "analyze/phase_means.hpp"
#include "analyze/recommend.hpp"
#include "run_builder.hpp"

using namespace feedtune;
using namespace feedtune::testing;

TEST(Ceilings, TheLowestBindsAndTheCopyIsForTheChosenMemoryAndBatch) {
  RunBuilder b;
  b.component(Purpose::loader_only, make({.workers = 2, .loader = "pooled"}), 800);
  b.component(Purpose::loader_only, make({.workers = 8, .loader = "pooled"}), 1500);
  b.component(Purpose::copy_only, make({.memory = "pageable"}), 4000);
  b.component(Purpose::copy_only, make({.memory = "pinned"}), 20000);
  b.component(Purpose::step_only, make({.batch = 64}), 2000);
  b.component(Purpose::step_only, make({.batch = 256}), 2500);
  const Ceilings c = find_ceilings(b.run, make({.batch = 64, .memory = "pageable"}));
  EXPECT_EQ(c.loader, 1500);
  EXPECT_EQ(c.h2d, 4000);
  EXPECT_EQ(c.step, 2000);
  EXPECT_FALSE(c.joint_cpu);
  EXPECT_EQ(c.binds, "loader");
  EXPECT_EQ(find_ceilings(b.run, make({.batch = 256})).step, 2500);
}

namespace {

struct Alone {
  double images_per_s;
  double cpu_s_per_image;
};

/// The cpu device on two CPUs.
RunBuilder on_two_cpus(const Alone& loader, const Alone& step) {
  RunBuilder b;
  b.run.device = {};
  b.run.device.name = "cpu";
  b.run.machine.cpus.effective = 2;
  b.component(Purpose::loader_only, make({}), loader.images_per_s).host.cpu_s_per_image = loader.cpu_s_per_image;
  b.component(Purpose::step_only, make({}), step.images_per_s).host.cpu_s_per_image = step.cpu_s_per_image;
  return b;
}

}  // namespace

TEST(Ceilings, OnTheCpuLoaderAndStepShareTheCores) {
  const RunBuilder b = on_two_cpus({200, 0.010}, {250, 0.008});
  const Ceilings c = find_ceilings(b.run, make({}));
  ASSERT_TRUE(c.joint_cpu);
  EXPECT_NEAR(*c.joint_cpu, 2 / 0.018, 1e-9);
  EXPECT_FALSE(c.h2d);
  EXPECT_EQ(c.binds, "joint_cpu");
  EXPECT_NEAR(*lowest_ceiling(c), 111.1, 0.1);
}

TEST(Ceilings, LoadingBesideTheStepIsNeverSaidToMakeItFaster) {
  const RunBuilder b = on_two_cpus({1600, 0.0012}, {500, 0.0020});  // the step got one CPU: another program had the other
  const Ceilings c = find_ceilings(b.run, make({}));
  EXPECT_EQ(c.joint_cpu, 500);
  EXPECT_EQ(c.binds, "step");
}

TEST(Ceilings, NothingIsSaidToBindWhereTheLoaderCouldNotBeMeasured) {
  RunBuilder b;
  b.component(Purpose::step_only, make({}), 2000);
  EXPECT_EQ(find_ceilings(b.run, make({})).step, 2000);
  EXPECT_EQ(find_ceilings(b.run, make({})).binds, "");
}

TEST(Ceilings, WithoutComponentTrialsNothingIsClaimed) {
  RunBuilder b;
  b.explore(make({}), 100);
  const Ceilings c = find_ceilings(b.run, make({}));
  EXPECT_FALSE(c.loader || c.h2d || c.step || c.joint_cpu);
  EXPECT_EQ(c.binds, "");
  EXPECT_FALSE(lowest_ceiling(c));
}

namespace {

std::string bound_with(double idle_ms, double exposed_ms, bool copies = true, const std::string& binds = "") {
  RunBuilder b;
  b.run.device.copies = copies;
  TrialResult& t = b.confirm(make({}), 1, 1000);
  t.phases["step"].mean = 100;
  t.phases["device_idle"].mean = idle_ms;
  t.phases["h2d_exposed"].mean = exposed_ms;
  Ceilings c;
  c.binds = binds;
  return bound_of(b.run, make({}), c).by;
}

}  // namespace

TEST(BoundBy, TheDevicesGapsDecide) {
  EXPECT_EQ(bound_with(40, 0), "loader");
  EXPECT_EQ(bound_with(2, 30), "h2d");
  EXPECT_EQ(bound_with(2, 3), "device");
  EXPECT_EQ(bound_with(40, 0, false, "joint_cpu"), "joint_cpu");
  EXPECT_EQ(bound_with(40, 0, false, "loader"), "loader");
}

TEST(BoundBy, NothingRecordedNothingClaimed) {
  RunBuilder b;
  b.confirm(make({}), 1, 1000);
  EXPECT_EQ(bound_of(b.run, make({}), {}).by, "none");
}

TEST(PhaseMeans, ConfirmedTrialsReplaceTheSearchs) {
  RunBuilder b;
  b.explore(make({}), 1000).phases["forward"].mean = 50;
  b.confirm(make({}), 1, 1000).phases["forward"].mean = 10;
  b.confirm(make({}), 2, 1000).phases["forward"].mean = 12;
  const auto means = phase_means(b.run, make({}));
  EXPECT_DOUBLE_EQ(means.at("forward"), 11);
  EXPECT_FALSE(means.contains("backward"));
}
