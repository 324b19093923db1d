#include "store/run_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>

#include "core/error.hpp"
#include "json/journal_json.hpp"
#include "json/run_json.hpp"
#include "store_fixture.hpp"

namespace fs = std::filesystem;

namespace feedtune {
namespace {

using namespace feedtune::testing;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

template <class Exception, class Body>
std::string error_of(const Body& body) {
  try {
    body();
  } catch (const Exception& error) {
    return error.what();
  }
  return "no such error";
}

std::vector<std::int64_t> ids(const feedtune::Run& run) {
  std::vector<std::int64_t> all;
  for (const auto& result : run.trials) all.push_back(result.id);
  return all;
}

RunFolder with_trials(const std::string& path, int count) {
  RunFolder folder = RunFolder::create(path, header());
  for (int id = 1; id <= count; ++id) folder.append(trial(id));
  return folder;
}

TEST(RunFolder, WhatWasAppendedIsReadByAnyoneAtOnce) {
  const MemoryFolder temporary;
  RunFolder folder = RunFolder::create(temporary / "a/b/run", header());
  EXPECT_EQ(load_run(folder.path()).spec.data, "photos") << "before the first trial";
  folder.append(trial(1));
  folder.append(RunNote{.kind = "drift", .text = "2 %\nsecond line"});
  folder.append(trial(2));
  const feedtune::Run run = load_run(folder.path());
  EXPECT_EQ(ids(run), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(run.trials[1].images_per_s->mean, 102);
  ASSERT_EQ(run.notes.size(), 1u);
  EXPECT_EQ(run.notes[0].text, "2 %\nsecond line");
  EXPECT_FALSE(run.complete);
  EXPECT_EQ(encode(load_run(folder.path() + "/trials.jsonl")), encode(run)) << "the journal as a file";
}

TEST(RunFolder, ResumeGoesOnWhereTheRunStopped) {
  const MemoryFolder temporary;
  const std::string path = temporary / "run";
  with_trials(path, 2);
  {
    JournalContent content;
    RunFolder folder = RunFolder::resume(path, content);
    EXPECT_EQ(content.torn, std::nullopt);
    EXPECT_EQ(ids(content.run), (std::vector<std::int64_t>{1, 2}));
    folder.append(trial(3));
  }
  EXPECT_EQ(ids(load_run(path)), (std::vector<std::int64_t>{1, 2, 3}));
}

TEST(RunFolder, CreateRefusesARunThatIsThereAndNamesTheWayOn) {
  const MemoryFolder temporary;
  const std::string path = temporary / "run";
  with_trials(path, 1);
  const std::string before = read(path + "/trials.jsonl");
  EXPECT_THAT(error_of<InputError>([&] { RunFolder::create(path, header()); }), HasSubstr("--resume goes on with it"));
  EXPECT_EQ(read(path + "/trials.jsonl"), before);
  write(temporary / "only_result/x", "");
  fs::create_directory(temporary / "only_result");
  write(temporary / "only_result/result.json", "{}");
  EXPECT_THAT(error_of<InputError>([&] { RunFolder::create(temporary / "only_result", header()); }), HasSubstr("--resume"));
}

TEST(RunFolder, CreateLeavesAFolderOfOtherThingsAlone) {
  const MemoryFolder temporary;
  fs::create_directory(temporary / "home");
  write(temporary / "home/thesis.txt", "x");
  EXPECT_THAT(error_of<InputError>([&] { RunFolder::create(temporary / "home", header()); }), HasSubstr("is not empty (it holds thesis.txt)"));
  EXPECT_FALSE(fs::exists(temporary / "home/lock"));
  EXPECT_THAT(error_of<InputError>([&] { RunFolder::create(temporary / "home/thesis.txt", header()); }), HasSubstr("is a file"));
  EXPECT_THAT(error_of<IoError>([&] { RunFolder::create(temporary / "home/thesis.txt/run", header()); }), HasSubstr("Not a directory"));
  fs::create_directory(temporary / "empty");
  EXPECT_NO_THROW(RunFolder::create(temporary / "empty", header()));
}

TEST(RunFolder, CreateTakesOverWhatAKilledCreationLeft) {
  const MemoryFolder temporary;
  fs::create_directory(temporary / "run");
  write(temporary / "run/lock", "99999999\n");
  write(temporary / "run/.trials.jsonl.tmp", "{\"type\":\"ru");
  EXPECT_NO_THROW(with_trials(temporary / "run", 1));
  EXPECT_EQ(ids(load_run(temporary / "run")), (std::vector<std::int64_t>{1}));
  EXPECT_FALSE(fs::exists(temporary / "run/.trials.jsonl.tmp"));
}

TEST(RunFolder, ALinkInTheTemporaryFilesPlaceIsNotFollowed) {
  const MemoryFolder temporary;
  write(temporary / "precious", "mine");
  fs::create_directory(temporary / "run");
  fs::create_symlink(temporary / "precious", temporary / "run/.trials.jsonl.tmp");
  EXPECT_NO_THROW(with_trials(temporary / "run", 1));
  std::ifstream file(temporary / "precious");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "mine");
}

TEST(RunFolder, ResumeNeedsARun) {
  const MemoryFolder temporary;
  JournalContent content;
  EXPECT_THAT(error_of<InputError>([&] { RunFolder::resume(temporary / "nowhere", content); }), HasSubstr("no such folder"));
  EXPECT_THAT(error_of<InputError>([&] { RunFolder::resume(temporary.text(), content); }), HasSubstr("holds no trials.jsonl"));
  EXPECT_FALSE(fs::exists(temporary / "lock"));
}

TEST(RunFolder, ASecondProcessIsRefusedAtOnceByTheFirstOnesNumber) {
  const MemoryFolder temporary;
  const std::string path = temporary / "run";
  const RunFolder folder = with_trials(path, 1);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    JournalContent content;
    const std::string wanted = "in use by process " + std::to_string(::getppid());
    const std::string resumed = error_of<RunInUseError>([&] { RunFolder::resume(path, content); });
    const std::string created = error_of<RunInUseError>([&] { RunFolder::create(path, header()); });
    ::_exit(resumed.find(wanted) != std::string::npos && created.find(wanted) != std::string::npos ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(ids(load_run(path)), (std::vector<std::int64_t>{1})) << "reading needs no lock";
}

TEST(RunFolder, TheLockEndsWithItsOwner) {
  const MemoryFolder temporary;
  const std::string path = temporary / "run";
  { const RunFolder folder = with_trials(path, 1); }
  EXPECT_FALSE(fs::exists(path + "/lock"));
  JournalContent content;
  { const RunFolder folder = RunFolder::resume(path, content); }
  RunFolder moved = RunFolder::resume(path, content);
  const RunFolder held = std::move(moved);
  EXPECT_NE(error_of<RunInUseError>([&] { RunFolder::resume(path, content); }), "no such error");
}

/// Appends trials until it is killed, telling the parent of each that is on the disk.
[[noreturn]] void append_until_killed(const std::string& path, int acknowledge) {
  RunFolder folder = RunFolder::create(path, header());
  for (std::int64_t id = 1;; ++id) {
    TrialResult result = trial(id);
    result.step_us.assign(2000, 123'456);
    folder.append(result);
    if (::write(acknowledge, &id, sizeof id) != sizeof id) ::_exit(1);
  }
}

TEST(RunFolder, AKillLosesNoFinishedTrialAndDoublesNone) {
  for (int round = 0; round < 10; ++round) {
    const MemoryFolder temporary;
    const std::string path = temporary / "run";
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) append_until_killed(path, ends[1]);
    ::close(ends[1]);
    std::int64_t acknowledged = 0;
    while (acknowledged < 3 + round) ASSERT_EQ(::read(ends[0], &acknowledged, sizeof acknowledged), static_cast<ssize_t>(sizeof acknowledged));
    ::usleep(static_cast<useconds_t>(137 * round));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    for (std::int64_t id; ::read(ends[0], &id, sizeof id) == sizeof id;) acknowledged = id;
    ::close(ends[0]);

    JournalContent content;
    RunFolder folder = RunFolder::resume(path, content);
    const auto found = static_cast<std::int64_t>(content.run.trials.size());
    EXPECT_GE(found, acknowledged);
    EXPECT_LE(found, acknowledged + 1) << "one may be on the disk whose word did not get out";
    for (std::int64_t i = 0; i < found; ++i) EXPECT_EQ(content.run.trials[static_cast<std::size_t>(i)].id, i + 1);
    folder.append(trial(found + 1));
    EXPECT_EQ(load_run(path).trials.size(), static_cast<std::size_t>(found) + 1);
  }
}

TEST(RunFolder, TheResultIsReplacedInOneStep) {
  const MemoryFolder temporary;
  RunFolder folder = with_trials(temporary / "run", 2);
  feedtune::Run run = load_run(folder.path());
  run.complete = true;
  folder.write_result(run);
  EXPECT_EQ(read(folder.path() + "/result.json"), encode(run));
  run.notes.push_back({.kind = "drift", .text = "later"});
  folder.write_result(run);
  EXPECT_EQ(load_run(folder.path()).notes.size(), 1u);
  EXPECT_TRUE(load_run(folder.path() + "/result.json").complete);
  EXPECT_FALSE(fs::exists(folder.path() + "/.result.json.tmp"));
}

TEST(RunFolder, AResultThatIsOlderThanTheJournalHidesNoTrial) {
  const MemoryFolder temporary;
  RunFolder folder = with_trials(temporary / "run", 2);
  folder.write_result(load_run(folder.path()));
  folder.append(trial(3));
  const feedtune::Run run = load_run(folder.path());
  EXPECT_EQ(ids(run), (std::vector<std::int64_t>{1, 2, 3}));
  ASSERT_EQ(run.notes.size(), 1u);
  EXPECT_EQ(run.notes[0].text, "result.json holds 2 of 3 trials; the others were read from the journal");
}

TEST(LoadRun, SaysWhatIsWrongWithWhatItWasGiven) {
  const MemoryFolder temporary;
  const auto error = [](const std::string& path) { return error_of<InputError>([&] { load_run(path); }); };
  EXPECT_THAT(error(temporary.text()), HasSubstr("holds no run (neither result.json nor trials.jsonl)"));
  EXPECT_THAT(error(temporary / "nowhere"), HasSubstr("no such file or folder"));
  write(temporary / "empty.json", "");
  EXPECT_THAT(error(temporary / "empty.json"), HasSubstr("empty.json:1:1:"));
  write(temporary / "other.json", "{\"schema\": \"x\"}");
  EXPECT_THAT(error(temporary / "other.json"), HasSubstr("other.json:1: schema: got \"x\", want \"feedtune.result\""));
  write(temporary / "a.jpg", "\xFF\xD8\xFF\xE0");
  EXPECT_THAT(error(temporary / "a.jpg"), HasSubstr("a.jpg:1:1"));
  ASSERT_EQ(::mkfifo((temporary / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(error(temporary / "pipe"), HasSubstr("is no regular file"));
  fs::create_directory(temporary / "run");
  fs::create_directory(temporary / "run/result.json");
  EXPECT_THAT(error(temporary / "run"), HasSubstr("is a folder, want a file"));
  EXPECT_THAT(error("/dev/zero"), HasSubstr("is no regular file"));
}

}  // namespace
}  // namespace feedtune
