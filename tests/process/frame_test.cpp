#include "process/frame.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "core/error.hpp"

using namespace feedtune;

namespace {

std::string framed(const std::string& message) {
  const auto header = frame_header(message.size());
  return std::string(header.data(), header.size()) + message;
}

}  // namespace

TEST(Frame, TheLengthIsLittleEndian) {
  const auto header = frame_header(0x01020304);
  EXPECT_EQ(std::string(header.data(), 4), std::string("\x04\x03\x02\x01", 4));
}

TEST(Frame, TheLimitItselfIsAllowedOneMoreIsNot) {
  EXPECT_NO_THROW(frame_header(std::size_t{64} << 20));
  EXPECT_THROW(frame_header((std::size_t{64} << 20) + 1), Error);
  FrameReader reader;
  std::string message;
  reader.append(std::string("\x01\x00\x00\x04", 4));
  EXPECT_EQ(reader.next(message), FrameReader::Next::malformed);
  FrameReader at_limit;
  at_limit.append(std::string("\x00\x00\x00\x04", 4));
  EXPECT_EQ(at_limit.next(message), FrameReader::Next::incomplete);
}

RC_GTEST_PROP(Frame, AnyMessagesCutAnywhereComeOutAsTheyWentIn, (std::vector<std::string> messages)) {
  std::string stream;
  for (const auto& message : messages) stream += framed(message);
  FrameReader reader;
  std::vector<std::string> received;
  std::string message;
  for (std::size_t at = 0; at < stream.size();) {
    const auto length = std::min<std::size_t>(*rc::gen::inRange<std::size_t>(1, 40), stream.size() - at);
    reader.append(std::string_view(stream).substr(at, length));
    at += length;
    while (reader.next(message) == FrameReader::Next::message) received.push_back(message);
  }
  RC_ASSERT(received == messages);
  RC_ASSERT(reader.buffered() == 0u);
}

RC_GTEST_PROP(Frame, GarbageIsNeverMoreThanMessagesOrMalformed, (std::string bytes)) {
  FrameReader reader;
  reader.append(bytes);
  std::string message;
  std::size_t total = 0;
  FrameReader::Next last;
  while ((last = reader.next(message)) == FrameReader::Next::message) total += message.size() + frame_header_bytes;
  RC_ASSERT(total <= bytes.size());
  if (last == FrameReader::Next::malformed) {
    reader.append(framed("too late"));
    RC_ASSERT(reader.next(message) == FrameReader::Next::malformed);
  }
}
