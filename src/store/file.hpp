#pragma once
// Files as the store needs them: owned descriptors, whole writes, replacement in one step.

#include <string>
#include <string_view>
#include <utility>

#include "store/file_calls.hpp"

namespace feedtune {

/// Owns an open file descriptor.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int fd) : fd_(fd) {}
  FileHandle(FileHandle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileHandle();
  int fd() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// Opens for writing (close-on-exec). Throws IoError.
FileHandle open_file(const std::string& path, int flags, const FileCalls& calls);

/// Writes everything, however small the pieces the system takes and whatever signals come. Returns 0, or errno.
int write_whole(int fd, std::string_view text, const FileCalls& calls);

/// fdatasync; a filesystem that has no such thing (EINVAL) counts as synced. Returns 0, or errno.
int sync_data(int fd, const FileCalls& calls);

/// After it, `path` holds `text` whole and on the disk; when it throws IoError, `path` is what it was. Readers never see
/// a part. For one writer at a time.
void replace_file(const std::string& path, std::string_view text, const FileCalls& calls = system_file_calls());

/// As replace_file, but only where nothing stands at `path` yet: throws IoError (EEXIST) where something does, and leaves it. Writers of
/// the same path don't disturb each other: the first one's file stays. (A filesystem that can't rename so may let the last one win.)
void create_file(const std::string& path, std::string_view text, const FileCalls& calls = system_file_calls());

/// Makes the names in `folder` last through a power cut. Throws IoError.
void sync_folder(const std::string& folder, const FileCalls& calls);

}  // namespace feedtune
