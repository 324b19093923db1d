// feedtune's own pipeline as run.py measures it: the loader alone, as a training loop would drive it (take a batch, give it
// back), with every phase being recorded as in a trial.

#include <cstdio>
#include <exception>
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
  return setup;
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
    return {.path = arguments.data, .seed = 1, .image_size = peers::side};
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

void check(const peers::Arguments& arguments) {
  const auto setup = loader_setup(arguments);
  const auto decoder = feedtune::make_image_decoder(setup.decoder);
  feedtune::Transform transform({.side = peers::side, .output = setup.input_type, .resize = setup.resize, .threads = 1});
  peers::write_check(arguments, [&](const peers::BoxEntry& entry, float* values) {
    std::ifstream file(entry.path, std::ios::binary);
    const std::vector<char> encoded{std::istreambuf_iterator<char>(file), {}};
    decoder->read_header(std::as_bytes(std::span(encoded)));
    const auto image = decoder->decode({entry.left, entry.top, entry.width, entry.height});
    transform.apply(image, false, std::as_writable_bytes(std::span(values, peers::image_values)));
  });
}

}  // namespace

int main(int argc, char** argv) try {
  const auto arguments = peers::parse_arguments(argc, argv);
  if (arguments.command == "measure") measure(arguments);
  else if (arguments.command == "check") check(arguments);
  else throw std::runtime_error("unknown command " + arguments.command + " (accepted: measure, check)");
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "peers-feedtune: %s\n", error.what());
  return 1;
}
