#include "pipeline/packed_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <string_view>

#include "core/error.hpp"
#include "core/single_line.hpp"
#include "pipeline/crc32.hpp"
#include "pipeline/image_format.hpp"
#include "pipeline/image_list.hpp"
#include "pipeline/image_source.hpp"

namespace feedtune {
namespace {

constexpr std::string_view index_magic = "FTPINDEX";
constexpr std::string_view shard_magic = "FTPSHARD";
constexpr std::string_view raw_magic = "FTRAWRGB";
constexpr std::size_t shard_entry_bytes = 24;
constexpr std::size_t record_entry_bytes = 32;
constexpr std::uint32_t failed_flag = 1;
/// More than any real index asks for; they keep sums of sizes from overflowing, and bound what is read of a false one.
constexpr std::uint64_t most_images = std::uint64_t{1} << 32;
constexpr std::uint64_t most_facts_bytes = 16 << 20;
constexpr std::uint64_t most_reason_bytes = 64 << 10;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 53;  ///< that JSON's numbers hold exactly

/// Little-endian, whatever the machine.
class Bytes {
 public:
  void text(std::string_view text) {
    for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  }
  void u32(std::uint32_t value) { number(value, 4); }
  void u64(std::uint64_t value) { number(value, 8); }
  std::vector<std::byte> bytes;

 private:
  void number(std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
  }
};

/// Reads what Bytes wrote; the caller has seen to it that there is enough.
class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u64() { return number(8); }
  std::string_view text(std::size_t size) {
    const auto part = take(size);
    return {reinterpret_cast<const char*>(part.data()), part.size()};
  }

 private:
  std::span<const std::byte> take(std::size_t size) {
    const auto part = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return part;
  }
  std::uint64_t number(std::size_t size) {
    std::uint64_t value = 0;
    const auto part = take(size);
    for (std::size_t i = 0; i < size; ++i) value |= static_cast<std::uint64_t>(part[i]) << (8 * i);
    return value;
  }
  std::span<const std::byte> bytes_;
};

/// Layout, digest and notes, a line each.
std::string facts_text(const DataFacts& facts) {
  std::string text = facts.layout + "\n" + facts.digest + "\n";
  for (const std::string& note : facts.notes) text += single_line(note) + "\n";
  return text;
}

void read_facts(std::string_view text, DataFacts& facts, const std::string& path) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) throw InputError(path, "damaged: a line of its last part does not end");
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  if (lines.size() < 2) throw InputError(path, "damaged: its last part has no layout and digest");
  for (const std::string& line : lines)
    if (line != single_line(line)) throw InputError(path, "inconsistent: its last part is not UTF-8 text");
  facts.layout = lines[0];
  facts.digest = lines[1];
  facts.notes.assign(lines.begin() + 2, lines.end());
}

void check_version(std::uint32_t version, const std::string& path) {
  if (version == packed_version) return;
  throw InputError(path, fmt::format("of pack version {}; this feedtune reads version {} (pack the originals again)", version,
                                     packed_version));
}

[[noreturn]] void wrong_size(std::uint64_t bytes, std::uint64_t want, const std::string& path) {
  throw InputError(path, fmt::format("{}: {} bytes, want {}", bytes < want ? "cut off" : "too long", bytes, want));
}

void check_shards(const PackedIndex& index, const std::string& path) {
  std::uint64_t next = 0;
  for (std::size_t s = 0; s < index.shards.size(); ++s) {
    const PackedShard& shard = index.shards[s];
    const auto wrong = [&](const std::string& what) {
      throw InputError(path, fmt::format("inconsistent: shard {} {}", s, what));
    };
    if (shard.first_image != next || shard.images == 0 || shard.images > index.records.size() - next)
      wrong("does not follow the one before it");
    if (shard.bytes > most_bytes) wrong(fmt::format("has {} bytes", shard.bytes));
    std::uint64_t next_offset = packed_shard_header_bytes;  // one behind the other: no room for what no sum covers
    for (std::uint64_t i = next; i < next + shard.images; ++i) {
      const PackedRecord& record = index.records[i];
      if (record.offset != next_offset || record.length == 0 || record.offset > shard.bytes ||
          record.length > shard.bytes - record.offset)
        wrong(fmt::format("does not hold image {} ({} bytes at {})", i, record.length, record.offset));
      next_offset = packed_aligned(record.offset + record.length);
    }
    if (shard.bytes != next_offset) wrong(fmt::format("has {} bytes, and its images {}", shard.bytes, next_offset));
    next += shard.images;
  }
  if (next != index.records.size())
    throw InputError(path, fmt::format("inconsistent: {} images, but {} in its shards", index.records.size(), next));
}

void check_names(const PackedIndex& index, const std::string& path) {
  const auto count = static_cast<std::uint64_t>(std::count(index.names.begin(), index.names.end(), '\0'));
  const bool terminated = index.names.empty() || index.names.back() == '\0';
  if (count != index.records.size() || !terminated)
    throw InputError(path, fmt::format("inconsistent: {} names for {} images", count, index.records.size()));
  for (std::size_t begin = 0; begin < index.names.size();) {
    const std::string_view name(index.names.c_str() + begin);
    if (!is_packed_name(name))
      throw InputError(path, fmt::format("inconsistent: the name \"{}\", want one inside the originals' folder", single_line(name.substr(0, 200))));
    begin += name.size() + 1;
  }
}

struct IndexHeader {
  PackRecipe recipe;
  std::uint64_t id = 0;
  std::uint64_t shards = 0, images = 0;
  std::uint64_t names_bytes = 0, facts_bytes = 0;
  std::uint64_t source_bytes = 0, skipped = 0;
  std::uint32_t body_crc = 0;
};

/// Whether `feedtune pack` takes such options.
bool possible(const PackRecipe& recipe) {
  const auto [kind, side, quality] = recipe;
  if (side < 0 || side > max_side) return false;
  if (kind == PackKind::resized) return side > 0 && quality >= 1 && quality <= 100;
  return (kind == PackKind::raw || side == 0) && quality == 0;
}

/// What it refuses behind the checksum can only be wrong in a file that was made to be.
void check_counts(const IndexHeader& header, std::uint64_t file_bytes, const std::string& path) {
  if (header.images == 0) throw InputError(path, "holds no image");
  const std::uint64_t body = file_bytes - packed_index_header_bytes;
  if (header.images > most_images || header.shards == 0 || header.shards > header.images || header.names_bytes > body ||
      header.names_bytes < 2 * header.images || header.names_bytes > PATH_MAX * header.images || header.facts_bytes > most_facts_bytes ||
      header.shards * shard_entry_bytes + header.images * record_entry_bytes + header.names_bytes + header.facts_bytes != body)
    throw InputError(path, "inconsistent: its parts do not add up to its size");
  if (header.source_bytes > most_bytes || header.skipped > most_bytes)
    throw InputError(path, fmt::format("inconsistent: {} bytes of originals and {} skipped entries", header.source_bytes, header.skipped));
}

IndexHeader read_header(std::span<const std::byte> bytes, std::uint64_t file_bytes, const std::string& path) {
  if (bytes.size() < index_magic.size() || Cursor(bytes).text(index_magic.size()) != index_magic)
    throw InputError(path, "not the index of a packed folder");
  if (bytes.size() < index_magic.size() + 4) wrong_size(bytes.size(), packed_index_header_bytes, path);
  Cursor cursor(bytes.subspan(index_magic.size()));
  check_version(cursor.u32(), path);  // before the rest, whose meaning depends on it
  if (bytes.size() < packed_index_header_bytes) wrong_size(bytes.size(), packed_index_header_bytes, path);

  IndexHeader header;
  const std::uint32_t kind = cursor.u32();
  const std::uint32_t side = cursor.u32();
  const std::uint32_t quality = cursor.u32();
  header.id = cursor.u64();
  header.shards = cursor.u64();
  header.images = cursor.u64();
  header.names_bytes = cursor.u64();
  header.facts_bytes = cursor.u64();
  header.source_bytes = cursor.u64();
  header.skipped = cursor.u64();
  const std::uint64_t bytes_of_file = cursor.u64();
  header.body_crc = cursor.u32();
  if (cursor.u32() != crc32(bytes.first(packed_index_header_bytes - 4)))
    throw InputError(path, "damaged: its header's checksum is wrong");
  if (bytes_of_file != file_bytes) wrong_size(file_bytes, bytes_of_file, path);
  if (kind <= static_cast<std::uint32_t>(PackKind::raw) && side <= static_cast<std::uint32_t>(max_side) && quality <= 100)
    header.recipe = {static_cast<PackKind>(kind), static_cast<int>(side), static_cast<int>(quality)};
  else
    header.recipe.side = -1;
  if (!possible(header.recipe)) throw InputError(path, "inconsistent: it says that its pictures were made in a way that none are");
  check_counts(header, file_bytes, path);
  return header;
}

PackedRecord read_record(Cursor& cursor, const PackRecipe& recipe, std::size_t image, const std::string& path) {
  PackedRecord record;
  record.offset = cursor.u64();
  record.length = cursor.u32();
  record.crc = cursor.u32();
  record.label = static_cast<std::int32_t>(cursor.u32());
  record.source_bytes = cursor.u32();
  const std::uint32_t flags = cursor.u32();
  const std::uint32_t reserved = cursor.u32();
  record.failed = flags == failed_flag;
  if (record.label < 0 || record.label >= ImageList::classes)
    throw InputError(path, fmt::format("inconsistent: label {}, want 0 to {}", record.label, ImageList::classes - 1));
  // A JPEG pack has the files as they are; whoever reads a reason reads all of it.
  const bool possible_length = record.failed ? record.length <= most_reason_bytes
                                             : recipe.kind != PackKind::jpeg || record.length == record.source_bytes;
  if ((flags & ~failed_flag) != 0 || reserved != 0 || record.source_bytes > max_file_bytes || !possible_length)
    throw InputError(path, fmt::format("inconsistent: image {} has {} bytes of {} and the flags {}", image, record.length,
                                       record.source_bytes, flags));
  return record;
}

}  // namespace

template <>
std::span<const std::pair<PackKind, std::string_view>> enum_names() {
  static constexpr std::pair<PackKind, std::string_view> names[] = {
      {PackKind::jpeg, "jpeg"}, {PackKind::resized, "resized"}, {PackKind::raw, "raw"}};
  return names;
}

bool is_packed_file(std::span<const std::byte> first) {
  const std::string_view magic(reinterpret_cast<const char*>(first.data()), std::min(first.size(), index_magic.size()));
  return magic == index_magic || magic == shard_magic;
}

bool is_packed_name(std::string_view name) {
  if (name.size() >= PATH_MAX) return false;
  while (true) {
    const auto slash = name.find('/');
    const std::string_view part = name.substr(0, slash);
    if (part.empty() || part == "." || part == "..") return false;
    if (slash == std::string_view::npos) return true;
    name.remove_prefix(slash + 1);
  }
}

std::vector<std::byte> encode_index(const PackedIndex& index) {
  const std::string facts = facts_text(index.source);
  Bytes body;
  body.bytes.reserve(index.shards.size() * shard_entry_bytes + index.records.size() * record_entry_bytes +
                     index.names.size() + facts.size());
  for (const PackedShard& shard : index.shards) {
    body.u64(shard.bytes);
    body.u64(shard.first_image);
    body.u64(shard.images);
  }
  for (const PackedRecord& record : index.records) {
    body.u64(record.offset);
    body.u32(record.length);
    body.u32(record.crc);
    body.u32(static_cast<std::uint32_t>(record.label));
    body.u32(record.source_bytes);
    body.u32(record.failed ? failed_flag : 0);
    body.u32(0);
  }
  body.text(index.names);
  body.text(facts);

  Bytes file;
  file.bytes.reserve(packed_index_header_bytes + body.bytes.size());
  file.text(index_magic);
  file.u32(packed_version);
  file.u32(static_cast<std::uint32_t>(index.recipe.kind));
  file.u32(static_cast<std::uint32_t>(index.recipe.side));
  file.u32(static_cast<std::uint32_t>(index.recipe.quality));
  file.u64(index.id);
  file.u64(index.shards.size());
  file.u64(index.records.size());
  file.u64(index.names.size());
  file.u64(facts.size());
  file.u64(static_cast<std::uint64_t>(index.source.bytes));
  file.u64(static_cast<std::uint64_t>(index.source.skipped));
  file.u64(packed_index_header_bytes + body.bytes.size());
  file.u32(crc32(body.bytes));
  file.u32(crc32(file.bytes));
  file.bytes.insert(file.bytes.end(), body.bytes.begin(), body.bytes.end());
  return std::move(file.bytes);
}

void check_index_header(std::span<const std::byte> header, std::uint64_t file_bytes, const std::string& path) {
  read_header(header, file_bytes, path);
}

PackedIndex decode_index(std::span<const std::byte> bytes, const std::string& path) {
  const IndexHeader header = read_header(bytes.first(std::min(bytes.size(), packed_index_header_bytes)), bytes.size(), path);
  const auto body = bytes.subspan(packed_index_header_bytes);
  if (header.body_crc != crc32(body)) throw InputError(path, "damaged: its checksum is wrong");

  PackedIndex index;
  index.recipe = header.recipe;
  index.id = header.id;
  Cursor rest(body);
  index.shards.resize(header.shards);
  for (PackedShard& shard : index.shards) {
    shard.bytes = rest.u64();
    shard.first_image = rest.u64();
    shard.images = rest.u64();
  }
  index.records.resize(header.images);
  for (std::size_t i = 0; i < index.records.size(); ++i) index.records[i] = read_record(rest, header.recipe, i, path);
  index.names = rest.text(header.names_bytes);
  index.source.images = static_cast<std::int64_t>(header.images);
  index.source.bytes = static_cast<std::int64_t>(header.source_bytes);
  index.source.skipped = static_cast<std::int64_t>(header.skipped);
  read_facts(rest.text(header.facts_bytes), index.source, path);
  check_shards(index, path);
  check_names(index, path);
  return index;
}

std::array<std::byte, packed_shard_header_bytes> encode_shard_header(const PackedShard& shard, std::uint32_t number,
                                                                     std::uint64_t id) {
  Bytes header;
  header.text(shard_magic);
  header.u32(packed_version);
  header.u32(number);
  header.u64(id);
  header.u64(shard.first_image);
  header.u64(shard.images);
  header.u64(shard.bytes);
  header.u64(0);
  header.u32(0);
  header.u32(crc32(header.bytes));
  std::array<std::byte, packed_shard_header_bytes> bytes{};
  std::copy(header.bytes.begin(), header.bytes.end(), bytes.begin());
  return bytes;
}

void check_shard_header(std::span<const std::byte> header, std::uint64_t file_bytes, const PackedShard& shard,
                        std::uint32_t number, std::uint64_t id, const std::string& path) {
  if (header.size() < shard_magic.size() || Cursor(header).text(shard_magic.size()) != shard_magic) {
    if (file_bytes >= packed_shard_header_bytes) throw InputError(path, "not a shard of a packed folder");
  } else if (header.size() >= shard_magic.size() + 4) {
    check_version(Cursor(header.subspan(shard_magic.size())).u32(), path);
  }
  if (file_bytes != shard.bytes) wrong_size(file_bytes, shard.bytes, path);
  const auto expected = encode_shard_header(shard, number, id);
  if (!std::equal(expected.begin(), expected.end(), header.begin(), header.end()))
    throw InputError(path, "not the shard that the index beside it tells of: its header is damaged, or it is of another pack");
}

std::array<std::byte, raw_header_bytes> encode_raw_header(int width, int height) {
  Bytes header;
  header.text(raw_magic);
  header.u32(static_cast<std::uint32_t>(width));
  header.u32(static_cast<std::uint32_t>(height));
  std::array<std::byte, raw_header_bytes> bytes{};
  std::copy(header.bytes.begin(), header.bytes.end(), bytes.begin());
  return bytes;
}

}  // namespace feedtune
