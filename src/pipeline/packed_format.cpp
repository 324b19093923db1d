#include "pipeline/packed_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>

#include "core/error.hpp"
#include "pipeline/crc32.hpp"
#include "pipeline/image_list.hpp"

namespace feedtune {
namespace {

constexpr std::string_view index_magic = "FTPINDEX";
constexpr std::string_view shard_magic = "FTPSHARD";
constexpr std::string_view raw_magic = "FTRAWRGB";
constexpr std::size_t index_header_bytes = 96;
constexpr std::size_t shard_entry_bytes = 24;
constexpr std::size_t record_entry_bytes = 32;
constexpr std::uint32_t failed_flag = 1;
/// More than any real index asks for; keeps sums of sizes from overflowing.
constexpr std::uint64_t most_entries = std::uint64_t{1} << 32;

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
  for (const std::string& note : facts.notes) {
    for (const char c : note) text.push_back(c == '\n' ? ' ' : c);
    text.push_back('\n');
  }
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
    if (shard.bytes % packed_alignment != 0 || shard.bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      wrong(fmt::format("has {} bytes", shard.bytes));
    std::uint64_t end = packed_shard_header_bytes;
    for (std::uint64_t i = next; i < next + shard.images; ++i) {
      const PackedRecord& record = index.records[i];
      if (record.offset % packed_alignment != 0 || record.offset < end || record.length == 0 ||
          record.offset > shard.bytes || record.length > shard.bytes - record.offset)
        wrong(fmt::format("does not hold image {} ({} bytes at {})", i, record.length, record.offset));
      end = record.offset + record.length;
    }
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
}

}  // namespace

template <>
std::span<const std::pair<PackKind, std::string_view>> enum_names() {
  static constexpr std::pair<PackKind, std::string_view> names[] = {
      {PackKind::jpeg, "jpeg"}, {PackKind::resized, "resized"}, {PackKind::raw, "raw"}};
  return names;
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
  file.bytes.reserve(index_header_bytes + body.bytes.size());
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
  file.u64(index_header_bytes + body.bytes.size());
  file.u32(crc32(body.bytes));
  file.u32(crc32(file.bytes));
  file.bytes.insert(file.bytes.end(), body.bytes.begin(), body.bytes.end());
  return std::move(file.bytes);
}

PackedIndex decode_index(std::span<const std::byte> bytes, const std::string& path) {
  if (bytes.size() < index_magic.size() || Cursor(bytes).text(index_magic.size()) != index_magic)
    throw InputError(path, "not the index of a packed folder");
  if (bytes.size() < index_magic.size() + 4) wrong_size(bytes.size(), index_header_bytes, path);
  Cursor header(bytes.subspan(index_magic.size()));
  check_version(header.u32(), path);  // before the rest, whose meaning depends on it
  if (bytes.size() < index_header_bytes) wrong_size(bytes.size(), index_header_bytes, path);

  PackedIndex index;
  const std::uint32_t kind = header.u32();
  const std::uint32_t side = header.u32();
  const std::uint32_t quality = header.u32();
  index.id = header.u64();
  const std::uint64_t shards = header.u64();
  const std::uint64_t images = header.u64();
  const std::uint64_t names_bytes = header.u64();
  const std::uint64_t facts_bytes = header.u64();
  const std::uint64_t source_bytes = header.u64();
  const std::uint64_t skipped = header.u64();
  const std::uint64_t file_bytes = header.u64();
  const std::uint32_t body_crc = header.u32();
  if (header.u32() != crc32(bytes.first(index_header_bytes - 4))) throw InputError(path, "damaged: its header's checksum is wrong");
  if (file_bytes != bytes.size()) wrong_size(bytes.size(), file_bytes, path);
  const auto body = bytes.subspan(index_header_bytes);
  if (body_crc != crc32(body)) throw InputError(path, "damaged: its checksum is wrong");
  // What follows can only be wrong in a file that was made to be.
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (shards > most_entries || images > most_entries || names_bytes > body.size() || facts_bytes > body.size() ||
      shards * shard_entry_bytes + images * record_entry_bytes + names_bytes + facts_bytes != body.size())
    throw InputError(path, "inconsistent: its parts do not add up to its size");
  if (images == 0) throw InputError(path, "holds no image");
  if (kind > static_cast<std::uint32_t>(PackKind::raw) || side > 65'500 || quality > 100 || source_bytes > most ||
      skipped > most)
    throw InputError(path, "inconsistent: it says that its pictures were made in a way that none are");
  index.recipe = {static_cast<PackKind>(kind), static_cast<int>(side), static_cast<int>(quality)};

  Cursor rest(body);
  index.shards.resize(shards);
  for (PackedShard& shard : index.shards) {
    shard.bytes = rest.u64();
    shard.first_image = rest.u64();
    shard.images = rest.u64();
  }
  index.records.resize(images);
  for (PackedRecord& record : index.records) {
    record.offset = rest.u64();
    record.length = rest.u32();
    record.crc = rest.u32();
    record.label = static_cast<std::int32_t>(rest.u32());
    record.source_bytes = rest.u32();
    record.failed = (rest.u32() & failed_flag) != 0;
    rest.u32();
    if (record.label < 0 || record.label >= ImageList::classes)
      throw InputError(path, fmt::format("inconsistent: label {}, want 0 to {}", record.label, ImageList::classes - 1));
  }
  index.names = rest.text(names_bytes);
  index.source.images = static_cast<std::int64_t>(images);
  index.source.bytes = static_cast<std::int64_t>(source_bytes);
  index.source.skipped = static_cast<std::int64_t>(skipped);
  read_facts(rest.text(facts_bytes), index.source, path);
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
