#include "process/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "core/error.hpp"
#include "process/channel_io.hpp"
#include "process/descriptor.hpp"
#include "process/frame.hpp"
#include "process/process_tree.hpp"
#include "process/spawn.hpp"

namespace feedtune {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;
using std::chrono::milliseconds;

/// How often a wait looks up: at the caller's stop flag, and whether a child whose own children hold the channel open
/// has ended.
constexpr milliseconds wait_slice{100};
/// How long a process gets to die of SIGKILL before it counts as stuck in the kernel.
constexpr milliseconds death_limit{10'000};

SteadyTime now() { return std::chrono::steady_clock::now(); }

int poll_timeout_ms(SteadyTime deadline) {
  const auto left = std::clamp(deadline - now(), std::chrono::steady_clock::duration::zero(),
                               std::chrono::steady_clock::duration(wait_slice));
  return static_cast<int>(std::chrono::ceil<milliseconds>(left).count());
}

}  // namespace

void become_subreaper() { ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

std::string ChildExit::text() const {
  if (exit_code) return fmt::format("exit code {}", *exit_code);
  if (!signal) return "ended, nobody knows how (its status was taken by another)";
  const char* description = ::strsignal(*signal);
  const auto named = fmt::format("signal {} ({})", *signal, description == nullptr ? "unknown" : description);
  return reaped ? named : named + " sent, but it does not die";
}

struct Child::State {
  Options options;
  pid_t pid = 0;
  Descriptor channel;
  Descriptor output;
  std::string tail;
  FrameReader reader;
  bool write_broken = false;
  bool read_closed = false;
  std::optional<ChildExit> ended;  ///< set once reaped (or given up)

  /// Reads what is there, at most 1 MiB, so that a child that prints without end doesn't hold the caller.
  void drain_output() {
    char chunk[16384];
    for (int rounds = 0; output && rounds < 64; ++rounds) {
      const ssize_t got = ::read(output.get(), chunk, sizeof chunk);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return;
      if (got <= 0) {
        output.reset();
        return;
      }
      tail.append(chunk, static_cast<std::size_t>(got));
      if (tail.size() > 2 * options.output_tail_bytes + sizeof chunk) trim_tail();
    }
  }

  void trim_tail() {
    if (tail.size() > options.output_tail_bytes) tail.erase(0, tail.size() - options.output_tail_bytes);
  }

  /// A child that floods us while we send to it must not fill our memory.
  bool may_take_in() const { return !read_closed && reader.buffered() <= max_message_bytes + frame_header_bytes; }

  /// One wait for something to happen on the channel or the captured output. False: interrupted by a signal.
  bool poll_once(short channel_events, SteadyTime deadline) {
    pollfd watched[2] = {{.fd = channel.get(), .events = channel_events, .revents = 0},
                         {.fd = output.get(), .events = POLLIN, .revents = 0}};
    if (::poll(watched, 2, poll_timeout_ms(deadline)) < 0) return false;
    if (watched[1].revents != 0) drain_output();
    return true;
  }

  /// Has the leader ended? Leaves it unreaped, so that its number and its group's stay taken.
  bool leader_ended(siginfo_t& info) const {
    for (;;) {
      info = {};
      if (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0) return info.si_pid != 0;
      if (errno != EINTR) return true;  // ECHILD: somebody else reaped it
    }
  }
  bool leader_ended() const {
    siginfo_t info;
    return leader_ended(info);
  }

  bool wait_for_leader(SteadyTime until) {
    for (milliseconds nap{1};; nap = std::min(nap * 2, milliseconds{20})) {
      drain_output();
      if (leader_ended()) return true;
      const auto left = until - now();
      if (left <= std::chrono::steady_clock::duration::zero()) return false;
      std::this_thread::sleep_for(std::min<std::chrono::steady_clock::duration>(left, nap));
    }
  }

  /// After the leader's end (or its refusal to end): the rest of the tree, then the leader's status.
  ChildExit finish() {
    siginfo_t info;
    const bool has_ended = leader_ended(info);
    const bool number_is_free = has_ended && info.si_pid == 0;
    if (!number_is_free) kill_members(pid, now() + death_limit);
    drain_output();
    ChildExit result;
    if (!has_ended) {
      result.signal = SIGKILL;
      result.reaped = false;
    } else if (!number_is_free) {
      (info.si_code == CLD_EXITED ? result.exit_code : result.signal) = info.si_status;
      while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
    unregister_leader(pid);
    channel.reset();
    output.reset();
    read_closed = write_broken = true;
    ended = result;
    return result;
  }
};

Child::Child(Options options) : state_(std::make_unique<State>()) {
  if (options.arguments.empty()) throw std::invalid_argument("Child: no program");
  const std::string& program = options.arguments[0];
  int sockets[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) throw IoError(program, "start", errno);
  state_->channel = Descriptor(sockets[0]);
  const Descriptor child_channel(sockets[1]);
  int pipe_ends[2];
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0) throw IoError(program, "start", errno);
  state_->output = Descriptor(pipe_ends[0]);
  const Descriptor child_output(pipe_ends[1]);
  ::fcntl(state_->output.get(), F_SETFL, O_NONBLOCK);
  state_->pid = spawn_child(options.arguments, options.environment, child_channel, child_output);
  register_leader(state_->pid);
  state_->options = std::move(options);
}

Child::~Child() {
  try {
    kill(milliseconds{0});
  } catch (const std::exception&) {
    // Out of memory while listing processes: the group has had its SIGKILL; nothing more can be done from here.
  }
}

bool Child::send(const std::string& message) {
  State& s = *state_;
  const auto header = frame_header(message.size());
  const SteadyTime deadline = now() + s.options.send_timeout;
  std::size_t offset = 0;
  while (!s.write_broken && offset < header.size() + message.size()) {
    switch (send_some(s.channel.get(), {header.data(), header.size()}, message, offset, false)) {
      case IoStep::closed: s.write_broken = true; break;
      case IoStep::would_block:
        // The child may itself be blocked on writing to us: take in what it says, else both wait for ever.
        s.poll_once(s.may_take_in() ? POLLOUT | POLLIN : POLLOUT, deadline);
        if (s.may_take_in() && receive_some(s.channel.get(), s.reader, false) == IoStep::closed) s.read_closed = true;
        if (now() >= deadline || s.leader_ended()) s.write_broken = true;
        break;
      case IoStep::progress:
      case IoStep::interrupted: break;
    }
  }
  return !s.write_broken;
}

Child::Receive Child::receive(std::string& message, SteadyTime deadline) {
  State& s = *state_;
  for (bool looked = false;; looked = true) {
    switch (s.reader.next(message)) {
      case FrameReader::Next::message: return Receive::message;
      case FrameReader::Next::malformed: return Receive::malformed;
      case FrameReader::Next::incomplete: break;
    }
    if (s.read_closed) {
      s.drain_output();
      return Receive::closed;
    }
    if (looked && (now() >= deadline || (s.options.stop && s.options.stop()))) return Receive::timeout;
    if (!s.poll_once(POLLIN, deadline)) return Receive::timeout;
    // Asked before reading: what an ended child has said is in the socket by then.
    const bool ended = s.leader_ended();
    switch (receive_some(s.channel.get(), s.reader, false)) {
      case IoStep::closed: s.read_closed = true; break;
      case IoStep::would_block: s.read_closed = ended; break;
      case IoStep::progress:
      case IoStep::interrupted: break;
    }
  }
}

int Child::pid() const { return state_->pid; }

bool Child::running() { return !state_->ended && !state_->leader_ended(); }

ChildExit Child::kill(milliseconds grace) {
  State& s = *state_;
  if (s.ended) return *s.ended;
  if (!s.leader_ended()) {
    if (grace > milliseconds{0}) {
      ::kill(-s.pid, SIGTERM);
      ::kill(-s.pid, SIGCONT);  // a stopped process can't act on SIGTERM
      s.wait_for_leader(now() + grace);
    }
    if (!s.leader_ended()) {
      kill_members_once(s.pid);  // while the leader lives, those that left its group are still known by their parents
      ::kill(-s.pid, SIGKILL);
      s.wait_for_leader(now() + death_limit);
    }
  }
  return s.finish();
}

ChildExit Child::wait(milliseconds grace) {
  State& s = *state_;
  if (s.ended) return *s.ended;
  ::shutdown(s.channel.get(), SHUT_WR);
  s.write_broken = true;
  if (s.wait_for_leader(now() + grace)) return s.finish();
  return kill(milliseconds{0});
}

std::string Child::output_tail() const {
  state_->drain_output();
  state_->trim_tail();
  return state_->tail;
}

}  // namespace feedtune
