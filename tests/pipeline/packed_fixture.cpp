#include "packed_fixture.hpp"

#include <fstream>
#include <iterator>
#include <memory>

#include "core/error.hpp"
#include "loaders_fixture.hpp"
#include "pipeline/data_set.hpp"
#include "pipeline/image_list.hpp"

namespace feedtune::packed_test {

void write_pictures(const TemporaryFolder& folder, int count) {
  using Colour = test::JpegKind::Colour;
  for (int i = 0; i < count; ++i) {
    test::JpegKind kind{.width = 120 + 13 * (i % 5),
                        .height = 90 + 17 * (i % 7),
                        .progressive = i % 6 == 5,
                        .seed = static_cast<unsigned>(i)};
    if (i % 5 == 3) kind.horizontal = kind.vertical = 1;
    if (i % 7 == 4) {
      kind.colour = Colour::grey;
      kind.horizontal = kind.vertical = 1;
    }
    folder.write("images/" + std::string(i % 2 ? "b/" : "a/") + std::to_string(100 + i) + ".jpg", test::make_jpeg(kind));
  }
}

std::string in(const TemporaryFolder& folder, const std::string& name) { return (folder.path() / name).string(); }

PackOptions options_of(const TemporaryFolder& folder, const PackRecipe& recipe, const std::string& to) {
  PackOptions options;
  options.folder = in(folder, to);
  options.data = in(folder, "images");
  options.recipe = recipe;
  options.shard_bytes = 30'000;  // several shards
  return options;
}

std::vector<std::byte> read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

void write_bytes(const fs::path& path, std::span<const std::byte> bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::map<std::string, std::vector<std::byte>> contents(const fs::path& folder) {
  std::map<std::string, std::vector<std::byte>> all;
  for (const auto& entry : fs::directory_iterator(folder)) all[entry.path().filename().string()] = read_bytes(entry.path());
  return all;
}

LoaderSetup loader_setup(Storage storage, LoaderKind kind, int workers) {
  LoaderSetup setup;
  setup.decoder = "turbo";
  setup.batch_size = 4;
  setup.storage = storage;
  setup.kind = kind;
  setup.num_workers = workers;
  return setup;
}

Delivered deliver(const std::string& path, const LoaderSetup& setup, int steps, int image_size) {
  DataCache cache;
  DataSet data({.path = path, .seed = 5, .image_size = image_size}, setup, cache);
  const auto memory = std::make_shared<loader_test::CountingAllocator>(HostMemory::pageable);
  Delivered delivered;
  {
    const auto loader = make_loader(setup, data.parts(memory, memory));
    for (int step = 0; step < steps; ++step) {
      const Batch batch = loader->next();
      delivered.pixels.emplace_back(batch.pixels.begin(), batch.pixels.end());
      delivered.labels.insert(delivered.labels.end(), batch.labels.begin(), batch.labels.end());
      delivered.images += batch.images;
      loader->release(batch);
    }
  }
  delivered.notes = data.log().notes();
  return delivered;
}

std::string said_of(const std::string& path) {
  try {
    const ImageList list = ImageList::from_path(path);
    return "opens";
  } catch (const Error& error) {
    return error.what();
  }
}

PackOptions packed_pixels(const TemporaryFolder& folder) {
  for (int i = 0; i < 8; ++i)
    folder.write("images/a/" + std::to_string(i) + ".jpg", test::make_jpeg({.width = 120, .height = 100, .seed = static_cast<unsigned>(i)}));
  PackOptions options = options_of(folder, {.kind = PackKind::raw});
  options.shard_bytes = 1 << 24;
  pack(options);
  return options;
}

}  // namespace feedtune::packed_test
