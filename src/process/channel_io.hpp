#pragma once
// Bytes over a message channel's socket, shared by both ends.

#include <cstddef>
#include <string>
#include <string_view>

#include "process/frame.hpp"

namespace feedtune {

/// What one system call on a channel came to.
enum class IoStep {
  progress,     ///< some bytes went through
  would_block,  ///< none now
  interrupted,  ///< by a signal
  closed,       ///< the other end is gone
};

/// Sends what is left of a frame from byte `offset` (which it advances) on; never raises SIGPIPE.
IoStep send_some(int socket, std::string_view header, std::string_view message, std::size_t& offset, bool wait);

/// Receives up to 256 KiB into `reader`.
IoStep receive_some(int socket, FrameReader& reader, bool wait);

}  // namespace feedtune
