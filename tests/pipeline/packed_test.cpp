// A packed folder: the same data as the files it was made of.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <map>

#include "build_paths.hpp"
#include "packed_fixture.hpp"
#include "pipeline/data_set.hpp"
#include "pipeline/image_decoder.hpp"
#include "pipeline/image_error.hpp"
#include "pipeline/image_list.hpp"
#include "pipeline/packed_folder.hpp"
#include "pipeline/packed_format.hpp"
#include "pipeline/packed_picture.hpp"
#include "pipeline/packed_store.hpp"

namespace feedtune {
namespace {

using namespace packed_test;

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
  const std::string script = (fs::path(build_paths::sources) / "tests/pipeline/read_pack.py").string();
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
