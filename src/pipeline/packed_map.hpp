#pragma once
#include <cstddef>

namespace feedtune {

/// A file that is mapped for reading and may be cut off meanwhile. Looking behind its new end would end the process by
/// SIGBUS (so would a disk that fails); instead, zeros are read there from then on, and whole_bytes() tells. Costs
/// nothing until it happens. Safe from many threads.
class PackedMap {
 public:
  /// `file` may be closed afterwards. begin() is null, with errno set, where the system refuses.
  PackedMap(int file, std::size_t bytes);
  ~PackedMap();
  PackedMap(const PackedMap&) = delete;
  PackedMap& operator=(const PackedMap&) = delete;

  const std::byte* begin() const { return begin_; }
  std::size_t bytes() const { return bytes_; }
  /// What lies behind may have been read as zeros: bytes() until it has happened. Ask after the bytes were used.
  std::size_t whole_bytes() const;
  /// Takes the pages out of this process, so that the page cache can let go of them.
  void release_pages() const;

 private:
  struct Region;
  friend class PackedMapRegions;

  std::byte* begin_ = nullptr;
  std::size_t bytes_ = 0;
  Region* region_ = nullptr;  ///< what the signal's handler sees
};

}  // namespace feedtune
