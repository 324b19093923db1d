// feedtune's own pipeline as run.py measures it: the loader alone, as a training loop would drive it (take a batch, give it
// back), with every phase being recorded as in a trial. With --pack, from a packed folder that `build` made.

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
#include "pipeline/pack.hpp"
#include "pipeline/packed_picture.hpp"
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

/// Batches one after the other; the images in them that have pixels.
class Training {
 public:
  explicit Training(const peers::Arguments& arguments)
      : setup_(loader_setup(arguments)), data_(data_setup(arguments), setup_, cache_) {
    const auto memory = std::make_shared<feedtune::PageableAllocator>();
    loader_ = feedtune::make_loader(setup_, data_.parts(memory, memory));
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
