#include "pipeline/image_preparer.hpp"

#include <algorithm>
#include <cassert>

#include "measure/profiler_range.hpp"
#include "measure/thread_cpu_time.hpp"
#include "pipeline/image_error.hpp"

namespace feedtune {
namespace {

/// The owner is the counter's only writer, so no read-modify-write is needed.
void add(WorkerTotals::Counter& counter, std::int64_t value) {
  counter.store(counter.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
}

class PipelinePreparer final : public ImagePreparer {
 public:
  explicit PipelinePreparer(PreparerParts parts) : parts_(std::move(parts)), transform_(parts_.transform) {}

  bool prepare(const Sample& sample, std::span<std::byte> destination, WorkerTotals& totals) override {
    assert(destination.size() == transform_.output_bytes());
    const Nanoseconds start = clock_.now();
    parts_.activity->begin(sample.image, start);
    const bool done = attempt(sample, destination, totals, start);
    if (!done) std::fill(destination.begin(), destination.end(), std::byte{0});
    parts_.activity->enter(WorkerPhase::idle);
    return done;
  }

  void expect(const Sample& sample) override { parts_.source->expect(sample.image); }

 private:
  bool attempt(const Sample& sample, std::span<std::byte> destination, WorkerTotals& totals, Nanoseconds start) {
    const std::string_view name = parts_.list->name(sample.image);
    try {
      const EncodedImage encoded = parts_.source->fetch(sample.image);
      add(totals.open, encoded.open.count());
      add(totals.read, encoded.read.count());
      add(totals.bytes_read, static_cast<std::int64_t>(encoded.bytes.size()));

      parts_.activity->enter(WorkerPhase::decode);
      bool flip = false;
      const DecodedImage image = decode(encoded, sample.random, flip, totals);

      parts_.activity->enter(WorkerPhase::transform);
      const ProfilerRange range("transform");
      const Nanoseconds decoded = clock_.now();
      transform_.apply(image, flip, destination);
      const Nanoseconds end = clock_.now();
      if (const std::string why = parts_.source->lost(sample.image); !why.empty()) throw ImageError(why);
      add(totals.transform, (end - decoded).count());
      add(totals.images, 1);
      if (!image.warning.empty()) {
        add(totals.damaged, 1);
        parts_.log->damaged(name, image.warning, end - start);
      }
      parts_.log->took(name, end - start);
      return true;
    } catch (const ImageError& error) {
      // What a decoder says of bytes that vanished under it is not the reason.
      const std::string why = parts_.source->lost(sample.image);
      add(totals.failed, 1);
      parts_.log->failed(name, why.empty() ? error.what() : why, clock_.now() - start);
      return false;
    }
  }

  DecodedImage decode(const EncodedImage& encoded, std::uint64_t random, bool& flip, WorkerTotals& totals) {
    const ProfilerRange range("decode");
    const Nanoseconds start = clock_.now();
    const Nanoseconds cpu_start = thread_cpu_time();
    const ImageSize size = parts_.decoder->read_header(encoded.bytes);
    const Augmentation chosen = augmentation(size, random);
    flip = chosen.flip;
    const DecodedImage image = parts_.decoder->decode(chosen.crop);
    add(totals.decode_cpu, (thread_cpu_time() - cpu_start).count());
    add(totals.decode, (clock_.now() - start).count());
    return image;
  }

  PreparerParts parts_;
  Transform transform_;
  SteadyClock clock_;
};

}  // namespace

std::unique_ptr<ImagePreparer> make_image_preparer(PreparerParts parts) {
  return std::make_unique<PipelinePreparer>(std::move(parts));
}

}  // namespace feedtune
