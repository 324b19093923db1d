#pragma once
// A child process that speaks framed messages, is watched by deadline, and is killed as a whole tree.

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace feedtune {

/// Turns this process into the reaper of orphaned descendants (PR_SET_CHILD_SUBREAPER). Call once, from main().
void become_subreaper();

/// How a child ended. Exactly one of exit_code and signal is set.
struct ChildExit {
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::string text() const;  ///< "exit code 3", "signal 11 (Segmentation fault)"
};

/// Messages are strings, framed with a 4-byte little-endian length (at most 64 MiB).
class Child {
 public:
  struct Options {
    std::vector<std::string> arguments;        ///< [0] is the program's path
    std::vector<std::string> environment;      ///< NAME=VALUE added to the inherited environment
    std::size_t output_tail_bytes = 8192;      ///< of stdout and stderr together, kept for reasons
  };

  /// Starts by posix_spawn in a process group of its own: stdin /dev/null, stdout and stderr captured, messages on
  /// descriptors 3 (to the child) and 4 (from it). Throws IoError naming the program.
  explicit Child(Options options);
  /// Kills the whole group (and reaps it) if it still runs.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// False when the child no longer reads.
  bool send(const std::string& message);

  enum class Receive { message, timeout, closed, malformed };
  /// Waits until `deadline` (steady clock) for one message. Drains captured output while waiting. EINTR returns
  /// `timeout` early so that the caller can look at its own stop flag.
  Receive receive(std::string& message, std::chrono::steady_clock::time_point deadline);

  int pid() const;
  bool running();
  /// SIGTERM to the group, SIGKILL after `grace`, then reaped with every descendant that became ours.
  ChildExit kill(std::chrono::milliseconds grace);
  /// Waits for the end that has begun (receive() said closed); kills the group after `grace`.
  ChildExit wait(std::chrono::milliseconds grace);
  /// The last bytes the child wrote to stdout and stderr; invalid UTF-8 kept as it is.
  std::string output_tail() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The child's side of the same pipes.
class ParentChannel {
 public:
  /// Takes over descriptors 3 and 4. Throws IoError when they are not pipes (the command is internal).
  ParentChannel();
  ~ParentChannel();
  /// Blocks; false: the parent is gone.
  bool receive(std::string& message);
  /// Whole messages, safe from many threads; false: the parent is gone.
  bool send(const std::string& message);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace feedtune
