#include "pipeline/packed_store.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/error.hpp"
#include "core/read_file.hpp"
#include "measure/profiler_range.hpp"
#include "pipeline/image_error.hpp"
#include "pipeline/packed_folder.hpp"
#include "process/descriptor.hpp"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22  // Linux 5.14; C libraries before 2.35 don't name it
#endif

namespace feedtune {
namespace {

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

/// For pages that are mapped, and kernels that cannot map them ahead: one look at each.
void touch_pages(const std::byte* begin, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += page_bytes()) (void)*static_cast<const volatile std::byte*>(begin + at);
}

/// Maps the pages ahead; false where the kernel cannot. Throws ImageError(why()) where the system refuses.
template <class Why>
bool populate(const std::byte* begin, std::size_t bytes, const Why& why) {
  while (::madvise(const_cast<std::byte*>(begin), bytes, MADV_POPULATE_READ) != 0) {
    if (errno == EINTR || errno == EAGAIN) continue;
    if (errno == EINVAL || errno == ENOSYS) return false;
    throw ImageError(why());
  }
  return true;
}

class PackedSource final : public ImageSource {
 public:
  explicit PackedSource(std::shared_ptr<const PackedStore> store) : store_(std::move(store)) {}

  EncodedImage fetch(std::size_t image) override {
    const ProfilerRange range("read");
    const Nanoseconds start = clock_.now();
    const auto bytes = store_->bytes(image);
    store_->load(image);
    return {bytes, Nanoseconds{0}, clock_.now() - start};
  }

  std::string lost(std::size_t image) const override { return store_->lost(image); }

 private:
  std::shared_ptr<const PackedStore> store_;
  SteadyClock clock_;
};

}  // namespace

PackedStore::PackedStore(const std::string& folder, const PackedIndex& index) : folder_(folder) {
  records_.reserve(index.records.size());
  shards_.reserve(index.shards.size());
  seen_ = std::make_unique<std::atomic<bool>[]>(index.records.size());
  for (std::size_t number = 0; number < index.shards.size(); ++number) map_shard(number, index);
}

void PackedStore::map_shard(std::size_t number, const PackedIndex& index) {
  const PackedShard& shard = index.shards[number];
  const Descriptor file = open_packed_shard(folder_, number, index);
  auto map = std::make_unique<PackedMap>(file.get(), shard.bytes);
  if (map->begin() == nullptr) throw IoError(packed_shard_path(folder_, number), "map", errno);
  for (std::uint64_t i = shard.first_image; i < shard.first_image + shard.images; ++i) {
    const PackedRecord& record = index.records[i];
    records_.push_back({map->begin() + record.offset, record.length, record.failed});
  }
  shards_.push_back({std::move(map), shard.first_image});
}

int PackedStore::open_shard(std::size_t number) const {
  return open_to_read(packed_shard_path(folder_, number));
}

std::uint64_t PackedStore::total_bytes() const {
  std::uint64_t bytes = 0;
  for (const Shard& shard : shards_) bytes += shard.map->bytes();
  return bytes;
}

std::span<const std::byte> PackedStore::bytes(std::size_t image) const {
  const auto bytes = record(image);
  if (!records_[image].failed) return bytes;
  load(image);
  const std::string reason(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string why = lost(image);
  throw ImageError(why.empty() ? reason : why);
}

std::size_t PackedStore::shard_of(std::size_t image) const {
  const auto after = std::upper_bound(shards_.begin(), shards_.end(), image,
                                      [](std::size_t i, const Shard& shard) { return i < shard.first_image; });
  return static_cast<std::size_t>(after - shards_.begin()) - 1;
}

std::string PackedStore::lost(std::size_t image) const {
  const std::size_t number = shard_of(image);
  const PackedMap& map = *shards_[number].map;
  const auto bytes = record(image);
  if (static_cast<std::size_t>(bytes.data() - map.begin()) + bytes.size() <= map.whole_bytes()) return {};
  return fmt::format("{} was cut off, or its disk failed, while it was read", packed_shard_name(number));
}

/// The map's own read-ahead (MADV_NORMAL) is left on: without it the disk is asked for one page after the other.
void PackedStore::load(std::size_t image) const {
  const auto bytes_of_it = record(image);
  const std::size_t before = reinterpret_cast<std::uintptr_t>(bytes_of_it.data()) % page_bytes();
  const std::byte* begin = bytes_of_it.data() - before;
  const std::size_t bytes = bytes_of_it.size() + before;
  // Populating tells of a failing disk without a signal, but costs 20 times as much once all is mapped.
  bool populated = false;
  if (!seen_[image].load(std::memory_order_relaxed)) {
    populated = populate(begin, bytes, [&] {
      const int number = errno;
      return fmt::format("cannot be read from {}: {}", packed_shard_name(shard_of(image)),
                         number == EFAULT ? "it was cut off, or its disk failed" : std::strerror(number));
    });
  }
  if (!populated) touch_pages(begin, bytes);
  if (const std::string why = lost(image); !why.empty()) throw ImageError(why);
  if (populated) seen_[image].store(true, std::memory_order_relaxed);
}

void PackedStore::release_pages() const {
  for (const Shard& shard : shards_) shard.map->release_pages();
}

std::unique_ptr<ImageSource> make_packed_source(std::shared_ptr<const PackedStore> store) {
  return std::make_unique<PackedSource>(std::move(store));
}

}  // namespace feedtune
