#include "predict/pipeline_predictor.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

using namespace feedtune;

namespace {

std::vector<Configuration> space() {
  std::vector<Configuration> all;
  for (const std::int64_t batch : {16, 32, 64, 128, 256, 512, 1024})
    for (const std::int64_t workers : {0, 1, 2, 4, 6, 8, 12, 16})
      for (const char* loader : {"batch_per_worker", "pooled"})
        for (const char* memory : {"pageable", "pinned"})
          for (const char* type : {"uint8", "float32"})
            for (const std::int64_t ahead : {1, 2, 4, 8}) {
              Configuration c;
              c.set("batch_size", batch);
              c.set("num_workers", workers);
              c.set("loader", loader);
              c.set("host_memory", memory);
              c.set("input_type", type);
              if (workers > 0) c.set(loader == std::string("pooled") ? "ready_batches" : "prefetch", ahead);
              if (workers > 0 || ahead == 1) all.push_back(c);
            }
  return all;
}

constexpr PipelineFacts facts{.cores = {.physical = 4, .logical = 8}, .copies = true, .step_on_cores = false, .image_size = 224};

/// A machine that is as the predictor thinks machines are, but for parameters that it does not know.
double truth(const Configuration& c) {
  const auto setting = *EffectTable({}).read(c, 224);
  const auto images = static_cast<double>(setting.batch_size);
  PipelineCosts costs;
  costs.batch_size = setting.batch_size;
  costs.workers = setting.workers;
  costs.batches_ahead = setting.batches_ahead;
  costs.pooled = setting.pooled;
  costs.image_load_s = 0.004 * (c.text("input_type") == "float32" ? 1.3 : 1) * (setting.pooled ? 0.8 : 1);
  costs.image_load_cv = 0.5;
  costs.pin_s = setting.pinned && !setting.pooled ? images * setting.image_bytes / 4e9 : 0;
  costs.copy_s = 5e-5 + images * setting.image_bytes / (setting.pinned ? 11e9 : 4e9);
  costs.copy_exposed = setting.pinned ? 0 : 1;
  costs.host_copies = !setting.pinned;
  costs.load_exposed = 0.3;
  costs.step_s = 0.006 + 0.0008 * images;
  costs.scaling = {.sigma = 0.05, .kappa = 0.001, .smt = 0.25, .crowding = 0.1};
  costs.cores = facts.cores;
  costs.cores_taken = 0.4;
  return images_per_s(costs);
}

TrialResult trial(const Configuration& c, Purpose purpose, double rate) {
  TrialResult t;
  t.configuration = c;
  t.purpose = purpose;
  t.images_per_s = Interval{rate, 0.99 * rate, 1.01 * rate, 20};
  return t;
}

std::vector<TrialResult> some_trials(const std::vector<Configuration>& all, std::size_t every) {
  std::vector<TrialResult> trials;
  for (std::size_t i = 3; i < all.size(); i += every) trials.push_back(trial(all[i], Purpose::trial, truth(all[i])));
  return trials;
}

double median_error(const PipelinePredictor& predictor, const std::vector<Configuration>& all) {
  std::vector<double> errors;
  for (const Configuration& c : all) errors.push_back(std::abs(*predictor.log_images_per_s(c) - std::log(truth(c))));
  std::nth_element(errors.begin(), errors.begin() + std::ssize(errors) / 2, errors.end());
  return errors[errors.size() / 2];
}

}  // namespace

TEST(PipelinePredictor, FromFortyTrialsKnowsTheOtherFifteenHundred) {
  const auto all = space();
  PipelinePredictor predictor(all, facts, {});
  EXPECT_FALSE(predictor.fitted());
  predictor.fit(some_trials(all, all.size() / 40), 60);
  ASSERT_TRUE(predictor.fitted());
  EXPECT_LT(median_error(predictor, all), 0.04);
}

TEST(PipelinePredictor, WhatAPartDidAloneIsTakenOverWhereItsFormDoesNotFit) {
  const auto all = space();
  std::vector<TrialResult> parts;
  for (const Configuration& c : all) {
    if (c.integer("num_workers") != 1 || c.text("host_memory") != "pinned" || c.integer("prefetch") != 1 || c.text("input_type") != "uint8") continue;
    const double images = static_cast<double>(*c.integer("batch_size"));
    const double step_s = 0.001 * images * (images == 128 ? 1.5 : 1);  // a tile that does not fit
    parts.push_back(trial(c, Purpose::step_only, images / step_s));
    parts.push_back(trial(c, Purpose::loader_only, 1e5));
  }
  ASSERT_EQ(parts.size(), 14u);
  PipelinePredictor predictor(all, facts, parts);
  predictor.fit({}, 60);
  const auto at = [&](std::int64_t batch) {
    Configuration c = parts.front().configuration;
    c.set("batch_size", batch);
    return *predictor.log_images_per_s(c);
  };
  EXPECT_LT(at(128), at(64) - 0.25) << "slower at 128 than at 64, which no line can be";
  EXPECT_LT(at(128), at(256) - 0.25);
}

TEST(PipelinePredictor, FailedTrialsAndSpacesWithoutBatchOrWorkersSayNothing) {
  Configuration c;
  c.set("threads", std::int64_t{4});
  PipelinePredictor predictor(std::vector{c}, facts, {});
  TrialResult failed = trial(c, Purpose::trial, 100);
  predictor.fit(std::vector{failed}, 10);
  EXPECT_FALSE(predictor.fitted());
  const auto all = space();
  PipelinePredictor other(all, facts, {});
  failed.configuration = all.front();
  failed.status = TrialStatus::crashed;
  other.fit(std::vector{failed}, 10);
  EXPECT_FALSE(other.fitted());
}

TEST(PipelinePredictor, TwoThousandConfigurationsTakeWellUnderASecond) {
  const auto all = space();
  ASSERT_GT(all.size(), 1500u);
  PipelinePredictor predictor(all, facts, {});
  predictor.fit(some_trials(all, 50), 20);
  const auto start = std::chrono::steady_clock::now();
  double sum = 0;
  for (const Configuration& c : all) sum += predictor.predict(c)->log_images_per_s;
  EXPECT_TRUE(std::isfinite(sum));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5)) << "about 0.1 s on an idle core";
}
