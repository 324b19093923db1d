#include "replay/synthetic_noise.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "measure/statistics.hpp"
#include "replay/synthetic_machine.hpp"
#include "replay/synthetic_space.hpp"

namespace feedtune {
namespace {

constexpr int many = 20'000;

SyntheticNoise silent() {
  SyntheticNoise noise;
  noise.cv = noise.within_cv = noise.drift = noise.spikes = 0;
  return noise;
}

std::vector<double> factors(const SyntheticNoise& noise, double apart_s = 4, double from_s = 0) {
  std::vector<double> all;
  for (int i = 0; i < many; ++i) all.push_back(noise.factor(3, i, from_s + apart_s * i));
  return all;
}

TEST(SyntheticNoise, TrialsScatterAsMuchAsSaid) {
  for (const double cv : {0.01, 0.02, 0.05}) {
    SyntheticNoise noise = silent();
    noise.cv = cv;
    const Moments m = moments(factors(noise));
    EXPECT_NEAR(m.deviation(), cv, 4 * cv / std::sqrt(2.0 * many));
    EXPECT_NEAR(m.mean(), 1, 4 * cv / std::sqrt(many));
  }
}

TEST(SyntheticNoise, DriftWandersAsFarAndAsSlowlyAsSaid) {
  for (const double memory : {0.0, 0.7, 0.9}) {
    SyntheticNoise noise = silent();
    noise.drift = 0.03;
    noise.drift_memory = memory;
    const std::vector<double> series = factors(noise);
    // Of so many values that hang together, (1 - memory) / (1 + memory) count.
    const double counting = many * (1 - memory) / (1 + memory);
    EXPECT_NEAR(moments(series).deviation(), 0.03, 5 * 0.03 / std::sqrt(2 * counting));
    EXPECT_NEAR(autocorrelation(series, 1), memory, 4 / std::sqrt(counting));
    EXPECT_NEAR(autocorrelation(series, 3), std::pow(memory, 3), 4 / std::sqrt(counting));
  }
}

TEST(SyntheticNoise, SpikesOnlyCostAndAsOftenAsSaid) {
  SyntheticNoise noise = silent();
  noise.spikes = 0.03;
  const std::vector<double> all = factors(noise);
  const double usual = quantile(all, 0.5);
  int spikes = 0;
  for (const double factor : all) {
    EXPECT_LE(factor, usual);
    EXPECT_GE(factor, 0.7 * usual);
    spikes += factor < 0.96 * usual;
  }
  EXPECT_NEAR(spikes, 0.03 * many, 4 * std::sqrt(0.03 * many));
  EXPECT_NEAR(mean(all), 1, 4 * 0.035 / std::sqrt(many));
}

TEST(SyntheticNoise, ProcessesHaveTwoLevels) {
  SyntheticNoise noise = silent();
  noise.two_levels = 0.04;
  int faster = 0;
  for (const double factor : factors(noise)) {
    EXPECT_TRUE(factor == 1.04 || factor == 0.96) << factor;
    faster += factor > 1;
  }
  EXPECT_NEAR(faster, many / 2, 4 * std::sqrt(many) / 2);
}

TEST(SyntheticNoise, LinearAndStepDriftFirstTrialsAndWarmUpFollowTheirFormulas) {
  const auto after_an_hour = [](const std::string& name, double now_s) {
    SyntheticNoise noise = synthetic_noise_named(name);
    noise.cv = 0;
    return noise.factor(1, 1, now_s);
  };
  EXPECT_DOUBLE_EQ(after_an_hour("linear", 1800), 0.75);
  EXPECT_DOUBLE_EQ(after_an_hour("step", 119), 1);
  EXPECT_DOUBLE_EQ(after_an_hour("step", 121), 0.9);
  EXPECT_DOUBLE_EQ(after_an_hour("first_slow", 1), 0.88);
  EXPECT_DOUBLE_EQ(after_an_hour("first_fast", 1), 1.14);
  EXPECT_DOUBLE_EQ(after_an_hour("first_fast", 60), 1);
  EXPECT_DOUBLE_EQ(after_an_hour("warm_up", 120), 1 - 0.15 * std::exp(-1.0));
}

TEST(SyntheticNoise, AnUnknownNameIsRefusedWithTheKnownOnes) {
  EXPECT_THROW(
      try { synthetic_noise_named("lod"); } catch (const SpecError& error) {
        EXPECT_NE(std::string(error.what()).find("loud"), std::string::npos);
        throw;
      },
      SpecError);
}

/// Trials of one configuration on a machine with the usual noise, ten seconds apart.
class SyntheticTrials : public testing::Test {
 protected:
  std::vector<TrialResult> trials(const SyntheticNoise& noise, int count) {
    const SyntheticMachine machine(2, {.family = SyntheticFamily::mixed, .noise = noise, .small = true});
    configuration_ = true_best(machine, synthetic_space(machine).configurations).configuration;
    truth_ = machine.true_images_per_s(configuration_).value();
    std::vector<TrialResult> all;
    for (int i = 0; i < count; ++i) {
      TrialRequest request;
      request.id = i + 1;
      request.configuration = configuration_;
      all.push_back(machine.answer(request, 10.0 * i));
    }
    return all;
  }
  Configuration configuration_;
  double truth_ = 0;
};

TEST_F(SyntheticTrials, TheTruthIsTheirLongRunMean) {
  double sum = 0;
  for (const TrialResult& trial : trials(SyntheticNoise{}, many)) sum += trial.images_per_s.value().mean;
  // Drift: every 2.5 steps one value, of which (1 - 0.9^2.5) / (1 + 0.9^2.5) count.
  const double counting = many * (1 - std::pow(0.9, 2.5)) / (1 + std::pow(0.9, 2.5));
  EXPECT_NEAR(sum / many / truth_, 1, 4 * 0.03 / std::sqrt(counting));
}

TEST_F(SyntheticTrials, ATrialsIntervalIsHonestAboutWhatItSeesInsideItself) {
  SyntheticNoise noise = silent();
  noise.within_cv = 0.02;
  int covered = 0;
  for (const TrialResult& trial : trials(noise, many)) {
    const Interval& rate = trial.images_per_s.value();
    EXPECT_GE(rate.n, 5);
    covered += rate.low <= truth_ && truth_ <= rate.high;
  }
  EXPECT_NEAR(covered, 0.95 * many, 4 * std::sqrt(0.95 * 0.05 * many));
}

TEST_F(SyntheticTrials, SomeNeverSettleWhereTheMachineSwings) {
  int unsettled = 0;
  for (const TrialResult& trial : trials(synthetic_noise_named("sawtooth"), 4000)) {
    if (trial.status == TrialStatus::ok) continue;
    EXPECT_EQ(trial.status, TrialStatus::no_steady_state);
    EXPECT_FALSE(trial.images_per_s);
    ++unsettled;
  }
  EXPECT_NEAR(unsettled, 600, 4 * std::sqrt(4000 * 0.15 * 0.85));
}

}  // namespace
}  // namespace feedtune
