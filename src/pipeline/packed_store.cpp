#include "pipeline/packed_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/error.hpp"
#include "pipeline/crc32.hpp"
#include "pipeline/image_error.hpp"
#include "pipeline/packed_folder.hpp"
#include "process/descriptor.hpp"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22  // Linux 5.14; C libraries before 2.35 don't name it
#endif

namespace feedtune {
namespace {

std::string shard_path(const std::string& folder, std::size_t number) {
  return (std::filesystem::path(folder) / packed_shard_name(number)).string();
}

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

/// For kernels that cannot map pages ahead: one look at each.
void touch_pages(const std::byte* begin, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += page_bytes()) (void)*static_cast<const volatile std::byte*>(begin + at);
}

class PackedSource final : public ImageSource {
 public:
  explicit PackedSource(std::shared_ptr<const PackedStore> store) : store_(std::move(store)) {}

  EncodedImage fetch(std::size_t image) override {
    const Nanoseconds start = clock_.now();
    const auto bytes = store_->bytes(image);
    store_->load(image);
    return {bytes, Nanoseconds{0}, clock_.now() - start};
  }

 private:
  std::shared_ptr<const PackedStore> store_;
  SteadyClock clock_;
};

}  // namespace

PackedStore::PackedStore(const std::string& folder, const PackedIndex& index) : folder_(folder) {
  try {
    records_.reserve(index.records.size());
    maps_.reserve(index.shards.size());
    seen_ = std::make_unique<std::atomic<bool>[]>(index.records.size());
    for (std::size_t number = 0; number < index.shards.size(); ++number) map_shard(number, index);
  } catch (...) {
    unmap();
    throw;
  }
}

PackedStore::~PackedStore() { unmap(); }

void PackedStore::unmap() {
  for (const Map& map : maps_) ::munmap(map.begin, map.bytes);
}

void PackedStore::map_shard(std::size_t number, const PackedIndex& index) {
  const PackedShard& shard = index.shards[number];
  const std::string path = shard_path(folder_, number);
  const Descriptor file(open_shard(number));
  if (!file) {
    if (errno == ENOENT) throw InputError(path, "is missing from its packed folder");
    throw IoError(path, "open", errno);
  }
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) throw IoError(path, "examine", errno);
  if (!S_ISREG(facts.st_mode)) throw InputError(path, "not a regular file");
  std::byte header[packed_shard_header_bytes];
  const ssize_t got = ::pread(file.get(), header, sizeof header, 0);
  if (got < 0) throw IoError(path, "read", errno);
  check_shard_header(std::span(header).first(static_cast<std::size_t>(got)), static_cast<std::uint64_t>(facts.st_size),
                     shard, static_cast<std::uint32_t>(number), index.id, path);
  void* begin = ::mmap(nullptr, shard.bytes, PROT_READ, MAP_SHARED, file.get(), 0);
  if (begin == MAP_FAILED) throw IoError(path, "map", errno);
  maps_.push_back({static_cast<std::byte*>(begin), shard.bytes});
  for (std::uint64_t i = shard.first_image; i < shard.first_image + shard.images; ++i) {
    const PackedRecord& record = index.records[i];
    records_.push_back({maps_.back().begin + record.offset, record.length, record.failed});
  }
}

int PackedStore::open_shard(std::size_t number) const {
  return ::open(shard_path(folder_, number).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

std::uint64_t PackedStore::total_bytes() const {
  std::uint64_t bytes = 0;
  for (const Map& map : maps_) bytes += map.bytes;
  return bytes;
}

std::span<const std::byte> PackedStore::bytes(std::size_t image) const {
  const auto bytes = record(image);
  if (!records_[image].failed) return bytes;
  load(image);
  throw ImageError(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

/// The map's own read-ahead (MADV_NORMAL) is left on: without it the disk is asked for one page after the other.
void PackedStore::load(std::size_t image) const {
  const auto bytes_of_it = record(image);
  const std::size_t before = reinterpret_cast<std::uintptr_t>(bytes_of_it.data()) % page_bytes();
  const std::byte* begin = bytes_of_it.data() - before;
  const std::size_t bytes = bytes_of_it.size() + before;
  // Populating tells of a failing disk where a look would end the process, but costs 20 times as much once all is mapped.
  if (seen_[image].load(std::memory_order_relaxed)) return touch_pages(begin, bytes);
  while (::madvise(const_cast<std::byte*>(begin), bytes, MADV_POPULATE_READ) != 0) {
    if (errno == EINTR || errno == EAGAIN) continue;
    if (errno == EINVAL || errno == ENOSYS) return touch_pages(begin, bytes);
    throw ImageError(fmt::format("cannot be read from its shard: {}",
                                 errno == EFAULT ? "the disk failed, or the shard was cut off" : std::strerror(errno)));
  }
  seen_[image].store(true, std::memory_order_relaxed);
}

void PackedStore::release_pages() const {
  for (const Map& map : maps_) (void)::madvise(map.begin, map.bytes, MADV_DONTNEED);
}

std::unique_ptr<ImageSource> make_packed_source(std::shared_ptr<const PackedStore> store) {
  return std::make_unique<PackedSource>(std::move(store));
}

std::vector<std::string> verify_pack(const std::string& folder, std::size_t most) {
  const PackedIndex index = read_packed_index(folder);
  const PackedStore store(folder, index);
  std::vector<std::string> problems;
  std::size_t others = 0;
  std::size_t name = 0;
  std::size_t shard = 0;
  for (std::size_t i = 0; i < index.records.size(); ++i) {
    const PackedRecord& record = index.records[i];
    while (i >= index.shards[shard].first_image + index.shards[shard].images) ++shard;
    const std::string_view image(index.names.c_str() + name);
    name += image.size() + 1;
    std::string problem;
    try {
      store.load(i);
      if (crc32(store.record(i)) != record.crc) problem = "its bytes are not those that were packed";
    } catch (const ImageError& error) {
      problem = error.what();
    }
    if (problem.empty()) continue;
    if (problems.size() < most)
      problems.push_back(fmt::format("{}: image {}: {}", shard_path(folder, shard), image, problem));
    else
      ++others;
  }
  if (others > 0) problems.push_back(fmt::format("{}: {} more damaged images", folder, others));
  return problems;
}

}  // namespace feedtune
