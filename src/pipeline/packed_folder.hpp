#pragma once
// A packed folder on the disk: the names of its files, and how they are read and known again.

#include <cstdint>
#include <string>

#include "pipeline/image_list.hpp"
#include "pipeline/packed_format.hpp"
#include "process/descriptor.hpp"

namespace feedtune {

inline constexpr const char* packed_index_name = "pack.index";
/// One line: the folder that the originals' names are relative to, itself relative to the packed folder. May be edited.
inline constexpr const char* packed_source_name = "pack.source";
/// There while `feedtune pack` writes the folder, and after it was killed.
inline constexpr const char* packed_unfinished_name = "pack.unfinished";
/// "shard-00000".
std::string packed_shard_name(std::size_t number);
std::string packed_shard_path(const std::string& folder, std::size_t number);

enum class PackedFolder { none, unfinished, complete };
PackedFolder packed_folder_state(const std::string& path);
/// Whether the file `path` is an index or a shard, by its first bytes.
bool is_part_of_pack(const std::string& path);
/// What to say then.
inline constexpr const char* part_of_pack = "a part of a packed folder; give the folder";

/// Throws InputError for an index that isn't whole, IoError where the system refuses.
PackedIndex read_packed_index(const std::string& folder);

/// A shard for reading, once its size and header are those that the index tells of. Throws InputError naming the file
/// where it is missing, cut off or of another pack or version, IoError where the system refuses.
Descriptor open_packed_shard(const std::string& folder, std::size_t number, const PackedIndex& index);

/// The list of a packed folder: the originals' names, labels and facts, in their order. All shards are looked at
/// (size and header). Throws as PackedStore does.
ImageList read_packed_list(const std::string& folder);

}  // namespace feedtune
