// feedtune's own pipeline as run.py measures it: the loader alone, as a training loop would drive it (take a batch, give it
// back), with every phase being recorded as in a trial. With --pack, from a packed folder that `build` made. With --phases off
// an image has no clocks, counters, logs and no place in the activity board: what that saves is at least what recording costs.

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "child_protocol.hpp"
#include "core/enums.hpp"
#include "core/trial_setup.hpp"
#include "device/host_allocators.hpp"
#include "pipeline/data_set.hpp"
#include "pipeline/image_decoder.hpp"
#include "pipeline/image_list.hpp"
#include "pipeline/pack.hpp"
#include "pipeline/packed_picture.hpp"
#include "pipeline/preparer.hpp"
#include "pipeline/sampler.hpp"
#include "pipeline/transform.hpp"

namespace {

feedtune::LoaderSetup loader_setup(const peers::Arguments& arguments) {
  const auto resize = feedtune::enum_from_text<feedtune::Resize>(arguments.resize);
  if (!resize)
    throw std::runtime_error("--resize " + arguments.resize + ": accepted: " + feedtune::accepted_names<feedtune::Resize>());
  feedtune::LoaderSetup setup;
  setup.kind = feedtune::LoaderKind::pooled;
  setup.batch_size = peers::batch_size;
  setup.num_workers = arguments.workers;
  setup.ready_batches = 4;
  setup.decoder = "turbo";
  setup.input_type = feedtune::InputType::float32;
  setup.resize = *resize;
  if (!arguments.pack.empty()) setup.storage = feedtune::Storage::packed;
  return setup;
}

/// Raw records are whole pictures: FFCV's raw file holds those too, so the crops have the same pixels to read.
feedtune::PackRecipe recipe_of(const std::string& pack) {
  if (pack == "jpeg") return {.kind = feedtune::PackKind::jpeg};
  if (pack == "resized") return {.kind = feedtune::PackKind::resized, .side = 256, .quality = 90};
  if (pack == "raw") return {.kind = feedtune::PackKind::raw};
  throw std::runtime_error("--pack " + pack + ": accepted: jpeg, resized, raw");
}

/// The pipeline's own work without its clocks, counters and logs.
class BarePreparer final : public feedtune::ImagePreparer {
 public:
  BarePreparer(const feedtune::ImageList& list, const feedtune::LoaderSetup& setup)
      : list_(list), decoder_(feedtune::make_image_decoder(setup.decoder)),
        transform_({.side = peers::side, .output = setup.input_type, .resize = setup.resize, .threads = 1}) {}

  bool prepare(const feedtune::Sample& sample, std::span<std::byte> destination, feedtune::WorkerTotals&) override {
    const feedtune::Descriptor file(feedtune::open_data_file(list_, sample.image));
    struct stat facts {};
    if (!file || ::fstat(file.get(), &facts) != 0) throw std::runtime_error("a file cannot be opened");
    bytes_.resize(std::max(bytes_.size(), static_cast<std::size_t>(facts.st_size)));
    const std::span encoded(bytes_.data(), static_cast<std::size_t>(facts.st_size));
    if (::read(file.get(), encoded.data(), encoded.size()) != facts.st_size) throw std::runtime_error("a file cannot be read");
    const feedtune::Augmentation chosen = feedtune::augmentation(decoder_->read_header(encoded), sample.random);
    transform_.apply(decoder_->decode(chosen.crop), chosen.flip, destination);
    return true;
  }

 private:
  const feedtune::ImageList& list_;
  std::unique_ptr<feedtune::Decoder> decoder_;
  feedtune::Transform transform_;
  std::vector<std::byte> bytes_;
};

/// Throws for what it doesn't know.
bool without_phases(const peers::Arguments& arguments) {
  if (arguments.phases != "on" && arguments.phases != "off")
    throw std::runtime_error("--phases " + arguments.phases + ": accepted: on, off");
  if (arguments.phases == "off" && !arguments.pack.empty()) throw std::runtime_error("--phases off reads files: not with --pack");
  return arguments.phases == "off";
}

/// Batches one after the other; the images in them that have pixels.
class Training {
 public:
  explicit Training(const peers::Arguments& arguments)
      : setup_(loader_setup(arguments)), data_(data_setup(arguments), setup_, cache_) {
    const auto memory = std::make_shared<feedtune::PageableAllocator>();
    feedtune::LoaderParts parts = data_.parts(memory, memory);
    if (without_phases(arguments))
      parts.make_preparer = [this](int) { return std::make_unique<BarePreparer>(data_.list(), setup_); };
    loader_ = feedtune::make_loader(setup_, std::move(parts));
  }
  int take_batch() {
    const feedtune::Batch batch = loader_->next();
    loader_->release(batch);
    return batch.images;
  }

 private:
  static feedtune::DataSetup data_setup(const peers::Arguments& arguments) {
    const std::string& path = arguments.pack.empty() ? arguments.data : arguments.store;
    return {.path = path, .seed = 1, .image_size = peers::side};
  }

  feedtune::LoaderSetup setup_;
  feedtune::DataCache cache_;
  feedtune::DataSet data_;
  std::unique_ptr<feedtune::Loader> loader_;
};

void measure(const peers::Arguments& arguments) {
  const double loaded = peers::now_s();
  const peers::Events events(arguments.events);
  Training training(arguments);
  training.take_batch();
  events.first(peers::now_s(), loaded, "");
  const double warm_until = peers::now_s() + arguments.warmup;
  for (int warmed = 0; warmed < 8 || peers::now_s() < warm_until; ++warmed) training.take_batch();
  events.begin();
  const double begin = peers::now_s();
  std::int64_t images = 0;
  while (peers::now_s() - begin < arguments.seconds) images += training.take_batch();
  events.end(images, peers::now_s() - begin);
}

void build(const peers::Arguments& arguments) {
  if (std::filesystem::exists(arguments.store + "/pack.index")) return;
  feedtune::pack({.folder = arguments.store, .data = arguments.data, .recipe = recipe_of(arguments.pack)});
}

void check(const peers::Arguments& arguments) {
  const auto setup = loader_setup(arguments);
  feedtune::PackedPicture record(recipe_of(arguments.pack.empty() ? "jpeg" : arguments.pack));
  const auto decoder = feedtune::make_image_decoder(setup.decoder);
  feedtune::Transform transform({.side = peers::side, .output = setup.input_type, .resize = setup.resize, .threads = 1});
  peers::write_check(arguments, [&](const peers::BoxEntry& entry, float* values) {
    std::ifstream file(entry.path, std::ios::binary);
    const std::vector<char> encoded{std::istreambuf_iterator<char>(file), {}};
    decoder->read_header(record.make(std::as_bytes(std::span(encoded))).bytes);
    const auto image = decoder->decode({entry.left, entry.top, entry.width, entry.height});
    transform.apply(image, false, std::as_writable_bytes(std::span(values, peers::image_values)));
  });
}

}  // namespace

int main(int argc, char** argv) try {
  const auto arguments = peers::parse_arguments(argc, argv);
  if (arguments.command == "measure") measure(arguments);
  else if (arguments.command == "check") check(arguments);
  else if (arguments.command == "build") build(arguments);
  else throw std::runtime_error("unknown command " + arguments.command + " (accepted: measure, check, build)");
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "peers-feedtune: %s\n", error.what());
  return 1;
}
