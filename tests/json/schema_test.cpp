// What is written follows the published schemas, judged by Python's jsonschema, and every field stands in the README.

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "build_paths.hpp"
#include "calibrated_profile.hpp"
#include "full_run.hpp"
#include "json/device_profile_json.hpp"
#include "json/run_json.hpp"
#include "json/value.hpp"

namespace fs = std::filesystem;

namespace feedtune {
namespace {

const fs::path source = build_paths::sources;

std::string read(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// 0: all follow the schema; 1: one doesn't; 77: Python's jsonschema is not here.
int check(const std::string& option, const std::string& schema, const std::vector<fs::path>& documents) {
  std::string command = "-W ignore '" + (source / "tests/json/schema_check.py").string() + "' " + option + " '" +
                        (source / "results/schema" / schema).string() + "'";
  for (const auto& document : documents) command += " '" + document.string() + "'";
  int code = 77;
  for (const char* python : {"/usr/bin/python3 ", "python3 "}) {
    const int status = std::system((python + command).c_str());
    code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code != 77 && code != 127) return code;
  }
  return 77;
}

/// One file a text, gone with the object.
struct Documents {
  explicit Documents(const std::vector<std::string>& texts) {
    for (const auto& text : texts) {
      paths.push_back(fs::path(::testing::TempDir()) / ("schema_" + std::to_string(::getpid()) + "_" + std::to_string(paths.size()) + ".json"));
      std::ofstream(paths.back()) << text;
    }
  }
  ~Documents() {
    for (const auto& path : paths) fs::remove(path);
  }
  std::vector<fs::path> paths;
};

#define EXPECT_CHECK(code, option, schema, documents)                                             \
  if (const int got = check(option, schema, documents); got == 77)                                \
    GTEST_SKIP() << "no python3 with jsonschema (apt: python3-jsonschema)";                       \
  else                                                                                            \
    EXPECT_EQ(got, code)

TEST(Schema, AResultFollowsItAndHasNothingThatItDoesNotDescribe) {
  feedtune::Run empty_answer = testing::minimal_run();
  empty_answer.recommendation.emplace();
  const Documents documents({encode(testing::full_run()), encode(testing::minimal_run()), encode(empty_answer)});
  EXPECT_CHECK(0, "--closed", "result-0.1.schema.json", documents.paths);
}

TEST(Schema, RefusesADamagedResult) {
  std::string text = encode(testing::full_run());
  const auto at = text.find("\"status\": \"ok\"");
  ASSERT_NE(at, std::string::npos);
  const Documents documents({text.substr(0, at) + "\"status\": \"great\"" + text.substr(at + 14)});
  EXPECT_CHECK(1, "", "result-0.1.schema.json", documents.paths);
}

TEST(Schema, EveryDeviceProfileFollowsIts) {
  std::vector<fs::path> profiles;
  for (const auto& entry : fs::directory_iterator(source / "configs/devices"))
    if (entry.path().extension() == ".json") profiles.push_back(entry.path());
  EXPECT_CHECK(0, "", "device-profile-0.1.schema.json", profiles);
  const Documents calibrated({encode(testing::calibrated_profile())});
  EXPECT_CHECK(0, "--closed", "device-profile-0.1.schema.json", calibrated.paths);
}

void expect_named(const JsonValue& value, const std::string& readme, const std::string& path) {
  if (const auto* array = value.array())
    for (const auto& item : *array) expect_named(item, readme, path);
  const auto* object = value.object();
  if (object == nullptr) return;
  // Names that are data, not fields.
  for (const char* open : {"configuration", "axes", "current", "facts", "libraries", "origin", "unknown"})
    if (path.ends_with(open) && path != "recommendation.current") return;
  if (path == "spec.baseline") return;
  for (const auto& [name, member] : *object) {
    EXPECT_NE(readme.find("`" + name + "`"), std::string::npos) << path << "." << name << " is not described";
    expect_named(member, readme, path.empty() ? name : path + "." + name);
  }
}

TEST(ResultReadme, DescribesEveryField) {
  const std::string readme = read(source / "results/README.md");
  ASSERT_FALSE(readme.empty());
  expect_named(parse_json(encode(testing::full_run()), "run"), readme, "");
}

}  // namespace
}  // namespace feedtune
