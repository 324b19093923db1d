#include "report/recommend_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "analyze/recommend.hpp"
#include "example_run.hpp"
#include "report/table.hpp"

using namespace feedtune;
using namespace feedtune::testing;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

namespace {

std::string text_of(const Run& run) { return recommend_text(run, recommend(run, {})); }

std::string line_with(const std::string& text, const std::string& start) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(start)) return line;
  return "";
}

/// Wherever lines broke, words are one space apart.
std::string on_one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

}  // namespace

TEST(RecommendText, TheAnswerComesFirstInThreeParts) {
  const std::string text = text_of(example_run().run);
  EXPECT_THAT(text, StartsWith("Verdict  1,000 images/s with batch_size 64, num_workers 2, loader pooled"));
  EXPECT_THAT(text, HasSubstr("3.33x the current settings"));
  EXPECT_THAT(line_with(text, "Why"),
              HasSubstr("loading holds it back: the device waits for data in 41 % of each step"));
  const std::string flat = on_one_line(text);
  EXPECT_THAT(flat, HasSubstr("Next in PyTorch change num_workers 1 -> 8, host_memory pageable -> pinned"))
      << "a DataLoader cannot be pooled: what to change is what it can do";
  EXPECT_THAT(flat, HasSubstr("700 images/s (`recommend --format pytorch` prints the arguments)"));
  EXPECT_THAT(flat, HasSubstr("a loader that works like pooled"));
  EXPECT_LT(text.find("Verdict"), text.find("Why"));
  EXPECT_LT(text.find("Why"), text.find("Next"));
}

TEST(RecommendText, EveryFigureThatIsComputedIsCalledModelled) {
  RunBuilder b = example_run();
  EXPECT_THAT(text_of(b.run), HasSubstr("modelled: virtual:rtx-4090 is computed from a profile"));
  b.run.device.modelled = false;
  for (TrialResult& t : b.run.trials) t.modelled = false;
  EXPECT_THAT(text_of(b.run), Not(HasSubstr("modelled")));
}

TEST(RecommendText, SettingsGainsAndCeilingsAreThere) {
  const std::string text = text_of(example_run().run);
  EXPECT_THAT(line_with(text, "Setting"), HasSubstr("recommended"));
  EXPECT_THAT(line_with(text, "Setting"), HasSubstr("current"));
  EXPECT_THAT(line_with(text, "num_workers"), HasSubstr("2"));
  EXPECT_THAT(line_with(text, "Gain over the baseline"), HasSubstr("5.0"));
  EXPECT_THAT(line_with(text, "Gain over the baseline"), HasSubstr("(8 paired blocks)"));
  const std::string ceilings = text.substr(text.find("Ceiling"));
  EXPECT_THAT(line_with(ceilings, "loader"), HasSubstr("<- binds"));
  EXPECT_THAT(line_with(ceilings, "training step"), HasSubstr("2,000"));
  EXPECT_THAT(line_with(ceilings, "measured"), HasSubstr("67 % of the lowest"));
  EXPECT_THAT(text, HasSubstr("The loader is worth fixing: it can feed 75 % of what the step could take."));
  EXPECT_THAT(text, HasSubstr("A larger batch (128) would give 1.10x"));
}

TEST(RecommendText, ThePhasesThatUsersKnowStandForBaselineCurrentAndRecommended) {
  const std::string text = text_of(example_run().run);
  const std::string header = line_with(text, "Phase");
  EXPECT_LT(header.find("baseline"), header.find("current"));
  EXPECT_LT(header.find("current"), header.find("recommended"));
  std::istringstream cells(line_with(text, "data load "));
  std::string data, load, baseline, current, best;
  cells >> data >> load >> baseline >> current >> best;
  EXPECT_EQ(baseline, "250");
  EXPECT_EQ(current, "250");
  EXPECT_EQ(best, "26.0");
  for (const char* row : {"h2d", "forward", "loss+backward", "update", "step"})
    EXPECT_NE(line_with(text, row), "") << row;
  EXPECT_THAT(text, HasSubstr("do not add up"));
}

TEST(RecommendText, EqualSettingsAreCountedWithTheirSpread) {
  EXPECT_THAT(text_of(example_run().run), HasSubstr("3 settings are equal within 2 %: num_workers 2 to 8."));
}

TEST(RecommendText, UndecidedOnesAreNamed) {
  RunBuilder b;
  b.confirm(make({.workers = 2, .loader = "pooled"}), {960, 1015, 975, 1000});
  b.confirm(make({.workers = 8, .loader = "pooled"}), {1000, 1000, 1000, 1000});
  const std::string text = on_one_line(text_of(b.run));
  EXPECT_THAT(text, HasSubstr("1 setting undecided"));
  EXPECT_THAT(text, HasSubstr("Not settled yet"));
  EXPECT_THAT(text, HasSubstr("larger --budget"));
}

TEST(RecommendText, WithoutAnyTrialTheWayOutIsTheOneThatHelps) {
  RunBuilder b;
  b.component(Purpose::step_only, make({}), 2000);
  const auto next_with = [&](const std::string& kind) {
    b.run.notes = {{kind, "the reason"}};
    return on_one_line(text_of(b.run));
  };
  EXPECT_THAT(next_with("budget"), HasSubstr("Why no setting was tried (the reason). Next give a larger --budget"));
  EXPECT_THAT(next_with("interrupted"), HasSubstr("Why no setting was tried (the reason). Next go on with --resume."));
  b.fail(make({}), TrialStatus::crashed, "signal 11");
  EXPECT_THAT(next_with("budget"), HasSubstr("Next remove that cause")) << "a larger budget does not help then";
}

TEST(RecommendText, AGainThatNoiseCoversIsNoGainInTheVerdictEither) {
  RunBuilder b;
  b.run.spec.current = make({.workers = 1});
  b.confirm(make({.workers = 2, .loader = "pooled"}), {1300, 900, 1500, 1000});
  b.confirm(make({.workers = 1}), {900, 1000, 900, 1100});
  const std::string text = on_one_line(text_of(b.run));
  // Differences of the logs: 0.3677, -0.1054, 0.5108, -0.0953; t(0.975) + t(0.8) at 3 degrees of freedom times the error.
  EXPECT_THAT(text, HasSubstr("noise covers the difference; a gain of 93 % would have shown"));
  EXPECT_THAT(text, Not(HasSubstr("x the current settings")));
}

TEST(RecommendText, AnAxisThatWasSweptIsInTheVerdict) {
  RunBuilder b = example_run();
  EXPECT_THAT(text_of(b.run).substr(0, 200), Not(HasSubstr("precision")));
  b.run.spec.axes["precision"] = {std::string("fp32"), std::string("fp16")};
  EXPECT_THAT(on_one_line(text_of(b.run)).substr(0, 200), HasSubstr("precision fp16"));
}

TEST(RecommendText, TheFastestIsNamedWhereACheaperOneIsRecommended) {
  RunBuilder b;
  b.confirm(make({.batch = 64, .workers = 2, .loader = "pooled"}), {995, 994, 995, 996});
  b.confirm(make({.batch = 64, .workers = 8, .loader = "pooled"}), {1000, 999, 1000, 1001});
  const std::string text = on_one_line(text_of(b.run));
  EXPECT_THAT(text, StartsWith("Verdict 995 images/s with batch_size 64, num_workers 2"));
  EXPECT_THAT(text, HasSubstr("Fastest of all: 1,000 [999, 1,001] images/s with batch_size 64, num_workers 8"));
}

TEST(RecommendText, TheNullDeviceIsSaidToBeOneNotAFakeGpu) {
  RunBuilder b = example_run();
  b.run.device.name = "null";
  EXPECT_THAT(on_one_line(text_of(b.run)), HasSubstr("modelled: the null device takes no time for copies and steps"));
}

TEST(RecommendText, FailuresAndTheReasonAreShown) {
  EXPECT_THAT(text_of(example_run().run), HasSubstr("out of device memory"));
}

TEST(RecommendText, ARecommendationThatPyTorchCanDoIsNotExplainedTwice) {
  RunBuilder b;
  b.confirm(baseline_at(64), {200, 201, 202});
  b.confirm(make({.workers = 4}), {700, 701, 702});
  const std::string text = on_one_line(text_of(b.run));
  EXPECT_THAT(text, HasSubstr("Next set batch_size 64, num_workers 4, host_memory pinned, prefetch 2."));
  EXPECT_THAT(text, Not(HasSubstr("works like")));
}

TEST(RecommendText, GoodSettingsAreLeftAlone) {
  RunBuilder b = example_run();
  b.run.spec.current = make({.workers = 4, .loader = "pooled"});
  const std::string text = text_of(b.run);
  EXPECT_THAT(text, StartsWith("Verdict  Keep the current settings"));
  EXPECT_THAT(line_with(text, "Next"), HasSubstr("leave the loader as it is"));
}

TEST(RecommendText, TheLargestBatchIsClaimedOnlyWhereMemoryWasCounted) {
  RunBuilder b = example_run();
  EXPECT_THAT(text_of(b.run), Not(HasSubstr("of device memory free: ")));
  for (TrialResult& t : b.run.trials) t.memory.device_peak_bytes = 1'000'000'000;
  EXPECT_THAT(on_one_line(text_of(b.run)), HasSubstr("leaves 10 % of device memory free: 128 (for this model preset)"));
  b.run.spec.step_times = {{.step_ms = 85, .batch_size = 64}};
  EXPECT_THAT(text_of(b.run), Not(HasSubstr("of device memory free: "))) << "with the user's own step only inputs are counted";
}

TEST(RecommendText, NoLineIsTooWideForATerminal) {
  std::istringstream lines(text_of(example_run().run));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(text_width(line), 100u) << line;
}

TEST(RecommendText, RunsWithoutAnAnswerSayWhyAndWhatToDo) {
  RunBuilder nothing, failed;
  failed.fail(make({}), TrialStatus::crashed, "signal 11");
  EXPECT_THAT(text_of(nothing.run), HasSubstr("no setting can be recommended"));
  const std::string text = text_of(failed.run);
  EXPECT_THAT(text, HasSubstr("signal 11"));
  EXPECT_THAT(text, HasSubstr("Next"));
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  RunBuilder bare;
  bare.explore({}, 10).images_per_s = Interval{10, 10, 10, 0};
  EXPECT_THAT(text_of(bare.run), Not(HasSubstr("nan")));
}
