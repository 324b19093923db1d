#pragma once
#include <unistd.h>

#include <utility>

namespace feedtune {

/// Owns one file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    Descriptor moved(std::move(other));
    std::swap(fd_, moved.fd_);
    return *this;
  }
  /// Not retried on EINTR: Linux has freed the number by then, and another thread may already own it.
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset() { *this = Descriptor(); }

 private:
  int fd_ = -1;
};

}  // namespace feedtune
