// A disk that is full, read-only or going away: each call that writes a run is made to fail in turn. What is promised:
// a clear error with the path, and files that are what they were or what they should be, never something between.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include "core/error.hpp"
#include "json/run_json.hpp"
#include "store/file.hpp"
#include "store/run_folder.hpp"
#include "store_fixture.hpp"

namespace fs = std::filesystem;

namespace feedtune {
namespace {

using namespace feedtune::testing;
using ::testing::HasSubstr;

/// Which of the calls, counted from 1 since arm(), fails, and how. A write of `short_bytes` >= 0 bytes comes before it.
struct Fault {
  int call = 0;
  int error = 0;
  bool once = true;  ///< false: every later call fails too
  ssize_t short_bytes = -1;
};

Fault fault;
int calls_made = 0;
ssize_t largest_write = SSIZE_MAX;

void arm(const Fault& next) {
  fault = next;
  calls_made = 0;
}

bool fails() {
  ++calls_made;
  if (fault.call == 0 || calls_made < fault.call || (fault.once && calls_made > fault.call)) return false;
  errno = fault.error;
  return true;
}

const FileCalls& faulty_calls() {
  static const FileCalls calls = {
      .open = [](const char* path, int flags, mode_t mode) { return fails() ? -1 : system_file_calls().open(path, flags, mode); },
      .write = [](int fd, const void* data, std::size_t bytes) -> ssize_t {
        if (!fails()) return system_file_calls().write(fd, data, std::min(bytes, static_cast<std::size_t>(largest_write)));
        if (fault.short_bytes < 0) return -1;
        // The full disk takes a piece and refuses the rest.
        if (system_file_calls().write(fd, data, std::min(bytes, static_cast<std::size_t>(fault.short_bytes))) < 0) return -1;
        errno = fault.error;
        return -1;
      },
      .fdatasync = [](int fd) { return fails() ? -1 : system_file_calls().fdatasync(fd); },
      .fsync = [](int fd) { return fails() ? -1 : system_file_calls().fsync(fd); },
      .ftruncate = [](int fd, off_t bytes) { return fails() ? -1 : system_file_calls().ftruncate(fd, bytes); },
      .rename = [](const char* from, const char* to) { return fails() ? -1 : system_file_calls().rename(from, to); },
  };
  return calls;
}

class Faults : public ::testing::Test {
 protected:
  void TearDown() override {
    arm({});
    largest_write = SSIZE_MAX;
  }
  MemoryFolder temporary;
  std::string path = temporary / "run";
};

/// Runs `body` with call 1, 2, ... failing until it makes no more calls than that; checks `after` each time.
template <class Body, class After>
int each_call(Fault kind, const Body& body, const After& after) {
  for (int call = 1;; ++call) {
    kind.call = call;
    arm(kind);
    std::optional<std::string> error;
    try {
      body();
    } catch (const IoError& io) {
      error = io.what();
    }
    const bool reached = calls_made >= call;
    arm({});
    after(call, error);
    if (!reached) return call - 1;
  }
}

TEST_F(Faults, AnAppendThatFailsLeavesAValidJournalAndTheNextOneWorks) {
  for (const Fault kind : {Fault{.error = EIO}, Fault{.error = ENOSPC, .short_bytes = 0}, Fault{.error = ENOSPC, .short_bytes = 100},
                           Fault{.error = EIO, .once = false}, Fault{.error = ENOSPC, .once = false, .short_bytes = 37}}) {
    const MemoryFolder own;
    RunFolder folder = RunFolder::create(own / "run", header(), faulty_calls());
    std::int64_t id = 0;
    std::size_t kept = 0;
    const int calls = each_call(
        kind, [&] { folder.append(trial(++id)); },
        [&](int call, const std::optional<std::string>& error) {
          if (!error) ++kept;
          if (error) {
            EXPECT_THAT(*error, HasSubstr("run/trials.jsonl: cannot ")) << call;
            EXPECT_THAT(*error, HasSubstr(std::strerror(kind.error)));
          }
          const feedtune::Run run = load_run(own / "run");
          // Where every call fails, a record that could not be synced can't be cut off either, until the next append.
          EXPECT_LE(run.trials.size(), kept + (error && !kind.once ? 1 : 0)) << "call " << call;
          EXPECT_GE(run.trials.size(), kept) << "call " << call;
          folder.append(trial(++id));
          ++kept;
          EXPECT_EQ(load_run(own / "run").trials.size(), kept) << "after call " << call;
        });
    EXPECT_GE(calls, 2) << "write and fdatasync";
  }
}

TEST_F(Faults, SignalsAndSmallWritesLoseNothing) {
  RunFolder folder = RunFolder::create(path, header(), faulty_calls());
  largest_write = 40;
  std::int64_t id = 0;
  const int calls = each_call(
      {.error = EINTR}, [&] { folder.append(trial(++id)); },
      [&](int call, const std::optional<std::string>& error) {
        EXPECT_EQ(error, std::nullopt) << call;
        EXPECT_EQ(load_run(path).trials.size(), static_cast<std::size_t>(id));
      });
  EXPECT_GT(calls, 20) << "a record goes out in many pieces";
}

TEST_F(Faults, AResultThatCannotBeWrittenLeavesTheOldOne) {
  RunFolder folder = RunFolder::create(path, header(), faulty_calls());
  feedtune::Run run = load_run(path);
  folder.write_result(run);
  const std::string old = read(path + "/result.json");
  run.notes.push_back({.kind = "drift", .text = "new"});
  const std::string next = encode(run);
  for (const Fault kind : {Fault{.error = ENOSPC, .short_bytes = 50}, Fault{.error = EIO}, Fault{.error = EROFS, .once = false}}) {
    write(path + "/result.json", old);
    const int calls = each_call(
        kind, [&] { folder.write_result(run); },
        [&](int call, const std::optional<std::string>& error) {
          const std::string now = read(path + "/result.json");
          EXPECT_TRUE(now == next || (error && now == old)) << "call " << call;
          EXPECT_FALSE(fs::exists(path + "/.result.json.tmp")) << "call " << call;
          if (error) {
            EXPECT_THAT(*error, HasSubstr(path));
            EXPECT_THAT(*error, HasSubstr(std::strerror(kind.error)));
          }
          write(path + "/result.json", old);
        });
    EXPECT_GE(calls, 5) << "open, write, fdatasync, rename, fsync of the folder";
  }
}

TEST_F(Faults, ACreationThatFailsCanBeDoneAgain) {
  int made = 0;
  each_call(
      {.error = EIO, .once = false},
      [&] { RunFolder::create(temporary / ("run" + std::to_string(++made)), header(), faulty_calls()); },
      [&](int call, const std::optional<std::string>& error) {
        const std::string folder = temporary / ("run" + std::to_string(made));
        if (!error) return;
        if (!fs::exists(folder + "/trials.jsonl")) {
          EXPECT_NO_THROW(RunFolder::create(folder, header())) << call;
        } else {
          JournalContent content;
          EXPECT_NO_THROW(RunFolder::resume(folder, content)) << call;
        }
      });
  EXPECT_GE(made, 6);
}

TEST_F(Faults, AResumeThatFailsDamagesNothing) {
  {
    RunFolder folder = RunFolder::create(path, header());
    folder.append(trial(1));
  }
  write(path + "/trials.jsonl", read(path + "/trials.jsonl") + "{\"type\":\"tri");
  each_call(
      {.error = EIO, .once = false},
      [&] {
        JournalContent content;
        RunFolder::resume(path, content, faulty_calls());
      },
      [&](int call, const std::optional<std::string>&) { EXPECT_EQ(load_run(path).trials.size(), 1u) << call; });
}

TEST_F(Faults, AJournalRemovedUnderARunningSweepIsNoticed) {
  RunFolder folder = RunFolder::create(path, header());
  folder.append(trial(1));
  fs::remove(path + "/trials.jsonl");
  EXPECT_THROW(folder.append(trial(2)), IoError);
}

/// A real limit of the kernel: it takes a part of the record and refuses the rest, as a full disk does.
TEST_F(Faults, AFileSizeLimitInTheMiddleOfARecordLeavesTheRecordsBefore) {
  RunFolder folder = RunFolder::create(path, header());
  folder.append(trial(1));
  const auto size = static_cast<rlim_t>(fs::file_size(path + "/trials.jsonl"));
  rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit = before;
  limit.rlim_cur = size + 100;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::string error;
  try {
    folder.append(trial(2));
  } catch (const IoError& io) {
    error = io.what();
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_THAT(error, HasSubstr("trials.jsonl: cannot append to: File too large"));
  EXPECT_EQ(static_cast<rlim_t>(fs::file_size(path + "/trials.jsonl")), size);
  folder.append(trial(3));
  EXPECT_EQ(load_run(path).trials.size(), 2u);
}

TEST_F(Faults, AFolderThatMayNotBeWrittenIsNamed) {
  if (::geteuid() == 0) {
    // The superuser may write everywhere but into /proc.
    EXPECT_THROW(RunFolder::create("/proc/feedtune-run", header()), IoError);
    return;
  }
  fs::permissions(temporary.text(), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_THROW(RunFolder::create(path, header()), IoError);
  fs::permissions(temporary.text(), fs::perms::owner_all);
}

}  // namespace
}  // namespace feedtune
