#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pipeline/image_source.hpp"
#include "pipeline/packed_map.hpp"
#include "pipeline/packed_format.hpp"

namespace feedtune {

/// A packed folder's shards, each mapped once. Immutable, shared by all workers; 17 bytes an image beside the maps.
class PackedStore {
 public:
  /// Opens and maps every shard that the index tells of. Throws InputError naming the file for one that is missing, cut
  /// off or of another pack or version, IoError where the system refuses.
  PackedStore(const std::string& folder, const PackedIndex& index);

  std::size_t size() const { return records_.size(); }
  std::uint64_t total_bytes() const;
  /// The record, where it lies in its shard's map. Throws ImageError with the reason where the original could not be
  /// packed.
  std::span<const std::byte> bytes(std::size_t image) const;
  /// The same whether it is an image or a reason.
  std::span<const std::byte> record(std::size_t image) const { return {records_[image].begin, records_[image].length}; }
  /// Reads the record from the disk where it isn't in memory, and maps its pages, so that using it neither waits nor
  /// faults. Throws ImageError where the disk fails or the shard was cut off. Safe from many threads.
  void load(std::size_t image) const;
  /// Why what was read of the record cannot be believed: its shard was cut off, or its disk failed, while it was read, and
  /// the rest of it reads as zeros since. Empty where all of it was there. To be asked after its bytes were used.
  std::string lost(std::size_t image) const;
  /// Takes the pages out of this process's maps, so that the page cache can let go of them.
  void release_pages() const;

  std::size_t shards() const { return shards_.size(); }
  /// A new descriptor of a shard, or -1 with errno.
  int open_shard(std::size_t number) const;

 private:
  struct Shard {
    std::unique_ptr<PackedMap> map;
    std::uint64_t first_image = 0;
  };
  struct Record {
    const std::byte* begin = nullptr;
    std::uint32_t length = 0;
    bool failed = false;
  };
  void map_shard(std::size_t number, const PackedIndex& index);
  std::size_t shard_of(std::size_t image) const;

  std::string folder_;
  std::vector<Shard> shards_;
  std::vector<Record> records_;
  std::unique_ptr<std::atomic<bool>[]> seen_;  ///< records that were loaded once
};

/// storage=packed: hands out the store's records where they lie.
std::unique_ptr<ImageSource> make_packed_source(std::shared_ptr<const PackedStore> store);

}  // namespace feedtune
