#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <new>
#include <string>

#include "core/error.hpp"
#include "core/kernel_text.hpp"
#include "pipeline/image_error.hpp"
#include "pipeline/image_list.hpp"
#include "pipeline/image_source.hpp"

namespace feedtune {
namespace {

/// MemAvailable of /proc/meminfo; no limit where it cannot be read.
std::uint64_t available_bytes() {
  std::ifstream file("/proc/meminfo");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto available = kib_line_bytes(text, "MemAvailable");
  return available ? static_cast<std::uint64_t>(*available) : std::numeric_limits<std::uint64_t>::max();
}

std::uint64_t planned_bytes(const ImageList& list) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    struct stat facts {};
    if (::fstatat(list.folder(), list.c_name(i), &facts, 0) != 0 || !S_ISREG(facts.st_mode)) continue;
    const auto bytes = static_cast<std::uint64_t>(facts.st_size);
    if (bytes <= max_file_bytes) sum += bytes;
  }
  return sum;
}

class MemorySource final : public ImageSource {
 public:
  explicit MemorySource(std::shared_ptr<const MemoryStore> store) : store_(std::move(store)) {}
  EncodedImage fetch(std::size_t image) override { return {store_->bytes(image)}; }

 private:
  std::shared_ptr<const MemoryStore> store_;
};

}  // namespace

struct MemoryStore::Entry {
  std::unique_ptr<std::byte[]> bytes;
  std::size_t size = 0;
  std::string failure;
};

MemoryStore::MemoryStore(const ImageList& list, std::optional<std::uint64_t> limit_bytes) : size_(list.size()) {
  const std::uint64_t planned = planned_bytes(list);
  const std::uint64_t limit = limit_bytes ? *limit_bytes : available_bytes();
  if (planned > limit) throw OutOfMemory(MemoryKind::host, planned, limit);
  try {
    entries_ = std::make_unique<Entry[]>(size_);
    const auto files = make_file_source(list);
    for (std::size_t i = 0; i < size_; ++i) {
      Entry& entry = entries_[i];
      try {
        const EncodedImage image = files->fetch(i);
        entry.bytes = std::make_unique_for_overwrite<std::byte[]>(image.bytes.size());
        entry.size = image.bytes.size();
        std::copy(image.bytes.begin(), image.bytes.end(), entry.bytes.get());
        total_bytes_ += entry.size;
      } catch (const ImageError& error) {
        entry.failure = error.what();
      }
    }
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(MemoryKind::host, planned, limit);
  }
}

MemoryStore::~MemoryStore() = default;

std::span<const std::byte> MemoryStore::bytes(std::size_t image) const {
  const Entry& entry = entries_[image];
  if (!entry.failure.empty()) throw ImageError(entry.failure);
  return {entry.bytes.get(), entry.size};
}

std::uint64_t MemoryStore::total_bytes() const { return total_bytes_; }

std::unique_ptr<ImageSource> make_memory_source(std::shared_ptr<const MemoryStore> store) {
  return std::make_unique<MemorySource>(std::move(store));
}

}  // namespace feedtune
