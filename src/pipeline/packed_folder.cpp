#include "pipeline/packed_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>

#include "core/counted.hpp"
#include "core/error.hpp"
#include "core/read_file.hpp"
#include "pipeline/image_list_builder.hpp"
#include "pipeline/packed_store.hpp"

namespace feedtune {
namespace {

namespace fs = std::filesystem;

std::string in_folder(const std::string& folder, const std::string& name) { return (fs::path(folder) / name).string(); }

bool holds(const std::string& folder, const std::string& name) {
  struct stat facts {};
  return ::lstat(in_folder(folder, name).c_str(), &facts) == 0;  // a link that leads nowhere is a damaged pack, not none
}

/// Where the originals are, by the packed folder's own note; empty with `missing` set where there is none.
std::string originals_folder(const std::string& folder, std::string& missing) {
  const std::string note = in_folder(folder, packed_source_name);
  std::ifstream file(note, std::ios::binary);
  std::string text(PATH_MAX, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  if (text.ends_with('\n')) text.pop_back();
  if (text.empty()) {
    missing = fmt::format("{}, which says where the originals are, cannot be read or is empty", note);
    return {};
  }
  return in_folder(folder, text);
}

/// Looks at some originals; empty where they are there and have the size that they had.
std::string why_not_the_originals(const PackedIndex& index, const ImageList& list, const std::string& path) {
  constexpr std::size_t looked_at = 16;
  const std::size_t count = std::min(list.size(), looked_at);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t image = k * list.size() / count;
    const PackedRecord& record = index.records[image];
    if (record.failed) continue;
    struct stat facts {};
    if (::fstatat(list.folder(), list.c_name(image), &facts, 0) != 0)
      return fmt::format("the original {} in {}: {}", list.name(image), path, std::strerror(errno));
    if (static_cast<std::uint64_t>(facts.st_size) != record.source_bytes)
      return fmt::format("the original {} in {} has {} bytes and had {} when it was packed", list.name(image), path,
                         facts.st_size, record.source_bytes);
  }
  return {};
}

constexpr std::size_t block_bytes = std::size_t{1} << 20;

/// Appends up to `bytes` bytes; false at the end of the file.
bool read_more(int file, std::size_t bytes, std::vector<std::byte>& into, const std::string& path) {
  const std::size_t before = into.size();
  into.resize(before + bytes);
  const ssize_t got = read_at(file, std::span(into).last(bytes), before);
  if (got < 0) throw IoError(path, "read", errno);
  into.resize(before + static_cast<std::size_t>(got));
  return got > 0;
}

/// Every entry of an index and every name has a byte that is not zero. A sparse file that says that it is an index of
/// gigabytes is so told apart at its first hole.
void refuse_zeros(std::span<const std::byte> block, const std::string& path) {
  constexpr std::size_t hole = 4096;
  for (; block.size() >= hole; block = block.subspan(hole)) {
    const auto part = block.first(hole);
    if (std::all_of(part.begin(), part.end(), [](std::byte b) { return b == std::byte{0}; }))
      throw InputError(path, "damaged: a part of it was never written");
  }
}

std::string recipe_text(const PackRecipe& recipe) {
  std::string text(to_text(recipe.kind));
  if (recipe.side > 0) text += fmt::format(", shorter side at most {} pixels", recipe.side);
  if (recipe.quality > 0) text += fmt::format(", quality {}", recipe.quality);
  return text;
}

}  // namespace

std::string packed_shard_name(std::size_t number) { return fmt::format("shard-{:05}", number); }

std::string packed_shard_path(const std::string& folder, std::size_t number) {
  return in_folder(folder, packed_shard_name(number));
}

PackedFolder packed_folder_state(const std::string& path) {
  if (holds(path, packed_index_name)) return PackedFolder::complete;
  return holds(path, packed_unfinished_name) ? PackedFolder::unfinished : PackedFolder::none;
}

bool is_part_of_pack(const std::string& path) {
  const Descriptor file(open_to_read(path));
  struct stat facts {};
  if (!file || ::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return false;
  std::byte first[8];
  return read_at(file.get(), first, 0) == static_cast<ssize_t>(sizeof first) && is_packed_file(first);
}

PackedIndex read_packed_index(const std::string& folder) {
  const std::string path = in_folder(folder, packed_index_name);
  const Descriptor file(open_to_read(path));
  if (!file) throw IoError(path, "open", errno);
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) throw IoError(path, "examine", errno);
  if (!S_ISREG(facts.st_mode)) throw InputError(path, "not a regular file");
  std::vector<std::byte> bytes;
  read_more(file.get(), packed_index_header_bytes, bytes, path);
  check_index_header(bytes, static_cast<std::uint64_t>(facts.st_size), path);
  try {
    bytes.reserve(static_cast<std::size_t>(facts.st_size) + block_bytes);
    while (read_more(file.get(), block_bytes, bytes, path)) refuse_zeros(std::span(bytes).last(std::min(bytes.size(), block_bytes)), path);
    return decode_index(bytes, path);
  } catch (const std::bad_alloc&) {
    throw InputError(path, fmt::format("{} bytes do not fit in memory", facts.st_size));
  }
}

Descriptor open_packed_shard(const std::string& folder, std::size_t number, const PackedIndex& index) {
  const std::string path = packed_shard_path(folder, number);
  Descriptor file(open_to_read(path));
  if (!file) {
    if (errno == ENOENT) throw InputError(path, "is missing from its packed folder");
    throw IoError(path, "open", errno);
  }
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) throw IoError(path, "examine", errno);
  if (!S_ISREG(facts.st_mode)) throw InputError(path, "not a regular file");
  std::byte header[packed_shard_header_bytes];
  const ssize_t got = read_at(file.get(), header, 0);
  if (got < 0) throw IoError(path, "read", errno);
  check_shard_header(std::span(header).first(static_cast<std::size_t>(got)), static_cast<std::uint64_t>(facts.st_size),
                     index.shards[number], static_cast<std::uint32_t>(number), index.id, path);
  return file;
}

ImageList read_packed_list(const std::string& folder) {
  const PackedIndex index = read_packed_index(folder);
  const PackedStore store(folder, index);
  ImageListBuilder builder;
  std::size_t begin = 0;
  for (const PackedRecord& record : index.records) {
    const std::string_view name(index.names.c_str() + begin);
    builder.add(name, record.label);
    begin += name.size() + 1;
  }
  std::string missing;
  const std::string path = originals_folder(folder, missing);
  Descriptor originals;
  if (missing.empty()) {
    originals = Descriptor(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!originals)
      missing = fmt::format("the originals are not in {}: {} ({} says where they are)", path, std::strerror(errno),
                            in_folder(folder, packed_source_name));
  }
  DataFacts facts = index.source;
  facts.notes.push_back(fmt::format("packed: {}; {} bytes in {}", recipe_text(index.recipe), store.total_bytes(),
                                    counted(std::ssize(index.shards), "shard")));
  ImageList list = builder.finish(facts.layout, std::move(originals), false);
  if (missing.empty()) missing = why_not_the_originals(index, list, path);
  ImageListBuilder::mark_packed(list, folder, std::move(facts), std::move(missing));
  return list;
}

}  // namespace feedtune
