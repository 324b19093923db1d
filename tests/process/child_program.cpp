// A child that behaves as the tests ask: test_process_child MODE [VALUE].

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "process/child.hpp"

using namespace feedtune;

namespace {

void write_raw(const std::string& bytes) {
  if (::write(4, bytes.data(), bytes.size()) < 0) std::abort();
}

[[noreturn]] void sleep_for_ever() {
  for (;;) ::pause();
}

int echo() {
  ParentChannel parent;
  std::string message;
  while (parent.receive(message))
    if (!parent.send(message)) return 1;
  return 0;
}

/// Sends before it reads: both ends fill their buffers at once.
int talk_first(std::size_t bytes) {
  ParentChannel parent;
  parent.send(std::string(bytes, 'c'));
  std::string message;
  if (!parent.receive(message)) return 1;
  parent.send(std::to_string(message.size()));
  return 0;
}

/// A process that ignores SIGTERM; `leave_group` gives it a session of its own; `orphan` lets its parent die.
std::string grandchild(bool leave_group, bool orphan) {
  int ends[2];
  if (::pipe(ends) != 0) std::abort();
  const pid_t first = ::fork();
  if (first == 0) {
    if (leave_group) ::setsid();
    ::signal(SIGTERM, SIG_IGN);
    const pid_t last = orphan ? ::fork() : 0;
    if (last != 0) ::_exit(0);
    const pid_t self = ::getpid();
    if (::write(ends[1], &self, sizeof self) != sizeof self) ::_exit(1);
    sleep_for_ever();
  }
  pid_t pid = 0;
  if (::read(ends[0], &pid, sizeof pid) != sizeof pid) std::abort();
  if (orphan) ::waitpid(first, nullptr, 0);
  return std::to_string(pid) + " ";
}

int family(bool stay) {
  ParentChannel parent;
  const std::string pids = grandchild(false, false) + grandchild(true, false) + grandchild(false, true) + grandchild(true, true);
  parent.send(pids);
  if (stay) sleep_for_ever();
  return 0;
}

int print(std::size_t bytes) {
  ParentChannel parent;
  const std::string line(99, 'x');
  for (std::size_t written = 0; written < bytes; written += 100) std::cout << line << '\n';
  std::cout << "the last line" << std::endl;
  parent.send("printed");
  return 0;
}

int list_descriptors() {
  ParentChannel parent;
  std::string open;
  DIR* folder = ::opendir("/proc/self/fd");
  while (const dirent* entry = ::readdir(folder))
    if (entry->d_name[0] != '.' && std::stoi(entry->d_name) != ::dirfd(folder)) open += std::string(entry->d_name) + " ";
  ::closedir(folder);
  parent.send(open);
  return 0;
}

int describe_signals() {
  ParentChannel parent;
  struct sigaction pipe_action {};
  ::sigaction(SIGPIPE, nullptr, &pipe_action);
  sigset_t blocked;
  ::sigprocmask(SIG_BLOCK, nullptr, &blocked);
  parent.send(std::string(pipe_action.sa_handler == SIG_DFL ? "default" : "ignored") +
              (::sigismember(&blocked, SIGUSR1) == 1 ? " blocked" : " unblocked"));
  return 0;
}

/// Sends its number and that of a process in its group, then waits to be ended with its parent.
int watched() {
  ParentChannel parent;
  const std::string group_mate = grandchild(false, false);
  parent.end_with_parent();
  parent.send(std::to_string(::getpid()) + " " + group_mate);
  sleep_for_ever();
}

/// Sends without looking until it can't.
int sender() {
  ParentChannel parent;
  parent.send(std::to_string(::getpid()));
  while (parent.send(std::string(1000, '.'))) {
  }
  return 0;
}

/// Is itself a parent, of a child in the given mode; passes its first message on.
int parent_of(const std::string& self, const std::string& mode) {
  ParentChannel parent;
  Child child({.arguments = {self, mode}, .environment = {}, .stop = {}});
  std::string message;
  if (child.receive(message, std::chrono::steady_clock::now() + std::chrono::seconds(20)) != Child::Receive::message) return 1;
  parent.send(message);
  sleep_for_ever();
}

/// Ends while a process that it forked keeps the channel open.
int leave_channel_open() {
  if (::fork() == 0) sleep_for_ever();
  return 7;
}

int send_from_threads(int threads) {
  ParentChannel parent;
  std::vector<std::thread> all;
  for (int k = 0; k < threads; ++k)
    all.emplace_back([&, k] {
      for (int i = 0; i < 50; ++i) parent.send(std::string(20'000, static_cast<char>('a' + k)));
    });
  for (auto& thread : all) thread.join();
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string mode = count > 1 ? arguments[1] : "";
  const std::string value = count > 2 ? arguments[2] : "0";
  if (mode == "echo") return echo();
  if (mode == "talk_first") return talk_first(std::stoul(value));
  if (mode == "exit") return std::stoi(value);
  if (mode == "abort") std::abort();
  if (mode == "hang") sleep_for_ever();
  if (mode == "stubborn") {
    ::signal(SIGTERM, SIG_IGN);
    ParentChannel parent;
    parent.send("ready");
    sleep_for_ever();
  }
  if (mode == "stop") {
    ::raise(SIGSTOP);
    sleep_for_ever();
  }
  if (mode == "garbage") {
    write_raw("\xff\xff\xff\xff and more");
    sleep_for_ever();
  }
  if (mode == "half") {
    write_raw(std::string("\x02\x00\x00\x00ok\x64\x00\x00\x00only this", 19));
    return 4;
  }
  if (mode == "family") return family(true);
  if (mode == "leave_family") return family(false);
  if (mode == "print") return print(std::stoul(value));
  if (mode == "print_for_ever")
    for (;;) std::cout << "again and again\n";
  if (mode == "descriptors") return list_descriptors();
  if (mode == "signals") return describe_signals();
  if (mode == "environment") {
    ParentChannel parent;
    const char* text = std::getenv(value.c_str());
    parent.send(text == nullptr ? "(unset)" : text);
    return 0;
  }
  if (mode == "stdin") return std::cin.get() == EOF ? 0 : 1;
  if (mode == "watched") return watched();
  if (mode == "sender") return sender();
  if (mode == "parent_of") return parent_of(arguments[0], value);
  if (mode == "leave_channel_open") return leave_channel_open();
  if (mode == "threads") return send_from_threads(std::stoi(value));
  return 99;
}
