// Rules about loading: each speaks from its threshold on, with the share that the formula gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain_run.hpp"

using namespace feedtune;
using namespace feedtune::testing;
using ::testing::HasSubstr;

TEST(ExplainLoading, DecodingIsNamedByItsShareOfTheWorkersTime) {
  ExplainRun run;
  // Pixels 1.6 + 0.3 + 0.07 of 2 ms.
  const auto found = run.waits(0.5).finding("decode_bound");
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->share, 0.5 * 1.97 / 2, 1e-12);
  EXPECT_THAT(found->evidence.front(), HasSubstr("50 % of each step (50 of 100 ms)"));
  EXPECT_EQ(run.primary(), "decode_bound");
  EXPECT_TRUE(ExplainRun().waits(0.0508).finding("decode_bound"));
  EXPECT_FALSE(ExplainRun().waits(0.0507).finding("decode_bound")) << "0.0507 x 0.985 is under 5 %";
}

TEST(ExplainLoading, ASlowDiskIsToldFromSlowOpens) {
  ExplainRun reading, opening;
  reading.waits(0.8).worker("read", 18.02);  // of 20 ms
  EXPECT_EQ(reading.primary(), "read_bound");
  EXPECT_NEAR(reading.finding("read_bound")->share, 0.8 * 18.02 / 20, 1e-12);
  EXPECT_FALSE(reading.finding("open_bound"));
  opening.waits(0.8).worker("open", 18.01);
  EXPECT_EQ(opening.primary(), "open_bound");
  EXPECT_FALSE(opening.finding("read_bound"));
}

TEST(ExplainLoading, ThreadsBeyondTheCpusAreNamedByWhatTheSameWorkGaveWithFewer) {
  const auto with = [](double rate, std::int64_t threads) {
    ExplainRun run;
    run.waits(0.5).trial().images_per_s = Interval{rate, rate, rate, 20};
    Configuration plain = run.trial().configuration;
    plain.set("worker_threads", std::int64_t{1});
    run.trial().configuration.set("worker_threads", threads);
    ExplainRun::fill(run.builder.explore(plain, 1000));
    return run;
  };
  ExplainRun slow = with(400, 16);
  const auto found = slow.finding("oversubscribed");
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->share, 0.6, 1e-12) << "1 - 400 / 1000";
  EXPECT_EQ(slow.primary(), "oversubscribed") << "decoding explains 49 %, none of it beyond that";
  EXPECT_THAT(found->evidence[0], HasSubstr("64 threads for 8 CPUs: 4 workers x 16 threads"));
  EXPECT_THAT(found->gain_of, HasSubstr("worker_threads 16 -> 1, measured in this run"));
  EXPECT_NEAR(found->gain->mean, 2.5, 1e-9);
  EXPECT_FALSE(with(960, 16).finding("oversubscribed")) << "within noise of the other";
  EXPECT_FALSE(with(400, 4).finding("oversubscribed")) << "16 threads on 8 CPUs";
}

TEST(ExplainLoading, ThreadsBeyondTheCpusAloneAreJudgedByTheirWaiting) {
  ExplainRun run;
  run.waits(0.9).trial().configuration.set("worker_threads", std::int64_t{16});
  run.trial().host.run_delay_s = 28.8;  // 9.6 threads wait at any time, 3.2 run
  ASSERT_TRUE(run.finding("oversubscribed"));
  EXPECT_NEAR(run.finding("oversubscribed")->share, 0.75, 1e-12);
  EXPECT_TRUE(run.finding("oversubscribed")->gain_unknown.find("worker_threads 1") != std::string::npos);
  run.trial().host.run_delay_s = 0.1;
  EXPECT_FALSE(run.finding("oversubscribed"));
}

TEST(ExplainLoading, CpusThatOthersUseAreNotTakenForOversubscription) {
  ExplainRun run;
  run.waits(0.9).trial().host.run_delay_s = 9.6;  // 3.2 of 4 workers wait; 3.2 of 8 CPUs in use
  const auto found = run.finding("cpu_taken");
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->share, 0.9 * 3.2 / 6.4, 1e-12);
  EXPECT_FALSE(run.finding("oversubscribed"));
  run.trial().host.throttled_s = 1;
  EXPECT_FALSE(run.finding("cpu_taken")) << "the quota explains it";
  run.trial().host.throttled_s = 0;
  run.trial().host.run_delay_s = 4.7;  // 1.57 threads: under a fifth of 8 CPUs
  EXPECT_FALSE(run.finding("cpu_taken"));
  run.trial().host.run_delay_s = 9.6;
  run.trial().host.cpu_user_s = 19.2;  // 6.6 CPUs in use
  EXPECT_FALSE(run.finding("cpu_taken"));
}

TEST(ExplainLoading, WithoutWorkersTheIdleCpusAreNamed) {
  ExplainRun run({.workers = 0});
  run.waits(0.8).trial().host.cpu_user_s = 3;
  // Loading takes 80 ms; on 8 CPUs 10 ms, behind the 20 ms of the rest: a step of 20 ms.
  ASSERT_TRUE(run.finding("single_worker_bound"));
  EXPECT_NEAR(run.finding("single_worker_bound")->share, 0.8, 1e-12);
  EXPECT_EQ(run.primary(), "single_worker_bound");
  EXPECT_THAT(run.finding("single_worker_bound")->next, HasSubstr("num_workers to 8"));
  run.run().machine.cpus.effective = 1;
  EXPECT_FALSE(run.finding("single_worker_bound"));
  run.run().machine.cpus.effective = 2;
  // On 2 CPUs 40 ms remain.
  EXPECT_NEAR(run.finding("single_worker_bound")->share, 0.6, 1e-12);
  run.trial().host.cpu_user_s = 3.91;  // with 0.6 of system time 1.503 of 2
  EXPECT_FALSE(run.finding("single_worker_bound"));
  ExplainRun two({.workers = 2});
  two.waits(0.8).trial().host.cpu_user_s = 3;
  EXPECT_FALSE(two.finding("single_worker_bound"));
}
