#include "process/channel_io.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <vector>

namespace feedtune {
namespace {

IoStep failed_step() {
  if (errno == EINTR) return IoStep::interrupted;
  if (errno == EAGAIN || errno == EWOULDBLOCK) return IoStep::would_block;
  return IoStep::closed;
}

}  // namespace

IoStep send_some(int socket, std::string_view header, std::string_view message, std::size_t& offset, bool wait) {
  iovec parts[2];
  std::size_t count = 0;
  const auto add = [&](std::string_view bytes) {
    parts[count].iov_base = const_cast<char*>(bytes.data());  // sendmsg doesn't write to it
    parts[count].iov_len = bytes.size();
    ++count;
  };
  if (offset < header.size()) add(header.substr(offset));
  const std::size_t sent_of_message = offset > header.size() ? offset - header.size() : 0;
  if (sent_of_message < message.size()) add(message.substr(sent_of_message));
  msghdr out{};
  out.msg_iov = parts;
  out.msg_iovlen = count;
  const ssize_t sent = ::sendmsg(socket, &out, MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT));
  if (sent < 0) return failed_step();
  offset += static_cast<std::size_t>(sent);
  return IoStep::progress;
}

IoStep receive_some(int socket, FrameReader& reader, bool wait) {
  thread_local std::vector<char> chunk(std::size_t{256} << 10);
  const ssize_t got = ::recv(socket, chunk.data(), chunk.size(), wait ? 0 : MSG_DONTWAIT);
  if (got < 0) return failed_step();
  if (got == 0) return IoStep::closed;
  reader.append({chunk.data(), static_cast<std::size_t>(got)});
  return IoStep::progress;
}

}  // namespace feedtune
