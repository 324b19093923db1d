#include "pipeline/packed_verify.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/read_file.hpp"
#include "core/utf8.hpp"
#include "pipeline/crc32.hpp"
#include "pipeline/image_error.hpp"
#include "pipeline/image_format.hpp"
#include "pipeline/packed_folder.hpp"

namespace feedtune {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;

/// Reads with pread(), never through a map: a file that is cut off meanwhile is then a short read.
class ShardReader {
 public:
  ShardReader(Descriptor file, std::string path) : file_(std::move(file)), path_(std::move(path)), block_(block_bytes) {}

  /// Up to a block's bytes at `offset`. Throws ImageError where the file ends before, or the disk fails.
  std::span<const std::byte> read(std::uint64_t offset, std::uint64_t bytes) {
    const auto want = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, block_.size()));
    const auto into = std::span(block_).first(want);
    const ssize_t got = read_at(file_.get(), into, offset);
    if (got < 0) throw ImageError(fmt::format("cannot be read: {}", std::strerror(errno)));
    if (static_cast<std::size_t>(got) < want) throw ImageError("the shard was cut off while it was read");
    return into;
  }

  /// Zeros from `offset` on that are not on the disk (a sparse file's); 0 where the file system cannot tell.
  std::uint64_t hole(std::uint64_t offset, std::uint64_t bytes) const {
    const off_t data = ::lseek(file_.get(), static_cast<off_t>(offset), SEEK_DATA);
    if (data >= 0) return std::min(static_cast<std::uint64_t>(data) - offset, bytes);
    // No data behind it: a hole up to the end of the file, if the file is still that long.
    return errno == ENXIO && ::lseek(file_.get(), 0, SEEK_END) >= static_cast<off_t>(offset + bytes) ? bytes : 0;
  }

  const std::string& path() const { return path_; }

 private:
  Descriptor file_;
  std::string path_;
  std::vector<std::byte> block_;
};

std::uint32_t crc_of(ShardReader& shard, std::uint64_t offset, std::uint64_t bytes) {
  std::uint32_t crc = 0;
  while (bytes > 0) {
    std::uint64_t done = shard.hole(offset, bytes);
    if (done > 0) {
      crc = crc32_of_zeros(done, crc);
    } else {
      const auto part = shard.read(offset, bytes);
      crc = crc32(part, crc);
      done = part.size();
    }
    offset += done;
    bytes -= done;
  }
  return crc;
}

/// Empty where a pack of this kind can hold such a record. (A JPEG pack holds any file as it is.)
std::string why_not_of_kind(ShardReader& shard, const PackedRecord& record, const PackRecipe& recipe) {
  if (record.failed) {
    const auto reason = shard.read(record.offset, record.length);  // never more than a block
    const bool text = is_utf8({reinterpret_cast<const char*>(reason.data()), reason.size()});
    return text ? std::string() : "its reason for having failed is not UTF-8 text";
  }
  if (recipe.kind == PackKind::jpeg) return {};
  const auto head = shard.read(record.offset, std::min<std::uint64_t>(record.length, raw_header_bytes));
  const ImageFormat format = image_format(head);
  const ImageFormat want = recipe.kind == PackKind::raw ? ImageFormat::raw : ImageFormat::jpeg;
  if (format != want) return fmt::format("{} in a pack of kind {}", to_text(format), to_text(recipe.kind));
  if (format != ImageFormat::raw) return {};
  const ImageSize size = raw_size(head, record.length);
  if (recipe.side > 0 && std::min(size.width, size.height) > recipe.side)
    return fmt::format("{} x {} pixels in a pack of at most {}", size.width, size.height, recipe.side);
  return {};
}

/// Between a record's end and the next multiple of the alignment.
bool zeros_behind(ShardReader& shard, std::uint64_t end) {
  const auto padding = shard.read(end, (packed_alignment - end % packed_alignment) % packed_alignment);
  return std::all_of(padding.begin(), padding.end(), [](std::byte b) { return b == std::byte{0}; });
}

std::string why_not_as_packed(ShardReader& shard, const PackedRecord& record, const PackRecipe& recipe) {
  try {
    if (std::string why = why_not_of_kind(shard, record, recipe); !why.empty()) return why;
    if (crc_of(shard, record.offset, record.length) != record.crc) return "its bytes are not those that were packed";
    if (!zeros_behind(shard, record.offset + record.length)) return "the bytes behind it are not zero";
    return {};
  } catch (const ImageError& error) {
    return error.what();
  }
}

class Problems {
 public:
  explicit Problems(std::size_t most) : most_(most) {}
  void add(std::string line) {
    if (lines_.size() < most_)
      lines_.push_back(std::move(line));
    else
      ++others_;
  }
  std::vector<std::string> take(const std::string& folder) && {
    if (others_ > 0) lines_.push_back(fmt::format("{}: {} more like these", folder, others_));
    return std::move(lines_);
  }

 private:
  std::size_t most_;
  std::size_t others_ = 0;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> verify_pack(const std::string& folder, std::size_t most) {
  const PackedIndex index = read_packed_index(folder);
  for (std::size_t number = 0; number < index.shards.size(); ++number) open_packed_shard(folder, number, index);
  Problems problems(most);
  std::size_t name = 0;
  for (std::size_t number = 0; number < index.shards.size(); ++number) {
    const PackedShard& facts = index.shards[number];
    ShardReader shard(open_packed_shard(folder, number, index), packed_shard_path(folder, number));
    for (std::uint64_t i = facts.first_image; i < facts.first_image + facts.images; ++i) {
      const PackedRecord& record = index.records[i];
      const std::string_view image(index.names.c_str() + name);
      name += image.size() + 1;
      const std::string why = why_not_as_packed(shard, record, index.recipe);
      if (!why.empty()) problems.add(fmt::format("{}: image {}: {}", shard.path(), image, why));
    }
  }
  return std::move(problems).take(folder);
}

}  // namespace feedtune
