#include "cli/settings.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>

#include "core/error.hpp"

using namespace feedtune;
namespace fs = std::filesystem;

namespace {

Environment environment_of(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const std::string& name) -> std::optional<std::string> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

class ResolveSettings : public testing::Test {
 protected:
  void SetUp() override {
    file_ = fs::temp_directory_path() / ("feedtune-settings-" + std::to_string(::getpid()) + ".json");
    std::ofstream(file_) << R"({"seed": 3, "trial_time": "2s", "budget": "50trials", "axes": {"num_workers": [1, 2]}, "anchors": false})";
    arguments_.spec_file = file_.string();
  }
  void TearDown() override { fs::remove(file_); }

  fs::path file_;
  SweepArguments arguments_;
};

}  // namespace

TEST_F(ResolveSettings, AFlagWinsOverTheEnvironmentThatWinsOverTheFileThatWinsOverTheDefault) {
  arguments_.options["seed"] = "9";
  const auto environment = environment_of({{"FEEDTUNE_SEED", "8"}, {"FEEDTUNE_TRIAL_TIME", "5s"}});
  const Spec spec = resolve_settings(arguments_, environment).spec;
  EXPECT_EQ(spec.seed, 9u);
  EXPECT_EQ(spec.origin.at("seed"), "flag");
  EXPECT_EQ(spec.trial_time_s, 5);
  EXPECT_EQ(spec.origin.at("trial-time"), "environment");
  EXPECT_EQ(spec.budget.trials, 50);
  EXPECT_EQ(spec.origin.at("budget"), "spec file");
  EXPECT_EQ(spec.image_size, 224);
  EXPECT_EQ(spec.origin.at("image-size"), "default");
  EXPECT_FALSE(spec.anchors);
}

TEST_F(ResolveSettings, AxesReplaceEachOtherByName) {
  arguments_.axes = {"num_workers=0,4", "batch_size=32"};
  const Spec spec = resolve_settings(arguments_, environment_of({{"FEEDTUNE_AXES", "batch_size=8;prefetch=2"}})).spec;
  EXPECT_EQ(spec.axes.at("num_workers"), (std::vector<AxisValue>{std::int64_t{0}, std::int64_t{4}}));
  EXPECT_EQ(spec.axes.at("batch_size"), (std::vector<AxisValue>{std::int64_t{32}}));
  EXPECT_EQ(spec.axes.at("prefetch"), (std::vector<AxisValue>{std::int64_t{2}}));
  EXPECT_EQ(spec.origin.at("axis prefetch"), "environment");
}

TEST_F(ResolveSettings, AWrongFlagIsAUsageErrorAndAWrongVariableIsNamed) {
  arguments_.options["budget"] = "five";
  EXPECT_THROW(resolve_settings(arguments_, environment_of({})), UsageError);
  arguments_.options.clear();
  try {
    resolve_settings(arguments_, environment_of({{"FEEDTUNE_CACHE", "hot"}}));
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("FEEDTUNE_CACHE"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("warm, cold, as-is"), std::string::npos) << error.what();
  }
}

TEST_F(ResolveSettings, EveryOptionWithAValueIsAnEnvironmentVariableToo) {
  const std::map<std::string, std::string> examples = {
      {"data", "photos"},  {"device", "virtual:t4"}, {"model", "mixer-pico"}, {"step", "85ms@64"}, {"current", "num_workers=4"},
      {"strategy", "random"}, {"budget", "7m"},      {"trial-time", "4s"},    {"cache", "cold"},   {"image-size", "160"},
      {"within", "3%"},    {"seed", "12"},           {"out", "run"},
      {"replay", "grid.csv"}};
  for (const auto& option : sweep_options()) {
    const auto example = examples.find(option.name);
    ASSERT_NE(example, examples.end()) << "no example of --" << option.name << " in this test";
    std::string variable = "FEEDTUNE_";
    for (const char c : std::string(option.name)) variable += c == '-' ? '_' : static_cast<char>(std::toupper(c));
    const bool replay = example->first == "replay";  // a spec file with data in it contradicts that
    const Settings settings = resolve_settings(replay ? SweepArguments{} : arguments_, environment_of({{variable, example->second}}));
    EXPECT_EQ(settings.spec.origin.at(option.name), "environment") << variable;
  }
}

TEST_F(ResolveSettings, AReplayRefusesWhatTheRecordSaysAndHasNoDefaultBudget) {
  arguments_.options = {{"replay", "grid.csv"}};
  EXPECT_THROW(resolve_settings(arguments_, environment_of({})), UsageError) << "the spec file names data";
  SweepArguments bare;
  bare.options = {{"replay", "grid.csv"}};
  const Settings settings = resolve_settings(bare, environment_of({{"FEEDTUNE_DATA", "photos"}}));
  EXPECT_EQ(settings.replay, "grid.csv");
  EXPECT_FALSE(settings.spec.budget.seconds || settings.spec.budget.trials);
}

TEST_F(ResolveSettings, PrintConfigShowsTheBudgetThatTheSweepWillHave) {
  const auto budget_line = [](const SweepArguments& arguments) {
    const std::string text = describe(resolve_settings(arguments, environment_of({})));
    const auto at = text.find("budget");
    return text.substr(at, text.find('\n', at) - at);
  };
  SweepArguments bare;
  EXPECT_NE(budget_line(bare).find("= 300s  (default)"), std::string::npos) << budget_line(bare);
  EXPECT_EQ(resolve_settings(bare, environment_of({})).spec.budget.seconds, 300);
  bare.axes = {"num_workers=0,2"};
  EXPECT_NE(budget_line(bare).find("none (to the end of the plan)"), std::string::npos) << budget_line(bare);
  bare.options["budget"] = "90s";
  EXPECT_NE(budget_line(bare).find("= 90s  (flag)"), std::string::npos) << budget_line(bare);
  EXPECT_NE(budget_line(arguments_).find("= 50trials  (spec file)"), std::string::npos) << budget_line(arguments_);
}

TEST_F(ResolveSettings, PrintConfigNamesEveryOptionWithItsOrigin) {
  const std::string text = describe(resolve_settings(arguments_, environment_of({})));
  for (const auto& option : sweep_options()) EXPECT_NE(text.find(option.name), std::string::npos) << option.name;
  EXPECT_NE(text.find("(spec file)"), std::string::npos);
  EXPECT_NE(text.find("(default)"), std::string::npos);
}
