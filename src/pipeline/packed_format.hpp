#pragma once
// The bytes of a packed folder's two kinds of file, as results/README.md describes them. No files here, only bytes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/enums.hpp"
#include "core/facts.hpp"

namespace feedtune {

/// What a record holds: the file's bytes as they were; a smaller picture as JPEG; its pixels.
enum class PackKind { jpeg, resized, raw };
template <>
std::span<const std::pair<PackKind, std::string_view>> enum_names();

inline constexpr std::uint32_t packed_version = 1;
/// Records begin at multiples of it, a shard ends at one.
inline constexpr std::uint64_t packed_alignment = 64;
inline std::uint64_t packed_aligned(std::uint64_t offset) { return (offset + packed_alignment - 1) / packed_alignment * packed_alignment; }

/// How the pictures were made.
struct PackRecipe {
  PackKind kind = PackKind::jpeg;
  int side = 0;     ///< the shorter side is at most this, pixels; 0: as it was
  int quality = 0;  ///< of the JPEGs that were made; 0: none were
};

struct PackedShard {
  std::uint64_t bytes = 0;  ///< of the whole file
  std::uint64_t first_image = 0;
  std::uint64_t images = 0;
};

struct PackedRecord {
  std::uint64_t offset = 0;        ///< in its shard
  std::uint32_t length = 0;        ///< bytes, at least 1
  std::uint32_t crc = 0;
  std::int32_t label = 0;
  std::uint32_t source_bytes = 0;  ///< of the original file
  bool failed = false;             ///< the original could not be read or decoded: the record is the reason, as text
};

struct PackedIndex {
  PackRecipe recipe;
  std::uint64_t id = 0;               ///< the same in the index and in each of its shards
  std::vector<PackedShard> shards;
  std::vector<PackedRecord> records;  ///< one an image, in the order of the source's list
  std::string names;                  ///< each with its terminating zero
  DataFacts source;                   ///< of the originals, as they were listed
};

/// Whether a file that begins so is an index or a shard.
bool is_packed_file(std::span<const std::byte> first);
/// A name that an index may have: it leads to a file inside the originals' folder (a link in it may lead on), so that an
/// index from a stranger can't ask for others.
bool is_packed_name(std::string_view name);

inline constexpr std::size_t packed_index_header_bytes = 96;
/// Throws InputError(path) where `header`, the first packed_index_header_bytes of a file or all of a shorter one, is not
/// that of an index of `file_bytes` bytes whose counts add up to them: nothing need be read of a file that is none.
void check_index_header(std::span<const std::byte> header, std::uint64_t file_bytes, const std::string& path);

/// Notes come out as single lines of UTF-8, whatever names they hold.
std::vector<std::byte> encode_index(const PackedIndex& index);
/// Throws InputError(path) for anything but a whole, consistent index of at least one image: its records lie in its shards
/// one behind the other, each name is that of a file inside the originals' folder, and all numbers are such as a pack has.
PackedIndex decode_index(std::span<const std::byte> bytes, const std::string& path);

inline constexpr std::size_t packed_shard_header_bytes = 64;
std::array<std::byte, packed_shard_header_bytes> encode_shard_header(const PackedShard& shard, std::uint32_t number,
                                                                     std::uint64_t id);
/// Throws InputError(path) where `header` is not that of shard `number` of that index, or `file_bytes` is not its size.
void check_shard_header(std::span<const std::byte> header, std::uint64_t file_bytes, const PackedShard& shard,
                        std::uint32_t number, std::uint64_t id, const std::string& path);

/// First bytes of a raw record: "FTRAWRGB", the width and the height; then width x height x 3 bytes.
inline constexpr std::size_t raw_header_bytes = 16;
std::array<std::byte, raw_header_bytes> encode_raw_header(int width, int height);

}  // namespace feedtune
