#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pipeline/packed_format.hpp"
#include "process/descriptor.hpp"

namespace feedtune {

/// Writes a packed folder, one record after the other; not thread-safe. The index comes last, so that a folder that was
/// not finished never opens as a pack. Unless finish() returned, the destructor removes every file that was written, and
/// every folder that it made.
class PackedWriter {
 public:
  /// Makes the folder, or takes an empty one or one in which an earlier pack was killed (whose files are removed).
  /// A shard is closed before it grows over `shard_bytes`, unless by a single record. Throws InputError for a folder
  /// with anything else in it, RunInUseError while another process packs into it, IoError where the system refuses.
  PackedWriter(std::string folder, const PackRecipe& recipe, std::uint64_t id, std::uint64_t shard_bytes);
  ~PackedWriter();
  PackedWriter(const PackedWriter&) = delete;
  PackedWriter& operator=(const PackedWriter&) = delete;

  /// The next image's record. `bytes` is not empty. Throws IoError.
  void add(std::string_view name, std::int32_t label, std::uint32_t source_bytes, std::span<const std::byte> bytes,
           bool failed);
  /// Everything is on the disk when it returns. `source_folder`: relative to the folder. Throws IoError.
  void finish(const DataFacts& source, const std::string& source_folder);

  /// Of all shards so far.
  std::uint64_t bytes() const;
  std::size_t shards() const { return index_.shards.size(); }

 private:
  void claim();
  void discard();
  bool only_leftovers() const;
  void begin_shard();
  void end_shard();
  void append(std::span<const std::byte> bytes);
  void write_file(const std::string& name, std::span<const std::byte> bytes);
  void sync(int file, const std::string& path) const;
  void sync_folder() const;
  std::string path_of(const std::string& name) const;

  std::string folder_;
  std::uint64_t shard_bytes_;
  PackedIndex index_;
  std::vector<std::string> written_;  ///< paths to remove unless all ends well
  std::vector<std::string> made_folders_;  ///< the folder and those around it that did not exist
  Descriptor mark_;                   ///< of the file that says "unfinished", locked
  Descriptor shard_;
  bool finished_ = false;
};

}  // namespace feedtune
