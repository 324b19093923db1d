#include "process/child.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "build_paths.hpp"
#include "core/error.hpp"
#include "process/process_tree.hpp"

using namespace feedtune;
using namespace std::chrono_literals;

namespace {

std::chrono::steady_clock::time_point in(std::chrono::milliseconds time) { return std::chrono::steady_clock::now() + time; }

Child::Options options(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), build_paths::process_child);
  Child::Options result;
  result.arguments = std::move(arguments);
  return result;
}

std::string expect_message(Child& child) {
  std::string message;
  EXPECT_EQ(child.receive(message, in(20s)), Child::Receive::message) << child.output_tail();
  return message;
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  DIR* folder = ::opendir("/proc/self/fd");
  while (::readdir(folder) != nullptr) ++count;
  ::closedir(folder);
  return count;
}

std::size_t children_of_this_process() {
  std::size_t count = 0;
  for (const auto& entry : list_processes()) count += entry.parent == ::getpid();
  return count;
}

/// 'gone', or the state letter of /proc/PID/stat.
std::string state_of(pid_t pid) {
  for (const auto& entry : list_processes())
    if (entry.pid == pid) return std::string(1, entry.state);
  return "gone";
}

bool ended_within(pid_t pid, std::chrono::milliseconds limit) {
  const auto deadline = in(limit);
  while (std::chrono::steady_clock::now() < deadline) {
    const auto state = state_of(pid);
    if (state == "gone" || state == "Z") return true;
    std::this_thread::sleep_for(5ms);
  }
  return false;
}

std::vector<pid_t> numbers(const std::string& text) {
  std::istringstream words(text);
  std::vector<pid_t> result;
  for (pid_t pid; words >> pid;) result.push_back(pid);
  return result;
}

class Subreaper : public ::testing::Environment {
  void SetUp() override { become_subreaper(); }
};
[[maybe_unused]] const auto* const subreaper = ::testing::AddGlobalTestEnvironment(new Subreaper);

}  // namespace

TEST(Child, MessagesComeBackWholeAndInOrder) {
  Child child(options({"echo"}));
  const std::vector<std::string> messages = {"", "a", std::string("\0\xff\n{}", 5), std::string(70'000, 'b'), "last"};
  for (const auto& message : messages) ASSERT_TRUE(child.send(message));
  for (const auto& message : messages) EXPECT_EQ(expect_message(child), message);
  const auto end = child.wait(10s);
  EXPECT_EQ(end.exit_code, 0) << end.text();
  EXPECT_EQ(end.text(), "exit code 0");
  EXPECT_EQ(child.wait(1s).exit_code, 0) << "asking again gives the same answer";
}

TEST(Child, AMessageLargerThanEveryBufferGoesThroughBothWays) {
  Child child(options({"echo"}));
  std::string large(20 << 20, '\0');
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * 2654435761u >> 24);
  ASSERT_TRUE(child.send(large));
  EXPECT_TRUE(expect_message(child) == large);
}

TEST(Child, AMessageOverTheLimitIsRefusedBeforeAnyByteIsSent) {
  Child child(options({"echo"}));
  EXPECT_THROW(child.send(std::string((64 << 20) + 1, 'x')), Error);
  ASSERT_TRUE(child.send("still in step"));
  EXPECT_EQ(expect_message(child), "still in step");
}

TEST(Child, BothSidesTalkingFirstDoesNotDeadlock) {
  Child child(options({"talk_first", "8000000"}));
  ASSERT_TRUE(child.send(std::string(8'000'000, 'p')));
  EXPECT_EQ(expect_message(child).size(), 8'000'000u);
  EXPECT_EQ(expect_message(child), "8000000");
}

TEST(Child, ThreadsOfTheChildDoNotMixTheirMessages) {
  Child child(options({"threads", "4"}));
  std::map<char, int> seen;
  for (int i = 0; i < 200; ++i) {
    const auto message = expect_message(child);
    ASSERT_EQ(message.size(), 20'000u);
    ASSERT_EQ(message.find_first_not_of(message[0]), std::string::npos) << "bytes of two messages in one";
    ++seen[message[0]];
  }
  EXPECT_EQ(seen.size(), 4u);
  for (const auto& [name, count] : seen) EXPECT_EQ(count, 50) << name;
}

TEST(Child, AnExitCodeAndASignalAreToldApart) {
  Child leaving(options({"exit", "3"}));
  EXPECT_EQ(leaving.wait(10s).text(), "exit code 3");
  Child crashing(options({"abort"}));
  const auto end = crashing.wait(10s);
  EXPECT_EQ(end.signal, SIGABRT);
  EXPECT_EQ(end.exit_code, std::nullopt);
  EXPECT_EQ(end.text(), "signal 6 (Aborted)");
}

TEST(Child, AProgramThatIsNotThereIsNamedInTheError) {
  try {
    Child child({.arguments = {"/nonexistent/trainer"}, .environment = {}, .stop = {}});
    FAIL() << "started";
  } catch (const IoError& error) {
    EXPECT_EQ(error.path(), "/nonexistent/trainer");
    EXPECT_EQ(error.error_number(), ENOENT);
  }
}

TEST(Child, AHangEndsAtTheDeadlineAndThenWithinTheGrace) {
  Child child(options({"stubborn"}));
  EXPECT_EQ(expect_message(child), "ready");
  std::string message;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(child.receive(message, in(200ms)), Child::Receive::timeout);
  EXPECT_GE(std::chrono::steady_clock::now() - start, 200ms);
  EXPECT_TRUE(child.running());
  const auto end = child.kill(100ms);
  EXPECT_EQ(end.signal, SIGKILL) << "it ignores SIGTERM";
  EXPECT_LT(std::chrono::steady_clock::now() - start, 10s);
  EXPECT_FALSE(child.running());
}

TEST(Child, OneThatHeedsSigtermIsNotKilledHarder) {
  Child child(options({"hang"}));
  EXPECT_EQ(child.kill(20s).signal, SIGTERM);
}

TEST(Child, AStoppedChildIsEndedToo) {
  Child child(options({"stop"}));
  const auto deadline = in(10s);
  while (state_of(child.pid()) != "T" && std::chrono::steady_clock::now() < deadline) std::this_thread::sleep_for(2ms);
  ASSERT_EQ(state_of(child.pid()), "T");
  EXPECT_TRUE(child.running());
  std::string message;
  EXPECT_EQ(child.receive(message, in(50ms)), Child::Receive::timeout);
  EXPECT_EQ(child.kill(20s).signal, SIGTERM);
  EXPECT_EQ(state_of(child.pid()), "gone");
}

TEST(Child, GarbageIsMalformedAndStaysSo) {
  Child child(options({"garbage"}));
  std::string message;
  EXPECT_EQ(child.receive(message, in(20s)), Child::Receive::malformed);
  EXPECT_EQ(child.receive(message, in(20s)), Child::Receive::malformed);
}

TEST(Child, DeathInTheMiddleOfAMessageKeepsTheWholeOnesAndTheExitCode) {
  Child child(options({"half"}));
  EXPECT_EQ(expect_message(child), "ok");
  std::string message = "untouched";
  EXPECT_EQ(child.receive(message, in(20s)), Child::Receive::closed);
  EXPECT_EQ(message, "untouched");
  EXPECT_EQ(child.wait(10s).exit_code, 4);
}

TEST(Child, ADeadChildIsNoticedThoughItsOwnChildHoldsTheChannel) {
  Child child(options({"leave_channel_open"}));
  std::string message;
  EXPECT_EQ(child.receive(message, in(20s)), Child::Receive::closed);
  EXPECT_EQ(child.wait(5s).exit_code, 7);
}

TEST(Child, APrintingChildIsNotBlockedAndItsLastWordsAreKept) {
  Child child(options({"print", "3000000"}));
  EXPECT_EQ(expect_message(child), "printed");
  EXPECT_EQ(child.wait(10s).exit_code, 0);
  const auto tail = child.output_tail();
  EXPECT_EQ(tail.size(), 8192u);
  EXPECT_EQ(tail.substr(tail.size() - 14), "the last line\n");
}

TEST(Child, AChildThatPrintsWithoutEndStillMeetsItsDeadline) {
  Child child(options({"print_for_ever"}));
  std::string message;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(child.receive(message, in(200ms)), Child::Receive::timeout);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 10s);
  EXPECT_LE(child.output_tail().size(), 8192u);
}

TEST(Child, AChildThatDoesNotReadEndsTheSendingNotTheSweep) {
  auto stuck = options({"hang"});
  stuck.send_timeout = 200ms;
  Child child(stuck);
  EXPECT_FALSE(child.send(std::string(16 << 20, 'x')));
  EXPECT_FALSE(child.send("a message that would follow half of another"));
}

TEST(Child, SendingToADeadChildIsFalseAndNoSignalKillsUs) {
  ASSERT_NE(::signal(SIGPIPE, SIG_DFL), SIG_ERR);
  Child child(options({"exit", "0"}));
  const auto deadline = in(10s);
  while (child.running() && std::chrono::steady_clock::now() < deadline) std::this_thread::sleep_for(1ms);
  EXPECT_FALSE(child.send("hello?"));
  EXPECT_EQ(child.wait(1s).exit_code, 0);
  EXPECT_FALSE(child.send("hello?"));
  std::string message;
  EXPECT_EQ(child.receive(message, in(1s)), Child::Receive::closed);
}

TEST(Child, TheCallersStopFlagEndsAWait) {
  bool stop = false;
  auto stoppable = options({"hang"});
  stoppable.stop = [&] { return stop; };
  Child child(stoppable);
  stop = true;
  std::string message;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(child.receive(message, in(60s)), Child::Receive::timeout);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 10s);
}

TEST(Child, KillTakesTheWholeFamilyDaemonsIncluded) {
  Child child(options({"family"}));
  const auto family = numbers(expect_message(child));
  ASSERT_EQ(family.size(), 4u);
  for (const pid_t pid : family) EXPECT_NE(state_of(pid), "gone");
  child.kill(50ms);
  for (const pid_t pid : family) EXPECT_EQ(state_of(pid), "gone") << "a loader left behind disturbs the next trial";
  EXPECT_EQ(children_of_this_process(), 0u);
}

TEST(Child, WhatAnEndedChildLeftBehindIsTakenAwayToo) {
  Child child(options({"leave_family"}));
  const auto family = numbers(expect_message(child));
  ASSERT_EQ(family.size(), 4u);
  EXPECT_EQ(child.wait(10s).exit_code, 0);
  for (const pid_t pid : family) EXPECT_EQ(state_of(pid), "gone");
  EXPECT_EQ(children_of_this_process(), 0u);
}

TEST(Child, KillingOneLeavesAnotherAlone) {
  Child other(options({"echo"}));
  {
    Child child(options({"family"}));
    expect_message(child);
  }
  ASSERT_TRUE(other.send("alive"));
  EXPECT_EQ(expect_message(other), "alive");
}

TEST(Child, AChildIsKilledWithItsGroupWhenItsParentIs) {
  Child parent(options({"parent_of", "watched"}));
  const auto orphans = numbers(expect_message(parent));
  ASSERT_EQ(orphans.size(), 2u);
  ::kill(parent.pid(), SIGKILL);
  for (const pid_t pid : orphans) EXPECT_TRUE(ended_within(pid, 10s)) << "trials of a killed sweep would run on";
  EXPECT_EQ(parent.wait(1s).signal, SIGKILL);
}

TEST(Child, AChildThatIsBusySendingNoticesThatTheParentIsGone) {
  Child parent(options({"parent_of", "sender"}));
  const auto orphans = numbers(expect_message(parent));
  ASSERT_EQ(orphans.size(), 1u);
  ::kill(parent.pid(), SIGKILL);
  EXPECT_TRUE(ended_within(orphans[0], 10s));
  parent.wait(1s);
}

TEST(Child, ItInheritsNothingButItsOwnDescriptors) {
  const int leaked = ::open("/dev/null", O_RDONLY);  // without O_CLOEXEC, as some libraries do
  ASSERT_GE(leaked, 0);
  Child child(options({"descriptors"}));
  EXPECT_EQ(expect_message(child), "0 1 2 3 4 ");
  ::close(leaked);
}

TEST(Child, ItStartsWithDefaultSignalsAndNothingOnItsStdin) {
  ::signal(SIGPIPE, SIG_IGN);
  sigset_t user_signal, before;
  ::sigemptyset(&user_signal);
  ::sigaddset(&user_signal, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &user_signal, &before);
  {
    Child child(options({"signals"}));
    EXPECT_EQ(expect_message(child), "default unblocked");
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  Child reader(options({"stdin"}));
  EXPECT_EQ(reader.wait(10s).exit_code, 0);
}

TEST(Child, TheEnvironmentIsInheritedAndAddedTo) {
  ::setenv("FEEDTUNE_TEST_INHERITED", "kept", 1);
  ::setenv("FEEDTUNE_TEST_REPLACED", "old", 1);
  const auto value_of = [](const std::string& name) {
    auto with = options({"environment", name});
    with.environment = {"FEEDTUNE_TEST_REPLACED=new", "FEEDTUNE_TEST_ADDED=a=b"};
    Child child(with);
    return expect_message(child);
  };
  EXPECT_EQ(value_of("FEEDTUNE_TEST_INHERITED"), "kept");
  EXPECT_EQ(value_of("FEEDTUNE_TEST_REPLACED"), "new");
  EXPECT_EQ(value_of("FEEDTUNE_TEST_ADDED"), "a=b");
  EXPECT_EQ(value_of("FEEDTUNE_TEST_UNKNOWN"), "(unset)");
}

TEST(Child, TwoHundredTrialsLeakNeitherDescriptorsNorZombies) {
  { Child first(options({"exit", "0"})); }
  const auto before = open_descriptors();
  for (int i = 0; i < 200; ++i) {
    Child child(options({i % 4 == 0 ? "hang" : "exit", "1"}));
    if (i % 2 == 0) child.wait(i % 4 == 0 ? 0ms : 10'000ms);
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(children_of_this_process(), 0u);
}

TEST(ParentChannel, ItSaysThatItNeedsAParent) {
  // This program's descriptors 3 and 4 are closed or files, not a parent's channel.
  const int file = ::open("/dev/null", O_RDWR);
  ASSERT_EQ(::dup2(file, 3), 3);
  if (file != 3) ::close(file);
  EXPECT_THROW(ParentChannel(), IoError);
  EXPECT_EQ(::fcntl(3, F_GETFD), 0) << "somebody else's descriptor was closed or changed";
  ::close(3);
}
