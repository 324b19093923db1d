#include "pipeline/loaders_fixture.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace feedtune::loader_test {

HostBuffer CountingAllocator::allocate(std::size_t bytes) {
  if (allocations_++ == fail_at_) throw TrialFailure(TrialStatus::unsupported, "pinned memory refused: 48 of 8 bytes");
  void* data = std::malloc(bytes);
  std::memset(data, 0xEE, bytes);
  *live_ += bytes;
  return HostBuffer(data, bytes, kind_, [live = live_](void* block, std::size_t size) {
    std::free(block);
    *live -= size;
  });
}

std::uint64_t mix(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15u;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}

std::int32_t label_of(std::size_t image) { return static_cast<std::int32_t>(mix(image) % 1000); }

Sample World::sample_at(std::int64_t position) const {
  const auto seed = mix(static_cast<std::uint64_t>(position));
  return {position, position / images, seed % static_cast<std::uint64_t>(images), mix(seed)};
}

std::vector<std::byte> World::expected_image(std::int64_t position) const {
  const Sample sample = sample_at(position);
  std::vector<std::byte> bytes(image_bytes);
  if (fails(sample.image)) return bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(mix(sample.random + sample.image * 31 + i) | 1);
  return bytes;
}

std::string World::wrong(const Batch& batch, int batch_size) const {
  const auto size = static_cast<std::size_t>(batch_size);
  if (batch.pixels.size() != size * image_bytes) return fmt::format("{} bytes of pixels", batch.pixels.size());
  if (batch.labels.size() != size) return fmt::format("{} labels", batch.labels.size());
  int with_pixels = 0;
  bool ends_epoch = false;
  for (std::size_t i = 0; i < size; ++i) {
    const std::int64_t position = batch.index * batch_size + static_cast<std::int64_t>(i);
    const Sample sample = sample_at(position);
    if (!fails(sample.image)) ++with_pixels;
    if (position % images == images - 1) ends_epoch = true;
    if (batch.labels[i] != label_of(sample.image)) return fmt::format("batch {}: label {}", batch.index, i);
    const auto expected = expected_image(position);
    if (std::memcmp(expected.data(), batch.pixels.data() + i * image_bytes, image_bytes) != 0)
      return fmt::format("batch {}: pixels of image {}", batch.index, i);
  }
  if (batch.images != with_pixels)
    return fmt::format("batch {}: {} images, want {}", batch.index, batch.images, with_pixels);
  if (batch.crosses_epoch != ends_epoch) return fmt::format("batch {}: crosses_epoch", batch.index);
  return "";
}

namespace {

class FakePreparer final : public ImagePreparer {
 public:
  FakePreparer(const World& world, int worker) : world_(world), worker_(worker) {}
  bool prepare(const Sample& sample, std::span<std::byte> destination, WorkerTotals& totals) override {
    if (world_.hook) world_.hook(worker_, sample);
    const auto bytes = world_.expected_image(sample.position);
    std::memcpy(destination.data(), bytes.data(), bytes.size());
    const bool ok = !world_.fails(sample.image);
    (ok ? totals.images : totals.failed).fetch_add(1, std::memory_order_relaxed);
    return ok;
  }
  void expect(const Sample& sample) override {
    if (world_.on_expect) world_.on_expect(sample);
  }

 private:
  const World& world_;
  int worker_;
};

}  // namespace

LoaderParts World::parts(HostMemory memory) const {
  LoaderParts parts;
  parts.sample_at = [this](std::int64_t position) { return sample_at(position); };
  parts.label_of = label_of;
  parts.make_preparer = [this](int worker) { return std::make_unique<FakePreparer>(*this, worker); };
  parts.on_worker_start = on_worker_start;
  parts.image_bytes = image_bytes;
  parts.images_per_epoch = images;
  parts.pageable = pageable;
  parts.batch_memory = memory == HostMemory::pinned ? pinned : pageable;
  return parts;
}

void Gate::open() {
  const std::lock_guard lock(mutex_);
  open_ = true;
  opened_.notify_all();
}

void Gate::wait() {
  std::unique_lock lock(mutex_);
  opened_.wait(lock, [&] { return open_; });
}

void Log::add(int worker, std::int64_t position) {
  const std::lock_guard lock(mutex_);
  entries_.emplace_back(worker, position);
}

int Log::size() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(entries_.size());
}

std::set<std::int64_t> Log::positions() const {
  std::set<std::int64_t> positions;
  for (const auto& entry : entries()) positions.insert(entry.second);
  return positions;
}

std::vector<std::pair<int, std::int64_t>> Log::entries() const {
  const std::lock_guard lock(mutex_);
  return entries_;
}

bool Log::settles_at(int count) const {
  for (int i = 0; i < 4000 && size() < count; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::this_thread::sleep_for(std::chrono::milliseconds(40));
  return size() == count;
}

LoaderSetup setup_of(LoaderKind kind, int workers, int batch_size, HostMemory memory) {
  LoaderSetup setup;
  setup.kind = kind;
  setup.num_workers = workers;
  setup.batch_size = batch_size;
  setup.host_memory = memory;
  return setup;
}

}  // namespace feedtune::loader_test
