// The work of one phase of the image pipeline, for instructions.py to count under callgrind: each image once to warm
// up, then once more inside counted(), whose instructions are the ones that callgrind collects.
//   instruction-count PHASE FOLDER      PHASE: decode, antialias, linear, image
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/crop.hpp"
#include "pipeline/image_decoder.hpp"
#include "pipeline/image_preparer.hpp"
#include "pipeline/resample_kernels.hpp"
#include "pipeline/sampler.hpp"

using namespace feedtune;

/// Named on callgrind's command line.
extern "C" __attribute__((noinline)) void counted(const std::function<void()>& work) {
  work();
  asm volatile("");  // no tail call, or the function would be left before the work is done
}

namespace {

struct Decoded {
  Decoded(ImageSource& source, Decoder& decoder, std::size_t image) {
    const ImageSize size = decoder.read_header(source.fetch(image).bytes);
    const Augmentation chosen = augmentation(size, image);
    pixels = decoder.decode(chosen.crop);
    flip = chosen.flip;
  }
  DecodedImage pixels;
  bool flip = false;
};

void decode(const ImageList& list, const std::shared_ptr<const MemoryStore>& store) {
  const auto source = make_memory_source(store);
  const auto decoder = make_image_decoder("turbo");
  for (const bool count : {false, true})
    for (std::size_t image = 0; image < list.size(); ++image) {
      const std::function<void()> work = [&] { const Decoded decoded(*source, *decoder, image); };
      count ? counted(work) : work();
    }
}

void transform(const ImageList& list, const std::shared_ptr<const MemoryStore>& store, Resize resize) {
  const auto source = make_memory_source(store);
  const auto decoder = make_image_decoder("turbo");
  Transform transform({.output = InputType::float32, .resize = resize});
  std::vector<std::byte> output(transform.output_bytes());
  for (const bool count : {false, true})
    for (std::size_t image = 0; image < list.size(); ++image) {
      const Decoded decoded(*source, *decoder, image);
      const std::function<void()> work = [&] { transform.apply(decoded.pixels, decoded.flip, output); };
      count ? counted(work) : work();
    }
}

/// All that a worker does for an image: read the file, decode, transform, and the clocks and counters around them.
void image(const ImageList& list) {
  FileLog log;
  ActivityBoard board;
  const TransformOptions options{.output = InputType::float32};
  const auto preparer = make_image_preparer({.list = &list,
                                             .log = &log,
                                             .activity = &board.join(0),
                                             .source = make_file_source(list),
                                             .decoder = make_image_decoder("turbo"),
                                             .transform = options});
  std::vector<std::byte> output(Transform(options).output_bytes());
  WorkerTotals totals;
  for (const bool count : {false, true})
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Sample sample{.image = i, .random = i};
      const std::function<void()> work = [&] { preparer->prepare(sample, output, totals); };
      count ? counted(work) : work();
    }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: instruction-count decode|antialias|linear|image FOLDER\n";
    return 2;
  }
  try {
    const std::string phase = argv[1];
    const ImageList list = ImageList::from_path(argv[2]);
    const auto store = std::make_shared<const MemoryStore>(list, std::nullopt);
    if (phase == "decode") decode(list, store);
    else if (phase == "antialias") transform(list, store, Resize::antialias);
    else if (phase == "linear") transform(list, store, Resize::linear);
    else if (phase == "image") image(list);
    else throw std::invalid_argument("unknown phase '" + phase + "' (accepted: decode, antialias, linear, image)");
    std::cout << list.size() << ' ' << kernel_target() << '\n';
  } catch (const std::exception& error) {
    std::cerr << "instruction-count: " << error.what() << '\n';
    return 1;
  }
}
