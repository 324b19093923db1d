#include "pipeline/image_list.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/read_file.hpp"
#include "pipeline/hash.hpp"
#include "pipeline/image_format.hpp"
#include "pipeline/packed_folder.hpp"

namespace feedtune {
namespace {

constexpr std::size_t digest_files = 64;  // of facts() and of fingerprint()
constexpr std::size_t digest_bytes_per_file = 64 * 1024;

/// Bytes of the longest folder, "/a/b/", that all of the names share; 0 where one of them is relative.
std::size_t common_folder(const ImageList& list) {
  std::string_view common = list.size() == 0 ? std::string_view() : list.name(0);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string_view name = list.name(i);
    std::size_t same = 0;
    while (same < common.size() && same < name.size() && common[same] == name[same]) ++same;
    common = common.substr(0, same);
  }
  if (!common.starts_with('/')) return 0;
  return common.rfind('/') + 1;
}

void add_contents(Fnv1a64& digest, const ImageList& list, std::size_t image, std::span<std::byte> buffer) {
  const Descriptor file(open_data_file(list, image));
  struct stat facts {};
  if (!file || ::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) {
    digest.add(std::string_view("unreadable"));
    return;
  }
  const ssize_t got = read_at(file.get(), buffer, 0);
  digest.add(buffer.first(got < 0 ? 0 : static_cast<std::size_t>(got)));
}

/// Whether it is there.
bool add_state(Fnv1a64& hash, int folder, const char* name) {
  struct stat file {};
  const bool known = ::fstatat(folder, name, &file, 0) == 0;
  for (const auto number : {file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec})
    hash.add(known ? static_cast<std::uint64_t>(number) : ~std::uint64_t{0});
  return known;
}

}  // namespace

int open_data_file(const ImageList& list, std::size_t image) {
  return ::openat(list.folder(), list.c_name(image), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

DataFacts ImageList::facts() const {
  if (packed_facts_) return *packed_facts_;
  DataFacts facts;
  facts.layout = layout_;
  facts.images = static_cast<std::int64_t>(size());
  facts.skipped = skipped_;
  facts.notes = notes_;
  facts.notes.push_back(fmt::format("EXIF orientation: {}", exif_orientation_policy));

  Fnv1a64 digest;
  const std::size_t shared = common_folder(*this);
  for (std::size_t i = 0; i < size(); ++i) {
    struct stat file {};
    const bool known = ::fstatat(folder(), c_name(i), &file, 0) == 0;
    const auto bytes = known ? static_cast<std::uint64_t>(file.st_size) : 0;
    digest.add(name(i).substr(shared));
    digest.add(bytes);
    facts.bytes += static_cast<std::int64_t>(bytes);
  }
  std::vector<std::byte> buffer(digest_bytes_per_file);
  const std::size_t sampled = std::min(size(), digest_files);
  for (std::size_t k = 0; k < sampled; ++k) add_contents(digest, *this, k * size() / sampled, buffer);
  facts.digest = fmt::format("fnv1a64:{:016x}", digest.value());
  return facts;
}

std::string ImageList::fingerprint() const {
  Fnv1a64 hash;
  hash.add(names_hash_);
  if (packed_folder().empty()) {
    const std::size_t sampled = std::min(size(), digest_files);
    for (std::size_t k = 0; k < sampled; ++k) add_state(hash, folder(), c_name(k * size() / sampled));
  } else {
    bool there = add_state(hash, AT_FDCWD, (packed_folder() + "/" + packed_index_name).c_str());
    for (std::size_t shard = 0; there; ++shard) there = add_state(hash, AT_FDCWD, packed_shard_path(packed_folder(), shard).c_str());
  }
  return fmt::format("{:016x}", hash.value());
}

}  // namespace feedtune
