#include "build_paths.hpp"
#include "trial/process_runner.hpp"

#include <gtest/gtest.h>

#include <atomic>

using namespace feedtune;

namespace {

ProcessRunner runner_of(const std::string& mode, std::function<bool()> stop = {}) {
  ProcessRunner::Options options;
  options.command = {build_paths::trial_child, mode};
  options.stop = std::move(stop);
  return {std::move(options), std::make_shared<SteadyClock>()};
}

TrialRequest request(double limit_s = 20) {
  TrialRequest r;
  r.id = 7;
  r.configuration.set("batch_size", std::int64_t{64});
  r.time_limit_s = limit_s;
  return r;
}

}  // namespace

TEST(ProcessRunner, ATrialThatCrashesIsAStatusWithSignalPhaseFileAndLastWords) {
  auto runner = runner_of("segv");
  const TrialResult result = runner.run(request(), {});
  EXPECT_EQ(result.status, TrialStatus::crashed);
  EXPECT_EQ(result.id, 7);
  EXPECT_EQ(result.configuration.integer("batch_size"), 64);
  EXPECT_NE(result.reason.find("signal 11"), std::string::npos) << result.reason;
  EXPECT_NE(result.reason.find("while measuring (worker 3: decode n01440764/slow.jpg for 12.3 s)"), std::string::npos) << result.reason;
  EXPECT_NE(result.reason.find("about to touch"), std::string::npos) << result.reason;
}

TEST(ProcessRunner, AProcessThatTheKernelKillsForItsMemoryIsOutOfHostMemoryAndAnyOtherKillACrash) {
  std::int64_t kills = 3;
  for (const bool counted : {true, false}) {
    ProcessRunner::Options options;
    options.command = {build_paths::trial_child, "killed"};
    options.oom_kills = [&] { return counted ? ++kills : kills; };  // one more each time it is asked
    ProcessRunner runner(std::move(options), std::make_shared<SteadyClock>());
    const TrialResult result = runner.run(request(), {});
    EXPECT_EQ(result.status, counted ? TrialStatus::out_of_memory : TrialStatus::crashed) << result.reason;
    EXPECT_EQ(result.memory_kind, counted ? std::optional(MemoryKind::host) : std::nullopt);
    EXPECT_NE(result.reason.find("while measuring"), std::string::npos) << result.reason;
  }
  ProcessRunner::Options unknown;
  unknown.command = {build_paths::trial_child, "killed"};
  unknown.oom_kills = [] { return std::nullopt; };
  EXPECT_EQ(ProcessRunner(std::move(unknown), std::make_shared<SteadyClock>()).run(request(), {}).status, TrialStatus::crashed);
}

TEST(ProcessRunner, AnExitCodeIsNamed) {
  auto runner = runner_of("exit");
  const TrialResult result = runner.run(request(), {});
  EXPECT_EQ(result.status, TrialStatus::crashed);
  EXPECT_NE(result.reason.find("exit code 9 while measuring (workers idle)"), std::string::npos) << result.reason;
}

TEST(ProcessRunner, AHangEndsAtItsDeadlineAndNamesWhatItHungIn) {
  auto runner = runner_of("hang");
  const double before = runner.now_s();
  const TrialResult result = runner.run(request(1.5), {});
  EXPECT_EQ(result.status, TrialStatus::timeout);
  EXPECT_EQ(result.stop_reason, "deadline");
  EXPECT_NE(result.reason.find("killed while measuring (worker 3: decode n01440764/slow.jpg for 12.3 s)"), std::string::npos)
      << result.reason;
  EXPECT_GE(runner.now_s() - before, 1.5);
  EXPECT_LT(runner.now_s() - before, 15) << "machines under load take their time, but not this long";
}

TEST(ProcessRunner, GarbageFromTheChildIsACrashedTrial) {
  auto runner = runner_of("garbage");
  const TrialResult result = runner.run(request(), {});
  EXPECT_EQ(result.status, TrialStatus::crashed);
}

TEST(ProcessRunner, AStopGivesUpTheRunningTrialSoon) {
  std::atomic<bool> stop{false};
  auto runner = runner_of("hang", [&] { return stop.load(); });
  const double before = runner.now_s();
  const TrialResult result = runner.run(request(60), [&](const TrialProgress&) { stop = true; });
  EXPECT_EQ(result.stop_reason, "interrupted");
  EXPECT_LT(runner.now_s() - before, 15);
}

TEST(ProcessRunner, AProgramThatIsNotThereIsSaidByName) {
  ProcessRunner::Options options;
  options.command = {"/nonexistent/feedtune", "__trial"};
  ProcessRunner runner(std::move(options), std::make_shared<SteadyClock>());
  try {
    const TrialResult result = runner.run(request(), {});
    EXPECT_NE(result.status, TrialStatus::ok);
    EXPECT_NE(result.reason.find("/nonexistent/feedtune"), std::string::npos) << result.reason;
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("/nonexistent/feedtune"), std::string::npos) << error.what();
  }
}

TEST(ProcessRunner, DataThatDoesNotGetWarmIsWarmedOnceNotBeforeEveryTrial) {
  auto runner = runner_of("lukewarm");
  TrialRequest r = request();
  r.setup.data.path = "larger-than-memory";
  EXPECT_EQ(runner.run(r, {}).reason, "warm");
  EXPECT_EQ(runner.run(r, {}).reason, "as-is");
  EXPECT_EQ(runner.run(r, {}).reason, "as-is");
  TrialRequest anchor = r;
  anchor.setup.data.path = "anchors";
  EXPECT_EQ(runner.run(anchor, {}).reason, "warm") << "other data";
  r.target.cache = CachePolicy::cold;
  EXPECT_EQ(runner.run(r, {}).reason, "cold");
}

TEST(ProcessRunner, StartUpCountsFromTheChildsStartAndInAChildThatRunsFromTheTrials) {
  ProcessRunner::Options options;
  options.command = {build_paths::trial_child, "slow-start"};
  options.trials_per_child = 2;
  ProcessRunner runner(std::move(options), std::make_shared<SteadyClock>());
  TrialRequest r = request();
  r.purpose = Purpose::step_only;
  r.setup.device = "null";
  r.setup.data.image_size = 16;
  r.setup.step.times = {{1, 4}};
  r.setup.loader.batch_size = 4;
  r.target = {.min_time_s = 1e-6, .max_time_s = 1e-6};
  const TrialResult fresh = runner.run(r, {});
  ASSERT_TRUE(fresh.startup_s.has_value()) << fresh.reason;
  EXPECT_GE(*fresh.startup_s, 0.3);
  EXPECT_LE(*fresh.startup_s, fresh.cost_s);
  if (fresh.status != TrialStatus::ok) return;  // another child then
  const TrialResult again = runner.run(r, {});
  EXPECT_EQ(again.incarnation, 1);
  ASSERT_TRUE(again.startup_s.has_value()) << again.reason;
  EXPECT_LE(*again.startup_s, again.cost_s) << "nothing of the trial before";
}

TEST(ProcessRunner, AfterACrashTheNextTrialRunsInAFreshProcess) {
  auto runner = runner_of("segv");
  EXPECT_EQ(runner.run(request(), {}).incarnation, 1);
  EXPECT_EQ(runner.run(request(), {}).incarnation, 2);
}
