#include "report/evaluation.hpp"

#include <gtest/gtest.h>

#include "json/value.hpp"

using namespace feedtune;

namespace {

Evaluation example() {
  std::vector<SearchOutcome> outcomes(4);
  for (std::size_t i = 0; i < 4; ++i) outcomes[i].regret = 0.01 * static_cast<double>(i);
  outcomes[3].infeasible = true;
  StrategyScore scored;
  scored.file = "grid.csv";
  scored.strategy = "random";
  scored.score = score(outcomes);
  Evaluation evaluation;
  evaluation.seeds = 4;
  evaluation.budget = "15%";
  evaluation.replays = {{.file = "grid.csv", .digest = "ab", .configurations = 3, .runs = 9, .exhaustive_s = 12.5, .fastest_images_per_s = 800, .notes = {"noise: none"}}};
  evaluation.scores = {scored};
  return evaluation;
}

}  // namespace

TEST(Evaluation, JsonHoldsFractionsAndSaysWhyAValueIsMissing) {
  const JsonValue document = parse_json(evaluation_json(example()), "evaluation");
  const JsonValue& random = document.find("scores")->array()->front();
  EXPECT_DOUBLE_EQ(std::get<double>(random.find("regret_mean")->data), 0.015);
  EXPECT_TRUE(random.find("bias")->is_null());
  EXPECT_EQ(*random.find("unknown")->find("bias")->text(), "no sweep found a configuration that runs");
  EXPECT_EQ(random.find("unknown")->find("regret_mean"), nullptr);
  EXPECT_EQ(std::get<std::int64_t>(random.find("infeasible")->data), 1);
}

TEST(Evaluation, EveryColumnOfTheTableIsExplained) {
  const std::string text = evaluation_text(example());
  EXPECT_NE(text.find("1.50 %"), std::string::npos) << text;
  for (const char* column : {"regret", "p95", "recommended", "rec. p95", "cost", "confirm", "bias", "coverage", "A/A", "cannot run"})
    EXPECT_NE(text.find(std::string(column) + ": "), std::string::npos) << column << " is not explained\n" << text;
  EXPECT_NE(text.find("seeds 1 to 4"), std::string::npos) << text;
}
