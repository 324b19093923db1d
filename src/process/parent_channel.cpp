#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <mutex>
#include <thread>

#include "core/error.hpp"
#include "process/channel_io.hpp"
#include "process/child.hpp"
#include "process/descriptor.hpp"

namespace feedtune {
namespace {

constexpr int receive_descriptor = 3;
constexpr int send_descriptor = 4;

/// Descriptor `fd`, if it is a socket; else IoError, and it is left alone: it is somebody else's.
Descriptor take_over(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) throw IoError("descriptor " + std::to_string(fd), "talk to the parent process", errno);
  if (!S_ISSOCK(status.st_mode))
    throw IoError("descriptor " + std::to_string(fd), "talk to the parent process", ENOTSOCK);
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  return Descriptor(fd);
}

/// Returns when the parent is gone (true) or `stop` was written to (false).
bool wait_for_hangup(int channel, int stop) {
  for (;;) {
    pollfd watched[2] = {{.fd = channel, .events = 0, .revents = 0}, {.fd = stop, .events = POLLIN, .revents = 0}};
    if (::poll(watched, 2, -1) < 0) continue;  // EINTR
    if (watched[1].revents != 0) return false;
    // A parent that only stopped sending gives POLLRDHUP; POLLHUP means that it closed both ways, by exit too.
    if ((watched[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) return true;
  }
}

}  // namespace

struct ParentChannel::State {
  Descriptor in = take_over(receive_descriptor);
  Descriptor out = take_over(send_descriptor);
  FrameReader reader;
  std::mutex send_mutex;
  bool broken = false;  // guarded by send_mutex
  Descriptor stop_watching;
  std::thread watcher;
};

ParentChannel::ParentChannel() : state_(std::make_unique<State>()) {}

ParentChannel::~ParentChannel() {
  if (!state_->watcher.joinable()) return;
  const std::uint64_t one = 1;
  while (::write(state_->stop_watching.get(), &one, sizeof one) < 0 && errno == EINTR) {
  }
  state_->watcher.join();
}

void ParentChannel::end_with_parent() {
  if (state_->watcher.joinable()) return;
  state_->stop_watching = Descriptor(::eventfd(0, EFD_CLOEXEC));
  if (!state_->stop_watching) throw IoError("eventfd", "watch the parent process", errno);
  state_->watcher = std::thread([channel = state_->in.get(), stop = state_->stop_watching.get()] {
    if (!wait_for_hangup(channel, stop)) return;
    if (::getpgrp() == ::getpid()) ::kill(0, SIGKILL);
    ::kill(::getpid(), SIGKILL);
  });
}

bool ParentChannel::receive(std::string& message) {
  for (;;) {
    switch (state_->reader.next(message)) {
      case FrameReader::Next::message: return true;
      case FrameReader::Next::malformed: return false;
      case FrameReader::Next::incomplete: break;
    }
    if (receive_some(state_->in.get(), state_->reader, true) == IoStep::closed) return false;
  }
}

bool ParentChannel::send(const std::string& message) {
  const auto header = frame_header(message.size());
  const std::lock_guard lock(state_->send_mutex);
  std::size_t offset = 0;
  while (!state_->broken && offset < header.size() + message.size())
    state_->broken = send_some(state_->out.get(), {header.data(), header.size()}, message, offset, true) == IoStep::closed;
  return !state_->broken;
}

}  // namespace feedtune
