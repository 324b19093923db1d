#pragma once
// A child process that speaks framed messages, is watched by deadline, and is killed as a whole tree.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace feedtune {

/// Turns this process into the reaper of orphaned descendants (PR_SET_CHILD_SUBREAPER). Call once, from main().
/// From then on a child of this process that it did not start as a Child, in another process group, is taken for such
/// an orphan: Child's kill(), wait() and destructor end and reap it. (popen() and system() stay in this group.)
/// Where it isn't called, descendants that left the child's group and lost their parent are out of reach.
void become_subreaper();

/// How a child ended. Exactly one of exit_code and signal is set (neither, when other code reaped it).
struct ChildExit {
  std::optional<int> exit_code;
  std::optional<int> signal;
  /// False: it still had not died seconds after SIGKILL (stuck in the kernel); `signal` is then what was sent.
  bool reaped = true;
  std::string text() const;  ///< "exit code 3", "signal 11 (Segmentation fault)"
};

/// Messages are strings, framed with a 4-byte little-endian length (at most 64 MiB). One thread uses a Child at a time.
/// SIGCHLD must not be ignored in this process. No signal disposition is changed: the channel is a socket, and writing
/// to one whose reader is gone raises no SIGPIPE here.
class Child {
 public:
  struct Options {
    std::vector<std::string> arguments;        ///< [0] is the program's path
    std::vector<std::string> environment;      ///< NAME=VALUE added to the inherited environment
    std::size_t output_tail_bytes = 8192;      ///< of stdout and stderr together, kept for reasons
    std::chrono::milliseconds send_timeout{10'000};  ///< for a child that doesn't read
    /// Looked at about ten times a second while receive() waits; true ends it with `timeout`. May be empty.
    std::function<bool()> stop;
  };

  /// Starts by posix_spawn in a process group of its own: stdin /dev/null, stdout and stderr captured, messages on
  /// descriptors 3 (to the child) and 4 (from it), all others closed; signals at their defaults and unblocked.
  /// Throws IoError naming the program.
  explicit Child(Options options);
  /// Kills the whole tree (and reaps it) if any of it still runs.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// False when the child no longer reads, or took longer than `send_timeout`; nothing can be sent after that.
  /// Throws Error for a message over 64 MiB. Incoming messages and captured output are taken in meanwhile.
  bool send(const std::string& message);

  enum class Receive { message, timeout, closed, malformed };
  /// Waits until `deadline` (steady clock) for one message. Drains captured output while waiting: a child that prints
  /// more than a pipe holds (64 KiB) blocks while nobody is in here. A message that is already there is returned even
  /// when the deadline has passed. EINTR returns `timeout` early so that the caller can look at its own stop flag.
  /// `closed`: the child ended or closed its side, and every whole message before that has been returned.
  /// `malformed`: what came is no message; final.
  Receive receive(std::string& message, std::chrono::steady_clock::time_point deadline);

  int pid() const;
  /// False once it has ended, reaped or not.
  bool running();
  /// SIGTERM to the group, SIGKILL after `grace`, then reaped with every descendant that became ours.
  ChildExit kill(std::chrono::milliseconds grace);
  /// Waits for the end that has begun (receive() said closed, or the child was told to end); says that no more
  /// messages will come; kills the group after `grace`. What the child left behind in its tree is killed and reaped.
  ChildExit wait(std::chrono::milliseconds grace);
  /// The last bytes the child wrote to stdout and stderr; invalid UTF-8 kept as it is.
  std::string output_tail() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The child's side of the same channel.
class ParentChannel {
 public:
  /// Takes over descriptors 3 and 4 (and keeps them from this process's own children). Throws IoError when they are
  /// not a parent's channel (the command is internal).
  ParentChannel();
  ~ParentChannel();
  ParentChannel(const ParentChannel&) = delete;
  ParentChannel& operator=(const ParentChannel&) = delete;

  /// From now on this process is killed, with its process group where it leads one, when the parent is gone. A thread
  /// watches the channel rather than PR_SET_PDEATHSIG, which goes by the life of the parent's *thread*.
  void end_with_parent();
  /// Blocks; false: the parent is gone, will send no more, or sent what is no message. One thread at a time.
  bool receive(std::string& message);
  /// Whole messages, safe from many threads; false: the parent is gone.
  bool send(const std::string& message);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace feedtune
