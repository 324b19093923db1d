// A packed folder: the same data as the files it was made of, one clear error for anything that isn't whole, and nothing
// left of a pack that did not come to its end.

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "core/error.hpp"
#include "image_jpeg_fixture.hpp"
#include "loaders_fixture.hpp"
#include "pipeline/crc32.hpp"
#include "pipeline/data_set.hpp"
#include "pipeline/image_decoder.hpp"
#include "pipeline/image_error.hpp"
#include "pipeline/pack.hpp"
#include "pipeline/packed_folder.hpp"
#include "pipeline/packed_picture.hpp"
#include "pipeline/packed_store.hpp"
#include "pipeline/packed_verify.hpp"

namespace feedtune {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

/// Photographs' kinds in two classes, of 90 to 180 pixels.
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

PackOptions options_of(const TemporaryFolder& folder, const PackRecipe& recipe = {}, const std::string& to = "packed") {
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

/// Name -> content of every file.
std::map<std::string, std::vector<std::byte>> contents(const fs::path& folder) {
  std::map<std::string, std::vector<std::byte>> all;
  for (const auto& entry : fs::directory_iterator(folder)) all[entry.path().filename().string()] = read_bytes(entry.path());
  return all;
}

LoaderSetup loader_setup(Storage storage, LoaderKind kind = LoaderKind::pooled, int workers = 0) {
  LoaderSetup setup;
  setup.decoder = "turbo";
  setup.batch_size = 4;
  setup.storage = storage;
  setup.kind = kind;
  setup.num_workers = workers;
  return setup;
}

struct Delivered {
  std::vector<std::vector<std::byte>> pixels;  ///< of each batch
  std::vector<std::int32_t> labels;
  std::vector<FileNote> notes;
  int images = 0;
};

Delivered deliver(const std::string& path, const LoaderSetup& setup, int steps = 11, int image_size = 40) {
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

/// What opening says, or "opens".
std::string said_of(const std::string& path) {
  try {
    const ImageList list = ImageList::from_path(path);
    return "opens";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(PackedCrc32, IsTheOneOfTheStandardInAnyPieces) {
  const std::string text = "123456789";  // whose CRC-32 is in every description of it
  const auto bytes = test::bytes_of(text);
  EXPECT_EQ(crc32(bytes), 0xcbf43926u);
  EXPECT_EQ(crc32({}), 0u);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut)
    EXPECT_EQ(crc32(bytes.subspan(cut), crc32(bytes.first(cut))), 0xcbf43926u);
  // python3 -c 'import zlib; print(hex(zlib.crc32(bytes(i * 7 % 251 for i in range(1000)))))'
  std::vector<std::byte> many(1000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<std::byte>(i * 7 % 251);
  EXPECT_EQ(crc32(many), 0x04da8651u);
}

TEST(PackedCrc32, OfZerosItIsThatOfAllOfThemReadOneByOne) {
  const std::vector<std::byte> zeros(5000);
  for (const std::size_t count : {0, 1, 2, 63, 64, 1000, 4097, 5000})
    for (const std::uint32_t before : {0u, 0xcbf43926u})
      EXPECT_EQ(crc32_of_zeros(count, before), crc32(std::span(zeros).first(count), before)) << count;
}

TEST(Packed, JpegPackDeliversTheSameBatchesAsTheFiles) {
  TemporaryFolder folder;
  write_pictures(folder, 17);
  folder.write("images/b/bad.jpg", "nonsense");
  folder.write("images/b/empty.jpg", "");
  pack(options_of(folder));
  ASSERT_TRUE(fs::exists(in(folder, "packed/shard-00001")));
  const Delivered files = deliver(in(folder, "images"), loader_setup(Storage::files));
  EXPECT_NE(files.pixels[0], files.pixels[1]);
  for (const LoaderKind kind : {LoaderKind::batch_per_worker, LoaderKind::pooled})
    for (const int workers : {0, 1, 3})
      for (const Storage storage : {Storage::packed, Storage::files, Storage::memory}) {
        const Delivered packed = deliver(in(folder, "packed"), loader_setup(storage, kind, workers));
        EXPECT_TRUE(packed.pixels == files.pixels) << workers << " workers, " << to_text(storage);
        EXPECT_EQ(packed.labels, files.labels);
        EXPECT_EQ(packed.images, files.images);
        std::set<std::string> reasons;
        for (const FileNote& note : packed.notes)
          if (note.reason != "slow") reasons.insert(note.path + " " + note.reason);
        EXPECT_EQ(reasons, (std::set<std::string>{"b/bad.jpg failed: not an image (starts with 6e 6f 6e 73 65 6e 73 65)",
                                                  "b/empty.jpg failed: empty file"}));
      }
}

TEST(Packed, NamesLabelsAndDigestAreThoseOfTheOriginals) {
  TemporaryFolder folder;
  write_pictures(folder, 9);
  folder.write("lists/train.txt", "../images/b/101.jpg\t7\n../images/a/100.jpg\t999\n" + in(folder, "images/a/104.jpg") + "\n");
  for (const std::string data : {"images", "lists/train.txt"}) {
    PackOptions options = options_of(folder, {}, "packed-" + std::to_string(data.size()));
    options.data = in(folder, data);
    const PackSummary summary = pack(options);
    const ImageList originals = ImageList::from_path(options.data);
    const ImageList packed = ImageList::from_path(options.folder);
    ASSERT_EQ(packed.size(), originals.size());
    for (std::size_t i = 0; i < packed.size(); ++i) {
      const fs::path listed(originals.name(i));  // a name that leads out of the list's folder begins where all images are
      EXPECT_EQ(packed.name(i), data == "images" ? listed.string() : (listed.parent_path().filename() / listed.filename()).string());
      EXPECT_EQ(packed.label(i), originals.label(i));
    }
    const DataFacts facts = packed.facts();
    EXPECT_EQ(facts.digest, originals.facts().digest) << "compared with a run on the files, it is the same data";
    EXPECT_EQ(facts.bytes, originals.facts().bytes);
    EXPECT_EQ(facts.layout, originals.facts().layout);
    EXPECT_EQ(summary.source_bytes, static_cast<std::uint64_t>(facts.bytes));
    EXPECT_TRUE(facts.notes.back().starts_with("packed: jpeg; ")) << facts.notes.back();
    EXPECT_EQ(packed.originals_missing(), "");
  }
}

TEST(Packed, AProgramThatKnowsOnlyTheDocumentedFormatReadsTheSame) {
  if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP() << "no python3 here";
  TemporaryFolder folder;
  write_pictures(folder, 11);
  folder.write("images/b/empty.jpg", "");
  const PackOptions options = options_of(folder);
  pack(options);
  const std::string script = (fs::path(FEEDTUNE_SOURCE_DIR) / "tests/pipeline/read_pack.py").string();
  const std::string out = in(folder, "out");
  ASSERT_EQ(std::system(("python3 '" + script + "' '" + options.folder + "' >'" + out + "'").c_str()), 0);
  ASSERT_EQ(std::system(("cd '" + options.data + "' && sha256sum a/* b/* >'" + out + "-files'").c_str()), 0);
  std::map<std::string, std::string> digests;
  std::ifstream files(out + "-files");
  for (std::string digest, name; files >> digest >> name;) digests[name] = digest;
  const ImageList originals = ImageList::from_path(options.data);
  std::ifstream lines(out);
  for (std::size_t i = 0; i < originals.size(); ++i) {
    std::string name, digest;
    std::int32_t label = 0;
    std::uintmax_t bytes = 0;
    int failed = 0;
    ASSERT_TRUE(lines >> name >> label >> bytes >> failed >> digest);
    EXPECT_EQ(name, originals.name(i));
    EXPECT_EQ(label, originals.label(i));
    EXPECT_EQ(failed, name == "b/empty.jpg" ? 1 : 0);
    if (failed != 0) continue;
    EXPECT_EQ(bytes, fs::file_size(fs::path(options.data) / name));
    EXPECT_EQ(digest, digests.at(name));
  }
  std::string word, layout, digest;
  int kind = -1, side = -1, quality = -1;
  std::int64_t bytes = 0, skipped = -1;
  ASSERT_TRUE(lines >> word >> kind >> side >> quality >> bytes >> skipped >> layout >> digest);
  EXPECT_EQ(bytes, originals.facts().bytes);
  EXPECT_EQ(layout, "classes");
  EXPECT_EQ(digest, originals.facts().digest);
}

TEST(Packed, ReadingCopiesNothing) {
  TemporaryFolder folder;
  write_pictures(folder, 5);
  pack(options_of(folder));
  const auto store = std::make_shared<const PackedStore>(in(folder, "packed"), read_packed_index(in(folder, "packed")));
  const auto one = make_packed_source(store), two = make_packed_source(store);
  for (std::size_t i = 0; i < store->size(); ++i) {
    const EncodedImage image = one->fetch(i);
    EXPECT_EQ(image.bytes.data(), two->fetch(i).bytes.data());
    EXPECT_EQ(image.bytes.data(), store->bytes(i).data());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(image.bytes.data()) % packed_alignment, 0u);
    EXPECT_EQ(image.open.count(), 0);
  }
}

TEST(Packed, RawAtFullSizeDeliversTheSamePixelsAsTheFiles) {
  TemporaryFolder folder;
  write_pictures(folder, 13);
  folder.write("images/b/bad.jpg", "nonsense");
  const PackSummary summary = pack(options_of(folder, {.kind = PackKind::raw}));
  EXPECT_EQ(summary.failed, 1);
  EXPECT_EQ(summary.first_failure, "b/bad.jpg: not an image (starts with 6e 6f 6e 73 65 6e 73 65)");
  const Delivered files = deliver(in(folder, "images"), loader_setup(Storage::files));
  for (const char* decoder : {"turbo", "turbo_full"})
    for (const int workers : {0, 2}) {
      LoaderSetup setup = loader_setup(Storage::packed, LoaderKind::pooled, workers);
      setup.decoder = decoder;
      const Delivered raw = deliver(in(folder, "packed"), setup);
      EXPECT_TRUE(raw.pixels == files.pixels) << decoder;
      EXPECT_EQ(raw.labels, files.labels);
      EXPECT_EQ(raw.notes.front().reason, "failed: not an image (starts with 6e 6f 6e 73 65 6e 73 65)");
    }
}

/// One output value of an antialiased resize in double precision: the triangle filter as torchvision describes it,
/// widened by the scale.
double reference_value(const std::vector<double>& line, int output_size, int at) {
  const double scale = static_cast<double>(line.size()) / output_size;
  const double support = std::max(scale, 1.0), centre = (at + 0.5) * scale;
  double sum = 0, weights = 0;
  for (int i = 0; i < static_cast<int>(line.size()); ++i) {
    const double weight = std::max(0.0, 1 - std::abs(i + 0.5 - centre) / support);
    sum += weight * line[static_cast<std::size_t>(i)];
    weights += weight;
  }
  return sum / weights;
}

std::vector<double> reference_resize(const DecodedImage& image, int width, int height) {
  std::vector<double> narrow(static_cast<std::size_t>(width) * 3 * static_cast<std::size_t>(image.height));
  std::vector<double> line(static_cast<std::size_t>(image.width));
  const auto at = [width](int row, int x, int channel) {
    return (static_cast<std::size_t>(row) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)) * 3 + static_cast<std::size_t>(channel);
  };
  for (int row = 0; row < image.height; ++row)
    for (int channel = 0; channel < 3; ++channel) {
      for (int x = 0; x < image.width; ++x)
        line[static_cast<std::size_t>(x)] = image.pixels[static_cast<std::size_t>(row) * image.row_bytes + static_cast<std::size_t>(3 * x + channel)];
      for (int x = 0; x < width; ++x) narrow[at(row, x, channel)] = reference_value(line, width, x);
    }
  std::vector<double> result(static_cast<std::size_t>(width) * 3 * static_cast<std::size_t>(height));
  line.resize(static_cast<std::size_t>(image.height));
  for (int x = 0; x < width; ++x)
    for (int channel = 0; channel < 3; ++channel) {
      for (int row = 0; row < image.height; ++row) line[static_cast<std::size_t>(row)] = narrow[at(row, x, channel)];
      for (int row = 0; row < height; ++row) result[at(row, x, channel)] = reference_value(line, height, row);
    }
  return result;
}

TEST(Packed, ShrunkPixelsAreWithinOneLevelAndAHalfOfAnExactResize) {
  for (const auto& [width, height, side] : {std::tuple{200, 160, 100}, {157, 301, 64}, {640, 100, 33}, {90, 90, 89}}) {
    const auto jpeg = test::make_jpeg({.width = width, .height = height, .seed = static_cast<unsigned>(side)});
    const auto decoder = make_image_decoder("turbo_full");
    decoder->read_header(jpeg);
    const DecodedImage whole = decoder->decode({0, 0, width, height});
    PackedPicture picture({.kind = PackKind::raw, .side = side});
    const auto record = picture.make(jpeg).bytes;
    const ImageSize size = raw_size(record);
    EXPECT_EQ(std::min(size.width, size.height), side);
    EXPECT_EQ(std::max(size.width, size.height), side * std::max(width, height) / std::min(width, height));
    EXPECT_EQ(size.width < size.height, width < height);
    const auto expected = reference_resize(whole, size.width, size.height);
    ASSERT_EQ(record.size(), raw_header_bytes + expected.size());
    double worst = 0, sum = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double difference = std::abs(static_cast<double>(record[raw_header_bytes + i]) - expected[i]);
      worst = std::max(worst, difference);
      sum += difference;
    }
    EXPECT_LT(worst, 1.5) << width << " x " << height;  // two roundings to whole levels
    EXPECT_LT(sum / static_cast<double>(expected.size()), 0.5);
  }
}

TEST(Packed, SmallPicturesAreNeverEnlargedAndKeepTheirBytes) {
  const auto jpeg = test::make_jpeg({.width = 90, .height = 70});
  PackedPicture resized({.kind = PackKind::resized, .side = 70, .quality = 90});
  const auto kept = resized.make(jpeg).bytes;
  EXPECT_TRUE(std::equal(kept.begin(), kept.end(), jpeg.begin(), jpeg.end()));
  PackedPicture raw({.kind = PackKind::raw, .side = 500});
  EXPECT_EQ(raw_size(raw.make(jpeg).bytes).width, 90);
  PackedPicture smaller({.kind = PackKind::resized, .side = 69, .quality = 90});
  const auto made = smaller.make(jpeg).bytes;
  const ImageSize size = make_image_decoder("turbo")->read_header(made);
  EXPECT_EQ(size.height, 69);
  EXPECT_EQ(size.width, 88);  // 90 * 69 / 70, rounded down
}

double mean_difference(const Delivered& a, const Delivered& b) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t batch = 0; batch < a.pixels.size(); ++batch)
    for (std::size_t i = 0; i < a.pixels[batch].size(); ++i, ++count)
      sum += std::abs(static_cast<double>(a.pixels[batch][i]) - static_cast<double>(b.pixels[batch][i]));
  return sum / static_cast<double>(count);
}

TEST(Packed, ShrunkPacksDeliverNearlyTheSamePictures) {
  TemporaryFolder folder;
  for (int i = 0; i < 12; ++i)
    folder.write("images/a/" + std::to_string(i) + ".jpg",
                 test::make_jpeg({.width = 300 + 10 * i, .height = 330 - 5 * i, .quality = 95, .seed = static_cast<unsigned>(i)}));
  pack(options_of(folder, {.kind = PackKind::raw, .side = 150}, "raw"));
  pack(options_of(folder, {.kind = PackKind::resized, .side = 150, .quality = 95}, "resized"));
  const Delivered files = deliver(in(folder, "images"), loader_setup(Storage::files), 6, 32);
  const Delivered raw = deliver(in(folder, "raw"), loader_setup(Storage::packed), 6, 32);
  const Delivered resized = deliver(in(folder, "resized"), loader_setup(Storage::packed), 6, 32);
  EXPECT_EQ(raw.labels, files.labels);
  EXPECT_LT(mean_difference(raw, files), 6.0);  // of 255 levels: the crop is rounded to pixels twice as large
  EXPECT_LT(mean_difference(resized, files), 7.0);
  EXPECT_LT(mean_difference(resized, raw), 4.0);
}

TEST(Packed, BytesDependOnTheDataAloneNotOnTheThreads) {
  TemporaryFolder folder;
  write_pictures(folder, 23);
  for (const PackRecipe& recipe : {PackRecipe{}, PackRecipe{PackKind::resized, 80, 85}, PackRecipe{PackKind::raw, 80, 0}}) {
    PackOptions one = options_of(folder, recipe, "one"), four = options_of(folder, recipe, "four");
    one.threads = 1;
    four.threads = 4;
    pack(one);
    pack(four);
    EXPECT_TRUE(contents(one.folder) == contents(four.folder)) << to_text(recipe.kind);
    EXPECT_GT(contents(one.folder).size(), 4u);
    EXPECT_FALSE(fs::exists(in(folder, "one/pack.unfinished")));
    fs::remove_all(one.folder);
    fs::remove_all(four.folder);
  }
}

TEST(Packed, CutOffAtAnyByteItIsOneErrorThatNamesTheFile) {
  TemporaryFolder folder;
  write_pictures(folder, 2);
  PackOptions options = options_of(folder);
  options.shard_bytes = 1;  // one image a shard
  pack(options);
  EXPECT_EQ(said_of(options.folder), "opens");
  for (const std::string name : {"shard-00000", "shard-00001", "pack.index"}) {
    const fs::path path = fs::path(options.folder) / name;
    const auto whole = read_bytes(path);
    for (std::size_t bytes = 0; bytes < whole.size(); bytes += bytes < 1000 ? 1 : 37) {
      write_bytes(path, std::span(whole).first(bytes));
      const std::string said = said_of(options.folder);
      EXPECT_TRUE(said.starts_with(path.string() + ": ")) << bytes << " " << said;
      if (bytes < 12) continue;
      EXPECT_TRUE(said.starts_with(path.string() + ": cut off: " + std::to_string(bytes) + " bytes, want ")) << said;
    }
    auto longer = whole;
    longer.push_back(std::byte{0});
    write_bytes(path, longer);
    EXPECT_NE(said_of(options.folder).find(": too long: "), std::string::npos);
    write_bytes(path, whole);
  }
  EXPECT_EQ(said_of(options.folder), "opens");
}

TEST(Packed, AnyChangedByteOfTheIndexOrOfAShardsHeaderIsFound) {
  TemporaryFolder folder;
  write_pictures(folder, 2);
  const PackOptions options = options_of(folder);
  pack(options);
  for (const std::string name : {"pack.index", "shard-00000"}) {
    const fs::path path = fs::path(options.folder) / name;
    const auto whole = read_bytes(path);
    const std::size_t checked = name == "pack.index" ? whole.size() : packed_shard_header_bytes;
    for (std::size_t at = 0; at < checked; ++at) {
      auto changed = whole;
      changed[at] ^= std::byte{0x10};
      write_bytes(path, changed);
      const std::string said = said_of(options.folder);
      EXPECT_TRUE(said.starts_with(path.string() + ": ")) << at << " " << said;
      if (at >= 12) continue;
      const std::string magic = name == "pack.index" ? "not the index of a packed folder" : "not a shard of a packed folder";
      EXPECT_NE(said.find(at < 8 ? magic : "this feedtune reads version 1"), std::string::npos) << said;
    }
    write_bytes(path, whole);
  }
}

/// Bytes that are wrong although their checksums are right, as only a program that means harm writes them.
TEST(Packed, AnIndexMadeToDeceiveNeverReachesBeyondAShard) {
  TemporaryFolder folder;
  write_pictures(folder, 6);
  const PackOptions options = options_of(folder);
  pack(options);
  const fs::path path = fs::path(options.folder) / "pack.index";
  const auto whole = read_bytes(path);
  const auto put_crc = [](std::vector<std::byte>& file, std::size_t at, std::uint32_t crc) {
    for (std::size_t i = 0; i < 4; ++i) file[at + i] = static_cast<std::byte>(crc >> (8 * i));
  };
  std::mt19937 random(7);
  int opened = 0;
  for (int round = 0; round < 3000; ++round) {
    auto file = whole;
    for (int change = 0; change < 1 + round % 3; ++change) file[random() % (file.size() - 8) + 8] = static_cast<std::byte>(random());
    put_crc(file, 88, crc32(std::span(file).subspan(96)));
    put_crc(file, 92, crc32(std::span(file).first(92)));
    try {
      const PackedIndex index = decode_index(file, "index");
      for (const PackedShard& shard : index.shards)
        for (std::uint64_t i = shard.first_image; i < shard.first_image + shard.images; ++i)
          ASSERT_LE(index.records.at(i).offset + index.records.at(i).length, shard.bytes);
      ++opened;
    } catch (const InputError&) {
    }
  }
  EXPECT_GT(opened, 100) << "names, labels and checksums may be anything";
}

TEST(Packed, AnIndexOfNoImageIsRefusedWithItsName) {
  TemporaryFolder folder;
  PackedIndex index;
  index.source.layout = "flat";
  index.source.digest = "fnv1a64:0000000000000000";
  folder.write("packed/pack.index", encode_index(index));
  EXPECT_EQ(said_of(in(folder, "packed")), in(folder, "packed/pack.index") + ": holds no image");
}

/// An index with right sums whatever is changed in it.
std::string said_of_index(const PackOptions& options, const std::function<void(PackedIndex&)>& change) {
  const fs::path path = fs::path(options.folder) / "pack.index";
  const auto whole = read_bytes(path);
  PackedIndex index = read_packed_index(options.folder);
  change(index);
  write_bytes(path, encode_index(index));
  std::string said = said_of(options.folder);
  write_bytes(path, whole);
  if (said.starts_with(path.string() + ": inconsistent: ")) said = said.substr(path.string().size() + 16);
  return said;
}

TEST(Packed, NamesThatLeadOutOfTheOriginalsFolderAreRefused) {
  TemporaryFolder folder;
  write_pictures(folder, 3);
  const PackOptions options = options_of(folder);
  pack(options);
  const auto named = [&](const std::string& name) {
    return said_of_index(options, [&](PackedIndex& index) { index.names.replace(0, index.names.find('\0'), name); });
  };
  EXPECT_EQ(named("a/..b/.c/d e"), "opens");
  for (const std::string name : {"", "/etc/hostname", "..", "../x", "a/../../x", "a/..", "./x", "a//x", "a/", "\x1b[2J/.."})
    EXPECT_TRUE(named(name).starts_with("the name \"")) << name << ": " << named(name);
  EXPECT_EQ(named("\x1b/.."), "the name \" /..\", want one inside the originals' folder");
  EXPECT_EQ(named(std::string(5000, 'x')).substr(0, 10), "the name \"");
}

TEST(Packed, NumbersAndTextThatNoPackHasAreRefused) {
  TemporaryFolder folder;
  write_pictures(folder, 3);
  const PackOptions options = options_of(folder);
  pack(options);
  const auto said = [&](const std::function<void(PackedIndex&)>& change) { return said_of_index(options, change); };
  EXPECT_EQ(said([](PackedIndex&) {}), "opens");
  EXPECT_NE(said([](PackedIndex& index) { index.source.bytes = std::numeric_limits<std::int64_t>::max() - 1; }), "opens");
  EXPECT_NE(said([](PackedIndex& index) { index.source.skipped = std::numeric_limits<std::int64_t>::max() - 1; }), "opens");
  EXPECT_EQ(said([](PackedIndex& index) { index.source.notes.push_back("skipped 1 (first: \xff\x1b)"); }), "opens")
      << "names in notes are written as text";
  EXPECT_NE(said([](PackedIndex& index) { index.recipe.quality = 90; }), "opens") << "JPEGs as they are have none";
  EXPECT_NE(said([](PackedIndex& index) { index.records[1].source_bytes += 1; }), "opens") << "the file as it is";
  EXPECT_NE(said([](PackedIndex& index) { index.shards[0].bytes += packed_alignment; }), "opens") << "room that no sum covers";
  EXPECT_NE(said([](PackedIndex& index) { index.shards[0].bytes = std::uint64_t{4} << 40; }), "opens");

  auto file = read_bytes(fs::path(options.folder) / "pack.index");
  for (std::size_t i = 0; i < 4; ++i) file[file.size() - 2 - i] = std::byte{0xff};  // in the last note
  const auto put = [&](std::size_t at, std::uint32_t crc) { std::memcpy(file.data() + at, &crc, 4); };  // tests run little-endian
  put(88, crc32(std::span(file).subspan(96)));
  put(92, crc32(std::span(file).first(92)));
  try {
    decode_index(file, "index");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "index: inconsistent: its last part is not UTF-8 text");
  }
}

/// Files of a tebibyte that take no room, as a mistake or somebody else makes them.
TEST(Packed, AHugeFileThatIsNoIndexIsToldApartAtOnceAndInLittleMemory) {
  TemporaryFolder folder;
  write_pictures(folder, 3);
  const PackOptions options = options_of(folder);
  pack(options);
  const fs::path path = fs::path(options.folder) / "pack.index";
  const auto whole = read_bytes(path);
  constexpr std::uintmax_t huge = std::uintmax_t{1} << 40;
  write_bytes(path, {});
  fs::resize_file(path, huge);
  EXPECT_EQ(said_of(options.folder), path.string() + ": not the index of a packed folder");
  write_bytes(path, whole);
  fs::resize_file(path, huge);
  EXPECT_EQ(said_of(options.folder), fmt::format("{}: too long: {} bytes, want {}", path.string(), huge, whole.size()));

  // A header with right sums that asks for all of it.
  auto header = std::vector<std::byte>(whole.begin(), whole.begin() + packed_index_header_bytes);
  const auto put = [&](std::size_t at, std::uint64_t value, std::size_t size) { std::memcpy(header.data() + at, &value, size); };
  constexpr std::uint64_t images = std::uint64_t{1} << 26, names = 4 * images;
  constexpr std::uint64_t bytes = packed_index_header_bytes + 24 + 32 * images + names + 10;
  put(32, 1, 8);
  put(40, images, 8);
  put(48, names, 8);
  put(56, 10, 8);
  put(80, bytes, 8);
  put(92, crc32(std::span(header).first(92)), 4);
  write_bytes(path, header);
  fs::resize_file(path, bytes);
  EXPECT_EQ(said_of(options.folder), path.string() + ": damaged: a part of it was never written");
}

TEST(Packed, ASparseShardOfTebibytesIsCheckedInNoTime) {
  TemporaryFolder folder;
  fs::create_directories(in(folder, "packed"));
  PackedIndex index;
  index.source.layout = "flat";
  index.source.digest = "fnv1a64:0000000000000000";
  index.id = 5;
  constexpr std::uint32_t length = 256 << 20;
  constexpr std::uint64_t count = 16'384;  // of 256 MiB each
  const std::uint32_t crc = crc32_of_zeros(length);
  index.shards.push_back({.bytes = packed_shard_header_bytes + count * length, .first_image = 0, .images = count});
  for (std::uint64_t i = 0; i < count; ++i) {
    index.records.push_back({.offset = packed_shard_header_bytes + i * length, .length = length, .crc = crc, .label = 0, .source_bytes = length});
    index.names += std::to_string(i) + std::string(1, '\0');
  }
  write_bytes(in(folder, "packed/pack.index"), encode_index(index));
  write_bytes(in(folder, "packed/shard-00000"), encode_shard_header(index.shards[0], 0, index.id));
  std::error_code error;
  fs::resize_file(in(folder, "packed/shard-00000"), index.shards[0].bytes, error);
  if (error) GTEST_SKIP() << "no file of 4 TiB here: " << error.message();
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(verify_pack(in(folder, "packed")).empty()) << "zeros are what the sums say";
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60)) << "reading it takes hours";
}

TEST(Packed, ShardsThatAreMissingOrOfAnotherPackAreRefused) {
  TemporaryFolder folder;
  write_pictures(folder, 8);
  pack(options_of(folder));
  pack(options_of(folder, {.kind = PackKind::raw, .side = 60}, "raw"));
  const std::string shard = in(folder, "packed/shard-00001");
  const auto whole = read_bytes(shard);
  fs::remove(shard);
  EXPECT_EQ(said_of(in(folder, "packed")), shard + ": is missing from its packed folder");
  fs::create_directory(shard);
  EXPECT_EQ(said_of(in(folder, "packed")), shard + ": not a regular file");
  fs::remove(shard);
  auto other = read_bytes(in(folder, "raw/shard-00000"));
  other.resize(whole.size());
  write_bytes(shard, other);
  EXPECT_NE(said_of(in(folder, "packed")).find("it is of another pack"), std::string::npos);
  fs::remove(in(folder, "packed/pack.index"));
  fs::create_directory(in(folder, "packed/pack.index"));
  EXPECT_EQ(said_of(in(folder, "packed")), in(folder, "packed/pack.index") + ": not a regular file");
}

TEST(Packed, AnIndexThatIsALinkToNothingIsNamed) {
  TemporaryFolder folder;
  write_pictures(folder, 2);
  pack(options_of(folder));
  const std::string path = in(folder, "packed/pack.index");
  fs::remove(path);
  fs::create_symlink("gone", path);
  EXPECT_EQ(said_of(in(folder, "packed")), path + ": cannot open: No such file or directory");
}

TEST(Packed, UnreadableFilesAreNamed) {
  TemporaryFolder folder;
  write_pictures(folder, 2);
  pack(options_of(folder));
  const bool root = ::geteuid() == 0;  // who may read everything, unless he is somebody else for a moment
  constexpr uid_t nobody = 65534;
  fs::permissions(folder.path(), fs::perms(0755));
  for (const std::string name : {"pack.index", "shard-00000"}) {
    fs::permissions(in(folder, "packed/" + name), fs::perms::none);
    ASSERT_EQ(root ? ::seteuid(nobody) : 0, 0);
    const std::string said = said_of(in(folder, "packed"));
    ASSERT_EQ(root ? ::seteuid(0) : 0, 0);
    EXPECT_EQ(said, in(folder, "packed/" + name) + ": cannot open: Permission denied");
    fs::permissions(in(folder, "packed/" + name), fs::perms(0644));
  }
}

TEST(Packed, AShardThatShrinksWhileItIsReadFailsItsImagesOnly) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* probe = ::mmap(nullptr, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool can_tell = ::madvise(probe, page, 22) == 0;  // MADV_POPULATE_READ
  ::munmap(probe, page);
  if (!can_tell) GTEST_SKIP() << "this kernel ends a process that reads such a file (Linux 5.14 does not)";
  TemporaryFolder folder;
  write_pictures(folder, 6);
  PackOptions options = options_of(folder);
  options.shard_bytes = 1 << 20;
  pack(options);
  const auto store = std::make_shared<const PackedStore>(options.folder, read_packed_index(options.folder));
  const auto source = make_packed_source(store);
  const std::size_t first_ends = packed_shard_header_bytes + store->record(0).size();
  fs::resize_file(fs::path(options.folder) / "shard-00000", (first_ends + page - 1) / page * page);
  EXPECT_NO_THROW(source->fetch(0));
  try {
    source->fetch(5);
    FAIL();
  } catch (const ImageError& error) {
    EXPECT_STREQ(error.what(), "cannot be read from shard-00000: it was cut off, or its disk failed");
  }
}

/// A pack of 8 raw pictures of a page and more each, in one shard.
PackOptions packed_pixels(const TemporaryFolder& folder) {
  for (int i = 0; i < 8; ++i)
    folder.write("images/a/" + std::to_string(i) + ".jpg", test::make_jpeg({.width = 120, .height = 100, .seed = static_cast<unsigned>(i)}));
  PackOptions options = options_of(folder, {.kind = PackKind::raw});
  options.shard_bytes = 1 << 24;
  pack(options);
  return options;
}

TEST(Packed, AShardCutOffUnderItsReadersFailsItsImagesAndDoesNotEndTheProcess) {
  TemporaryFolder folder;
  const PackOptions options = packed_pixels(folder);
  const auto store = std::make_shared<const PackedStore>(options.folder, read_packed_index(options.folder));
  const auto source = make_packed_source(store);
  std::vector<std::span<const std::byte>> bytes;
  for (std::size_t i = 0; i < 8; ++i) bytes.push_back(source->fetch(i).bytes);
  fs::resize_file(fs::path(options.folder) / "shard-00000", 2 * store->record(0).size() + 1000);
  // After load() said that all is there: what a decoder or a transform does with the bytes.
  unsigned sum = 0;
  for (const std::byte byte : bytes[6]) sum += static_cast<unsigned>(byte);
  EXPECT_EQ(sum, 0u) << "zeros instead of the signal";
  const std::string why = "shard-00000 was cut off, or its disk failed, while it was read";
  EXPECT_EQ(source->lost(6), why);
  EXPECT_EQ(source->lost(0), "");
  // Images that were read before are looked at again without populating.
  for (const std::size_t image : {std::size_t{3}, std::size_t{6}, std::size_t{7}}) {
    try {
      source->fetch(image);
      ADD_FAILURE() << image;
    } catch (const ImageError& error) {
      EXPECT_EQ(error.what(), why);
    }
  }
  EXPECT_NO_THROW(source->fetch(0));
  EXPECT_EQ(bytes[0][0], std::byte{'F'});
}

TEST(Packed, ATrialWhoseShardIsCutOffSaysSoOfEachImage) {
  TemporaryFolder folder;
  const PackOptions options = packed_pixels(folder);
  const LoaderSetup setup = loader_setup(Storage::packed, LoaderKind::pooled, 2);
  DataCache cache;
  DataSet data({.path = options.folder, .seed = 5, .image_size = 40}, setup, cache);
  const auto memory = std::make_shared<loader_test::CountingAllocator>(HostMemory::pageable);
  {
    const auto loader = make_loader(setup, data.parts(memory, memory));
    for (int step = 0; step < 40; ++step) {
      if (step == 6) fs::resize_file(fs::path(options.folder) / "shard-00000", 4096);
      loader->release(loader->next());
    }
  }
  std::set<std::string> reasons;
  for (const FileNote& note : data.log().notes())
    if (note.reason != "slow") reasons.insert(note.reason);
  EXPECT_FALSE(reasons.empty());
  for (const std::string& reason : reasons) EXPECT_NE(reason.find("shard-00000"), std::string::npos) << reason;
}

TEST(Packed, ASignalOfAnotherFilesMapStillEndsTheProcess) {
  TemporaryFolder folder;
  const PackOptions options = packed_pixels(folder);
  const PackedStore store(options.folder, read_packed_index(options.folder));
  folder.write("other", std::string(100, 'x'));
  EXPECT_EXIT(
      {
        const int file = ::open(in(folder, "other").c_str(), O_RDONLY);
        const auto* begin = static_cast<const volatile char*>(::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file, 0));
        fs::resize_file(in(folder, "other"), 0);
        ::signal(SIGALRM, SIG_DFL);
        ::alarm(20);  // a handler that only returned would never end
        ::_exit(*begin);
      },
      // A sanitizer has a handler of its own, which exits.
      [](int status) { return WIFSIGNALED(status) ? WTERMSIG(status) == SIGBUS : WEXITSTATUS(status) != 0; }, "");
}

TEST(Packed, VerifyingFindsEveryChangedImageByName) {
  TemporaryFolder folder;
  write_pictures(folder, 6);
  const PackOptions options = options_of(folder);
  pack(options);
  EXPECT_TRUE(verify_pack(options.folder).empty());
  auto shard = read_bytes(fs::path(options.folder) / "shard-00000");
  shard[packed_shard_header_bytes + 500] ^= std::byte{1};
  write_bytes(fs::path(options.folder) / "shard-00000", shard);
  const auto problems = verify_pack(options.folder);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0], in(folder, "packed/shard-00000") + ": image a/100.jpg: its bytes are not those that were packed");
}

TEST(Packed, VerifyingReadsThePaddingToo) {
  TemporaryFolder folder;
  write_pictures(folder, 6);
  const PackOptions options = options_of(folder);
  pack(options);
  const PackedIndex index = read_packed_index(options.folder);
  auto shard = read_bytes(fs::path(options.folder) / "shard-00000");
  const std::uint64_t end = index.records[0].offset + index.records[0].length;
  ASSERT_NE(end % packed_alignment, 0u);
  shard[end] = std::byte{1};
  write_bytes(fs::path(options.folder) / "shard-00000", shard);
  const auto problems = verify_pack(options.folder);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0], in(folder, "packed/shard-00000") + ": image a/100.jpg: the bytes behind it are not zero");
}

TEST(Packed, VerifyingFindsWhatIsNoPixelsInAPackOfPixelsThoughItsSumIsRight) {
  TemporaryFolder folder;
  write_pictures(folder, 4);
  for (const PackKind kind : {PackKind::raw, PackKind::resized}) {
    const PackOptions options = options_of(folder, {kind, 50, kind == PackKind::raw ? 0 : 90}, "as-" + std::string(to_text(kind)));
    pack(options);
    EXPECT_TRUE(verify_pack(options.folder).empty());
    PackedIndex index = read_packed_index(options.folder);
    const fs::path path = fs::path(options.folder) / "shard-00000";
    auto shard = read_bytes(path);
    const auto record = std::span(shard).subspan(index.records[0].offset, index.records[0].length);
    std::fill(record.begin(), record.end(), std::byte{'x'});
    index.records[0].crc = crc32(record);
    write_bytes(path, shard);
    write_bytes(fs::path(options.folder) / "pack.index", encode_index(index));
    EXPECT_EQ(verify_pack(options.folder),
              (std::vector<std::string>{path.string() + ": image a/100.jpg: unknown in a pack of kind " + std::string(to_text(kind))}));
  }
}

TEST(Packed, VerifyingAShardThatIsCutOffMeanwhileIsAnErrorThatNamesIt) {
  TemporaryFolder folder;
  const PackOptions options = packed_pixels(folder);
  const fs::path path = fs::path(options.folder) / "shard-00000";
  const auto whole = read_bytes(path);
  std::size_t lines = 0;
  for (int round = 0; round < 20; ++round) {
    std::vector<std::string> said;
    std::thread cutter([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(50 * round));
      fs::resize_file(path, 4096);
    });
    try {
      said = verify_pack(options.folder);
    } catch (const InputError& error) {
      said = {error.what()};  // it was quicker
    }
    cutter.join();
    for (const std::string& line : said) EXPECT_TRUE(line.starts_with(path.string() + ": ")) << line;
    lines += said.size();
    write_bytes(path, whole);
  }
  EXPECT_GT(lines, 0u) << "no cut came in time";
}

TEST(Packed, APackThatIsKilledDoesNotOpenAndTheNextOneTakesItsPlace) {
  TemporaryFolder folder;
  write_pictures(folder, 30);
  const PackOptions options = options_of(folder);
  const pid_t child = ::fork();
  if (child == 0) {
    pack(options, [](std::int64_t done, std::int64_t) {
      if (done >= 20) ::kill(::getpid(), SIGKILL);
    });
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_TRUE(fs::exists(in(folder, "packed/shard-00000"))) << "it had begun";
  EXPECT_EQ(said_of(options.folder), options.folder + ": an unfinished pack (feedtune pack is writing it or was killed); "
                                                      "let it end, or run it again");
  const PackSummary summary = pack(options);
  EXPECT_EQ(summary.images, 30);
  EXPECT_EQ(said_of(options.folder), "opens");
  pack(options_of(folder, {}, "afresh"));
  EXPECT_TRUE(contents(options.folder) == contents(in(folder, "afresh"))) << "nothing of the first try is left";
}

TEST(Packed, StoppedOrOutOfSpaceItLeavesNothing) {
  TemporaryFolder folder;
  write_pictures(folder, 30);
  const PackOptions options = options_of(folder);
  struct Stop {};
  EXPECT_THROW(pack(options, [](std::int64_t done, std::int64_t) { if (done >= 20) throw Stop{}; }), Stop);
  EXPECT_FALSE(fs::exists(options.folder));
  EXPECT_THROW(pack(options_of(folder, {}, "new/folders/packed"), [](std::int64_t, std::int64_t) { throw Stop{}; }), Stop);
  EXPECT_FALSE(fs::exists(in(folder, "new"))) << "nor the folders around it";
  fs::create_directory(options.folder);
  EXPECT_THROW(pack(options, [](std::int64_t, std::int64_t) { throw Stop{}; }), Stop);
  EXPECT_TRUE(fs::is_empty(options.folder)) << "the user's own folder stays";

  // A limit on the size of files stands for a full disk: a write takes less, the next one fails.
  PackOptions large = options;
  large.shard_bytes = 1 << 30;
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const auto old_handler = ::signal(SIGXFSZ, SIG_IGN);
  rlimit small = limit;
  small.rlim_cur = 40'000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string said;
  try {
    pack(large);
  } catch (const IoError& error) {
    said = error.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &limit);
  ::signal(SIGXFSZ, old_handler);
  EXPECT_NE(said.find("shard-00000"), std::string::npos) << said;
  EXPECT_NE(said.find("File too large"), std::string::npos) << said;
  EXPECT_TRUE(fs::is_empty(options.folder));
}

TEST(Packed, NothingThatIsInTheFolderIsEverTouched) {
  TemporaryFolder folder;
  write_pictures(folder, 4);
  const auto refusal = [](const PackOptions& options) -> std::string {
    try {
      pack(options);
    } catch (const Error& error) {
      return error.what();
    }
    return "packed";
  };
  const PackOptions options = options_of(folder);
  folder.write("packed/shard-00000", "a user's file that happens to be called that");
  EXPECT_EQ(refusal(options), options.folder + ": is not empty; a pack is written to a new or an empty folder");
  folder.write("packed/pack.unfinished", "");
  folder.write("packed/notes.txt", "mine");
  EXPECT_EQ(refusal(options), options.folder + ": is not empty; a pack is written to a new or an empty folder");
  EXPECT_EQ(contents(options.folder).size(), 3u);
  fs::remove_all(options.folder);

  EXPECT_EQ(refusal(options), "packed");
  const auto before = contents(options.folder);
  EXPECT_EQ(refusal(options), options.folder + ": holds a pack already; a pack is written to a new or an empty folder");
  EXPECT_TRUE(contents(options.folder) == before);
  folder.write("file", "x");
  EXPECT_EQ(refusal(options_of(folder, {}, "file")), in(folder, "file") + ": is not a folder, want one to write a pack to");
  EXPECT_NE(refusal(options_of(folder, {}, "images/packed")).find("lies inside the data"), std::string::npos);
  EXPECT_FALSE(fs::exists(in(folder, "images/packed")));
  PackOptions again = options_of(folder, {}, "again");
  again.data = options.folder;
  EXPECT_NE(refusal(again).find("is a packed folder; give the folder or list of the originals"), std::string::npos);
  PackOptions empty = options_of(folder, {}, "again");
  empty.data = in(folder, "none");
  folder.write("none/a.jpg", "");
  EXPECT_EQ(refusal(empty), empty.data + ": none of its 1 images can be packed (first: a.jpg: empty file)");
  EXPECT_FALSE(fs::exists(empty.folder));
}

TEST(Packed, APackOfAListIsNotWrittenAmongTheListedImages) {
  TemporaryFolder folder;
  write_pictures(folder, 6);
  folder.write("other/c.jpg", test::make_jpeg({}));
  folder.write("list.txt", "images/a/100.jpg\nimages/b/101.jpg\n");
  folder.write("wide.txt", "images/a/100.jpg\n" + in(folder, "other/c.jpg") + "\n");
  const auto refused = [&](const std::string& list, const std::string& to) {
    PackOptions options = options_of(folder, {}, to);
    options.data = in(folder, list);
    const bool there = fs::exists(options.folder);
    try {
      pack(options);
    } catch (const InputError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(options.folder + ": lies inside the data")) << error.what();
      EXPECT_EQ(fs::exists(options.folder), there);
      return true;
    }
    EXPECT_EQ(said_of(options.folder), "opens");
    fs::remove_all(options.folder);
    return false;
  };
  for (const std::string to : {"images/packed", "images/a/packed", "images/new/packed", "images"}) EXPECT_TRUE(refused("list.txt", to)) << to;
  EXPECT_FALSE(refused("list.txt", "packed"));
  EXPECT_FALSE(refused("wide.txt", "packed")) << "beside the list, though inside the one folder that all images share";
  EXPECT_TRUE(refused("wide.txt", "other/packed"));
  fs::create_directory_symlink(in(folder, "images/a"), in(folder, "link"));
  folder.write("linked.txt", "link/100.jpg\n");
  EXPECT_TRUE(refused("linked.txt", "images/a/packed")) << "where the images are, not how the list calls it";
}

TEST(Packed, FilesOfAListAreFoundAgainWhereverItsNamesLead) {
  TemporaryFolder folder;
  write_pictures(folder, 6);
  folder.write("lists/deep/train.txt", "../../images/a/100.jpg\n./more.jpg\n" + in(folder, "images/b/101.jpg") + "\n");
  folder.write("lists/deep/more.jpg", test::make_jpeg({}));
  PackOptions options = options_of(folder);
  options.data = in(folder, "lists/deep/train.txt");
  pack(options);
  const ImageList packed = ImageList::from_path(options.folder);
  EXPECT_EQ(packed.originals_missing(), "");
  EXPECT_EQ(packed.name(1), "lists/deep/more.jpg");
  const Delivered files = deliver(options.folder, loader_setup(Storage::files), 3);
  EXPECT_TRUE(deliver(options.data, loader_setup(Storage::files), 3).pixels == files.pixels);
  EXPECT_TRUE(deliver(options.folder, loader_setup(Storage::packed), 3).pixels == files.pixels);
}

TEST(Packed, TwoPacksAtOnceDoNotMix) {
  TemporaryFolder folder;
  write_pictures(folder, 4);
  const PackOptions options = options_of(folder);
  std::string second;
  pack(options, [&](std::int64_t, std::int64_t) {
    if (!second.empty()) return;
    try {
      pack(options);
      second = "packed";
    } catch (const RunInUseError& error) {
      second = error.what();
    }
  });
  EXPECT_EQ(second, options.folder + ": another feedtune pack is writing it");
  EXPECT_EQ(said_of(options.folder), "opens");
  EXPECT_TRUE(verify_pack(options.folder).empty());
}

TEST(Packed, WithoutItsOriginalsOnlyThePackIsReadAndTheRestSaysWhy) {
  TemporaryFolder folder;
  write_pictures(folder, 6);
  pack(options_of(folder));
  const std::string packed = in(folder, "packed");
  const Delivered before = deliver(packed, loader_setup(Storage::packed), 2);
  const auto reason = [&](Storage storage) -> std::string {
    try {
      deliver(packed, loader_setup(storage), 2);
    } catch (const TrialFailure& failure) {
      EXPECT_EQ(failure.status(), TrialStatus::unsupported);
      return failure.what();
    }
    return "delivered";
  };
  EXPECT_EQ(reason(Storage::files), "delivered");
  folder.write("images/a/100.jpg", "changed");
  EXPECT_NE(reason(Storage::files).find("storage=files: the original a/100.jpg in "), std::string::npos) << reason(Storage::files);
  fs::rename(in(folder, "images"), in(folder, "moved"));
  EXPECT_NE(reason(Storage::files).find("pack.source says where they are"), std::string::npos) << reason(Storage::files);
  EXPECT_NE(reason(Storage::memory).find("storage=memory: the originals are not in "), std::string::npos);
  EXPECT_TRUE(deliver(packed, loader_setup(Storage::packed), 2).pixels == before.pixels);
  fs::remove(in(folder, "packed/pack.source"));
  EXPECT_NE(reason(Storage::files).find("pack.source, which says where the originals are, cannot be read"), std::string::npos);
  EXPECT_TRUE(deliver(packed, loader_setup(Storage::packed), 2).pixels == before.pixels);
}

TEST(Packed, APackWhoseOriginalsMovedIsToldByALineOfText) {
  TemporaryFolder folder;
  write_pictures(folder, 6);
  pack(options_of(folder));
  EXPECT_EQ(ImageList::from_path(in(folder, "packed")).originals_missing(), "");
  fs::create_directory(in(folder, "elsewhere"));
  fs::rename(in(folder, "images"), in(folder, "elsewhere/images"));
  fs::rename(in(folder, "packed"), in(folder, "elsewhere/packed"));
  EXPECT_EQ(ImageList::from_path(in(folder, "elsewhere/packed")).originals_missing(), "") << "both moved together";
  fs::rename(in(folder, "elsewhere/images"), in(folder, "images"));
  EXPECT_NE(ImageList::from_path(in(folder, "elsewhere/packed")).originals_missing(), "");
  folder.write("elsewhere/packed/pack.source", "../../images\n");
  EXPECT_EQ(ImageList::from_path(in(folder, "elsewhere/packed")).originals_missing(), "");
}

TEST(Packed, ThePageCacheIsLookedAtInTheShards) {
  TemporaryFolder folder;
  write_pictures(folder, 10);
  pack(options_of(folder));
  DataCache cache;
  const DataSet data({.path = in(folder, "packed"), .image_size = 32}, loader_setup(Storage::packed), cache);
  for (std::size_t i = 0; i < cache.packed->size(); ++i) cache.packed->load(i);
  EXPECT_EQ(data.files().count, cache.packed->shards());
  EXPECT_EQ(warm_page_cache(data.files(), {}).bytes, static_cast<std::int64_t>(cache.packed->total_bytes()));
  const CacheShare warm = cache_resident_share(data.files());
  if (!warm.value) GTEST_SKIP() << warm.unknown;
  EXPECT_EQ(*warm.value, 1.0);
  EXPECT_EQ(drop_page_cache(data.files()).failed, 0);
  const CacheShare cold = cache_resident_share(data.files());
  const ImageList originals = ImageList::from_path(in(folder, "images"));
  drop_page_cache(originals);
  if (*cache_resident_share(originals).value > 0.1) GTEST_SKIP() << "this file system keeps what it is asked to drop";
  EXPECT_LT(*cold.value, 0.3) << "its own maps must not hold the pages";
}

TEST(Packed, ARawRecordThatIsNotWholeIsABadImageNotACrash) {
  PackedPicture picture({.kind = PackKind::raw, .side = 40});
  const auto record = picture.make(test::make_jpeg({.width = 90, .height = 70})).bytes;
  const std::vector<std::byte> whole(record.begin(), record.end());
  const auto decoder = make_image_decoder("turbo");
  EXPECT_EQ(decoder->read_header(whole).height, 40);
  for (std::size_t bytes = 8; bytes < whole.size(); bytes += bytes < 40 ? 1 : 501)
    EXPECT_THROW(decoder->read_header(std::span(whole).first(bytes)), ImageError) << bytes;
  auto huge = whole;
  std::memset(huge.data() + 8, 0xff, 8);
  EXPECT_THROW(decoder->read_header(huge), ImageError);
}

}  // namespace
}  // namespace feedtune
