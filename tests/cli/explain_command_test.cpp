#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "build_paths.hpp"
#include "json/value.hpp"
#include "run_command.hpp"

namespace feedtune {
namespace {

namespace fs = std::filesystem;
using test::Outcome;
using ::testing::HasSubstr;

/// Of a sweep of a few seconds, in which the step waits for images that one thread loads.
class ExplainCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<test::TemporaryFolder>();
    ASSERT_EQ(program("make-data " + in("images") + " --images 64").code, 0);
    const Outcome swept = program("sweep --data " + in("images") + " --out " + in("run") + " --device virtual:t4 --model mixer-pico --image-size 32 --axis batch_size=4 --axis num_workers=0,1"
                                  " --axis loader=pooled --axis host_memory=pageable --trial-time 0.2s --budget 6trials --no-anchors --quiet");
    ASSERT_THAT(swept.code, testing::AnyOf(0, 7)) << swept.err;
  }
  static void TearDownTestSuite() { folder_.reset(); }
  static Outcome program(const std::string& arguments) {
    return test::run_command("FEEDTUNE_CONFIGS='" + (fs::path(build_paths::sources) / "configs").string() + "' '" + std::string(build_paths::program) + "' " + arguments,
                             folder_->path());
  }
  static std::string in(const std::string& name) { return "'" + (folder_->path() / name).string() + "'"; }
  static Outcome explain(const std::string& arguments) { return program("explain " + arguments); }

  static inline std::unique_ptr<test::TemporaryFolder> folder_;
};

TEST_F(ExplainCommand, AWaitingDeviceGetsVerdictEvidenceAndWhatToDo) {
  const Outcome text = explain(in("run"));
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(text.err, "");
  for (const char* part : {"Verdict", "Why", "Gain", "Next", "the device waits for data"}) EXPECT_THAT(text.out, HasSubstr(part));
}

TEST_F(ExplainCommand, ItsJsonFollowsItsSchema) {
  const Outcome json = explain(in("run") + " --format json");
  ASSERT_EQ(json.code, 0) << json.err;
  EXPECT_GE(parse_json(json.out, "explain").find("trials")->array()->size(), 1u);
  folder_->write("explain.json", json.out);
  const fs::path sources = build_paths::sources;
  for (const char* python : {"/usr/bin/python3", "python3"}) {
    const Outcome checked = test::run(std::string(python) + " -W ignore '" + (sources / "tests/json/schema_check.py").string() + "' --closed '" +
                                      (sources / "results/schema/explanation-0.1.schema.json").string() + "' '" + (*folder_ / "explain.json") + "'");
    if (checked.code == 77 || checked.code == 127) continue;
    EXPECT_EQ(checked.code, 0) << checked.out;
    return;
  }
  GTEST_SKIP() << "no python3 with jsonschema (apt: python3-jsonschema)";
}

TEST_F(ExplainCommand, WhatCannotBeExplainedIsOneLineWithTheReason) {
  const Outcome unknown = explain(in("run") + " --trial 999");
  EXPECT_EQ(unknown.code, 3);
  EXPECT_THAT(unknown.err, HasSubstr("has no trial 999"));
  EXPECT_EQ(explain(in("run") + " --trial 0").code, 2);
  EXPECT_EQ(explain(in("run") + " --trial one").code, 2);
  EXPECT_EQ(explain(in("nowhere")).code, 3);
  folder_->write("broken.json", "{\"schema\": \"feedtune.result\"");
  const Outcome broken = explain(in("broken.json"));
  EXPECT_EQ(broken.code, 3);
  EXPECT_THAT(broken.err, HasSubstr("broken.json"));
  for (const Outcome& one : {unknown, broken}) {
    EXPECT_EQ(std::count(one.err.begin(), one.err.end(), '\n'), 1) << one.err;
    EXPECT_EQ(one.out, "");
  }
}

}  // namespace
}  // namespace feedtune
