#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/enums.hpp"
#include "measure/clock.hpp"

namespace feedtune {

class ImageList;

/// One encoded file. `bytes` belong to the source and last until its next fetch.
struct EncodedImage {
  std::span<const std::byte> bytes;
  Nanoseconds open{0};  ///< open and fstat
  Nanoseconds read{0};
};

/// Where encoded files come from. Each worker owns one; not thread-safe.
class ImageSource {
 public:
  virtual ~ImageSource() = default;
  /// Never empty. Throws ImageError: vanished, not a regular file, empty, over max_file_bytes, shrank while being read.
  virtual EncodedImage fetch(std::size_t image) = 0;
  /// Why the bytes of its last fetch cannot be believed after all, whatever came of them; empty where they can. Asked once
  /// they have been used.
  virtual std::string lost(std::size_t /*image*/) const { return {}; }
  /// Somebody will fetch this image soon: reading may begin. Never throws.
  virtual void expect(std::size_t /*image*/) {}
};

/// Larger files fail rather than fill the memory of every worker.
inline constexpr std::uint64_t max_file_bytes = std::uint64_t{256} << 20;

/// Every encoded file of a list in RAM, those that cannot be read with their reason. Immutable: shared by all workers.
class MemoryStore {
 public:
  /// Reads everything. Throws OutOfMemory{host} before reading where the files' sizes add up to more than
  /// `limit_bytes`, and when memory runs out. Absent limit: what the kernel calls available now.
  MemoryStore(const ImageList& list, std::optional<std::uint64_t> limit_bytes);
  ~MemoryStore();
  /// Throws the ImageError of the read.
  std::span<const std::byte> bytes(std::size_t image) const;
  std::uint64_t total_bytes() const;

 private:
  struct Entry;
  std::unique_ptr<Entry[]> entries_;
  std::size_t size_ = 0;
  std::uint64_t total_bytes_ = 0;
};

/// storage=files: open, fstat, read into a buffer that is reused; ReadAhead for what is expected. The list outlives the source.
std::unique_ptr<ImageSource> make_file_source(const ImageList& list);
/// storage=memory: hands out the store's bytes.
std::unique_ptr<ImageSource> make_memory_source(std::shared_ptr<const MemoryStore> store);

}  // namespace feedtune
