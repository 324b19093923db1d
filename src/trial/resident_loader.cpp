#include "trial/resident_loader.hpp"

#include <vector>

#include "pipeline/image_list.hpp"

namespace feedtune {
namespace {

class ResidentLoader final : public Loader {
 public:
  ResidentLoader(const TrialSetup& setup, HostAllocator& allocator)
      : pixels_(allocator.allocate(static_cast<std::size_t>(setup.loader.batch_size) * 3 * static_cast<std::size_t>(setup.data.image_size) *
                                   static_cast<std::size_t>(setup.data.image_size) * bytes_per_value(setup.loader.input_type))),
        labels_(static_cast<std::size_t>(setup.loader.batch_size)) {
    // Small finite values whatever the input type: a byte pattern read as float32 must not be NaN or denormal noise.
    if (setup.loader.input_type == InputType::float32) {
      auto* values = reinterpret_cast<float*>(pixels_.data());
      for (std::size_t i = 0; i < pixels_.size() / sizeof(float); ++i) values[i] = static_cast<float>(i % 251) / 125.0F - 1.0F;
    } else if (setup.loader.input_type == InputType::float16) {
      auto* values = reinterpret_cast<std::uint16_t*>(pixels_.data());  // bits of +-0.125 to +-0.25
      for (std::size_t i = 0; i < pixels_.size() / 2; ++i)
        values[i] = static_cast<std::uint16_t>((i % 2) << 15U | 0x3000U | (i % 251) << 2U);
    } else {
      for (std::size_t i = 0; i < pixels_.size(); ++i) pixels_.data()[i] = static_cast<std::byte>(i % 251);
    }
    for (std::size_t i = 0; i < labels_.size(); ++i) labels_[i] = static_cast<std::int32_t>(i % ImageList::classes);
  }

  Batch next() override {
    Batch batch;
    batch.index = index_++;
    batch.pixels = pixels_.bytes();
    batch.memory = pixels_.kind();
    batch.labels = labels_;
    batch.images = static_cast<int>(labels_.size());
    return batch;
  }
  void release(const Batch&) override {}
  WorkerSums totals() const override { return {}; }
  int ready() const override { return 1; }
  int capacity() const override { return 0; }
  std::uint64_t buffer_bytes() const override { return pixels_.size(); }

 private:
  HostBuffer pixels_;
  std::vector<std::int32_t> labels_;
  std::int64_t index_ = 0;
};

}  // namespace

std::unique_ptr<Loader> make_resident_loader(const TrialSetup& setup, HostAllocator& allocator) {
  return std::make_unique<ResidentLoader>(setup, allocator);
}

}  // namespace feedtune
