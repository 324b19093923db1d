#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "build_paths.hpp"
#include "json/value.hpp"
#include "run_command.hpp"

namespace feedtune {
namespace {

namespace fs = std::filesystem;
using test::Outcome;
using ::testing::HasSubstr;

class Doctor : public testing::Test {
 protected:
  Outcome run(const std::string& arguments, const std::string& before = "") {
    return test::run_command(before + " '" + std::string(build_paths::program) + "' doctor " + arguments, folder_.path());
  }
  static std::string status(const JsonValue& report, const std::string& check) {
    for (const auto& one : *report.find("checks")->array())
      if (*one.find("name")->text() == check) return *one.find("status")->text();
    return "no such check";
  }
  static JsonValue parsed(const Outcome& outcome) { return parse_json(outcome.out, "doctor"); }

  test::TemporaryFolder folder_;
};

TEST_F(Doctor, AnswersAtOnceWithAllChecksAndExitCode0) {
  const Outcome text = run("");
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(text.err, "");
  for (const char* name : {"cpu_quota", "shared_memory", "memory_channels", "data_storage", "cuda"}) EXPECT_THAT(text.out, HasSubstr(name));
  EXPECT_THAT(text.out, HasSubstr("Nothing was measured"));
}

TEST_F(Doctor, TheSettingsInUseDecideWhatIsNeeded) {
  const Outcome few = run("--format json --current batch_size=1,num_workers=1,prefetch=1 --image-size 32");
  ASSERT_EQ(few.code, 0) << few.err;
  EXPECT_EQ(status(parsed(few), "memory_room"), "ok");
  // 65,536 x 3 x 4096 x 4096 x 4 bytes are 13 TB a batch.
  const Outcome many = run("--format json --current batch_size=65536,num_workers=1024 --image-size 4096");
  ASSERT_EQ(many.code, 0) << many.err;
  EXPECT_EQ(status(parsed(many), "memory_room"), "bad");
  EXPECT_EQ(status(parsed(many), "shared_memory"), "bad");
  EXPECT_EQ(std::get<std::int64_t>(parsed(many).find("setting")->find("num_workers")->data), 1024);
}

TEST_F(Doctor, LibrariesThreadsAreTakenFromTheEnvironment) {
  const Outcome unset = run("--format json --current num_workers=512", "env -u OMP_NUM_THREADS");
  const Outcome simd = run("--format json", "JSIMD_FORCENONE=1");
  EXPECT_EQ(status(parsed(unset), "thread_defaults"), "warn");
  EXPECT_EQ(status(parsed(simd), "build"), "bad");
}

TEST_F(Doctor, TheDatasFilesystemIsThatOfALinksTarget) {
  if (!fs::exists("/dev/shm")) GTEST_SKIP() << "no /dev/shm";
  const test::TemporaryFolder memory("/dev/shm");
  fs::create_directory_symlink(memory.path(), folder_.path() / "link");
  const Outcome outcome = run("--format json --data " + (folder_ / "link"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(*parsed(outcome).find("machine")->find("facts")->find("data_storage")->find("value")->text(), "memory");
}

TEST_F(Doctor, MistakesAreOneLineWithWhatIsAccepted) {
  const auto fails = [&](const std::string& arguments, int code, const std::string& said) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, code) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(said)) << arguments;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  };
  fails("--data /does/not/exist", 3, "/does/not/exist: no such file or folder");
  fails("--current num_worker=4", 2, "did you mean num_workers?");
  fails("--current num_workers=-1", 2, "want an integer");
  fails("--current num_workers", 2, "--current");
  fails("--image-size 7", 2, "want an integer from 8 to 4096");
  fails("--format xml", 2, "xml");
}

TEST_F(Doctor, NamesAndNumbersOfTheMachineAppearOnlyWithIdentify) {
  const Outcome plain = run("--format json"), identified = run("--format json --identify");
  EXPECT_EQ(parsed(plain).find("machine")->find("facts")->find("host_name"), nullptr);
  EXPECT_NE(parsed(identified).find("machine")->find("facts")->find("host_name"), nullptr);
}

TEST_F(Doctor, ItsJsonFollowsItsSchema) {
  const fs::path sources = build_paths::sources;
  int code = 77;
  for (const char* more : {"", "--identify --data / --current num_workers=0"}) {
    const Outcome outcome = run(std::string("--format json ") + more);
    folder_.write("doctor.json", outcome.out);
    for (const char* python : {"/usr/bin/python3", "python3"}) {
      const Outcome checked = test::run(std::string(python) + " -W ignore '" + (sources / "tests/json/schema_check.py").string() + "' --closed '" +
                                        (sources / "results/schema/doctor-0.1.schema.json").string() + "' '" + (folder_ / "doctor.json") + "'");
      code = checked.code;
      if (code == 77 || code == 127) continue;
      EXPECT_EQ(code, 0) << checked.out;
      break;
    }
  }
  if (code == 77 || code == 127) GTEST_SKIP() << "no python3 with jsonschema (apt: python3-jsonschema)";
}

}  // namespace
}  // namespace feedtune
