// The order of images, the crops and the flips: every image once an epoch, the same from the same seed, and fair.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/error.hpp"
#include "pipeline/cpu_affinity.hpp"
#include "pipeline/crop.hpp"
#include "pipeline/hash.hpp"
#include "pipeline/sampler.hpp"

namespace feedtune {
namespace {

TEST(ImageSampler, EveryEpochHoldsEveryImageOnce) {
  for (const std::size_t images : {1u, 2u, 3u, 5u, 8u, 100u, 1023u, 1024u, 1025u}) {
    const Sampler sampler(images, 42);
    std::int64_t position = 0;
    for (int epoch = 0; epoch < 3; ++epoch) {
      std::set<std::size_t> seen;
      for (std::size_t i = 0; i < images; ++i, ++position) {
        const Sample sample = sampler.at(position);
        EXPECT_EQ(sample.position, position);
        EXPECT_EQ(sample.epoch, epoch);
        ASSERT_LT(sample.image, images);
        seen.insert(sample.image);
      }
      ASSERT_EQ(seen.size(), images);
    }
  }
}

// Chi-squared over first places: 1,000 epochs of 16 images, 15 degrees of freedom; 50 is beyond the 1e-5 quantile
// (44.3).
TEST(ImageSampler, EveryImageComesFirstEquallyOften) {
  const Sampler sampler(16, 7);
  std::vector<int> first(16), pairs(16);
  for (int epoch = 0; epoch < 1000; ++epoch) {
    const std::size_t a = sampler.at(epoch * 16).image;
    ++first[a];
    ++pairs[(sampler.at(epoch * 16 + 1).image + 16 - a) % 16];
  }
  double squared = 0;
  for (const int count : first) squared += std::pow(count - 62.5, 2) / 62.5;
  EXPECT_LT(squared, 50);
  double distance = 0;
  EXPECT_EQ(pairs[0], 0);
  for (std::size_t i = 1; i < 16; ++i) distance += std::pow(pairs[i] - 1000.0 / 15, 2) / (1000.0 / 15);
  EXPECT_LT(distance, 50);
}

TEST(ImageSampler, SeedsEpochsAndImagesHaveRandomnessOfTheirOwn) {
  const Sampler one(500, 1), same(500, 1), other(500, 2);
  std::set<std::uint64_t> randoms;
  int moved = 0;
  for (std::int64_t position = 0; position < 1000; ++position) {
    EXPECT_EQ(one.at(position).image, same.at(position).image);
    EXPECT_EQ(one.at(position).random, same.at(position).random);
    moved += one.at(position).image != other.at(position).image;
    randoms.insert(one.at(position).random);
    randoms.insert(other.at(position).random);
  }
  EXPECT_GT(moved, 950);
  EXPECT_EQ(randoms.size(), 2000u);
}

TEST(ImageSampler, ImagesOfOneEpochDoNotDependOnTheirPlaceInIt) {
  // An image's crop is the same wherever the shuffle puts it: tried through two positions of the same image and epoch.
  const Sampler sampler(64, 9);
  for (std::int64_t position = 0; position < 64; ++position) {
    const Sample sample = sampler.at(position);
    EXPECT_EQ(sample.random, sampler.at(sample.position).random);
    EXPECT_NE(sample.random, sampler.at(position + 64).random);
  }
}

TEST(ImageSampler, HugeDataSetsCostNothing) {
  const Sampler sampler(std::size_t{1} << 40, 1);
  std::set<std::size_t> seen;
  for (std::int64_t position = 0; position < 10'000; ++position) seen.insert(sampler.at(position).image);
  EXPECT_EQ(seen.size(), 10'000u);
  EXPECT_GT(*seen.rbegin(), (std::size_t{1} << 40) - (std::size_t{1} << 31));
}

// Vectors of the authors' own: http://www.isthe.com/chongo/tech/comp/fnv/ and Vigna's splitmix64.c from seed 1234567.
TEST(ImageSampler, HashesAreThePublishedOnes) {
  Fnv1a64 empty, a, foobar;
  a.add(std::string_view("a"));
  foobar.add(std::string_view("foobar"));
  EXPECT_EQ(empty.value(), 0xcbf29ce484222325u);
  EXPECT_EQ(a.value(), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(foobar.value(), 0x85944171f73967e8u);
  EXPECT_EQ(mix64(1234567), 6457827717110365317u);
  EXPECT_EQ(mix64(1234567 + 0x9e3779b97f4a7c15u), 3203168211198807973u);
}

TEST(ImageCrop, BoxesLieInsideAndKeepTheirShare) {
  const ImageSize sizes[] = {{500, 375}, {375, 500}, {224, 224}, {1, 1}, {2, 700}, {700, 2}, {13, 9}, {65500, 2700}};
  for (const ImageSize size : sizes) {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
      const CropBox box = augmentation(size, mix64(seed)).crop;
      ASSERT_GE(box.left, 0);
      ASSERT_GE(box.top, 0);
      ASSERT_GE(box.width, 1);
      ASSERT_GE(box.height, 1);
      ASSERT_LE(box.left + box.width, size.width);
      ASSERT_LE(box.top + box.height, size.height);
      if (size.width < 224 || size.height < 224 || size.width > 500)
        continue;  // too small to be exact, or too long to fit
      const double share =
          static_cast<double>(box.width) * box.height / (static_cast<double>(size.width) * size.height);
      ASSERT_GT(share, 0.079);
      const double ratio = static_cast<double>(box.width) / box.height;
      ASSERT_GT(ratio, 0.74);
      ASSERT_LT(ratio, 1.35);
    }
  }
}

// For a square image no try fails by much, so areas are nearly uniform on [0.08, 1] where both sides fit; the mean over
// small areas and the logarithm of the ratio are free of that cut.
TEST(ImageCrop, AreasRatiosPlacesAndFlipsAreFair) {
  const ImageSize size{1000, 1000};
  int small = 0, flips = 0, left_half = 0, low_area = 0;
  double log_ratio = 0;
  const int rounds = 20'000;
  for (std::uint64_t seed = 0; seed < rounds; ++seed) {
    const Augmentation chosen = augmentation(size, mix64(seed + 99));
    flips += chosen.flip;
    const double area = static_cast<double>(chosen.crop.width) * chosen.crop.height / 1e6;
    log_ratio += std::log(static_cast<double>(chosen.crop.width) / chosen.crop.height);
    if (area >= 0.5) continue;
    ++small;
    low_area += area < 0.29;
    left_half += chosen.crop.left < (1000 - chosen.crop.width) / 2.0;
  }
  // Five standard deviations of a binomial with p = 1/2.
  EXPECT_NEAR(flips, rounds / 2.0, 5 * std::sqrt(rounds) / 2);
  EXPECT_NEAR(low_area, small / 2.0, 5 * std::sqrt(small) / 2);
  EXPECT_NEAR(left_half, small / 2.0, 5 * std::sqrt(small) / 2);
  EXPECT_NEAR(log_ratio / rounds, 0, 5 * 0.166 / std::sqrt(rounds));  // uniform on +-ln(4/3): deviation 0.166
}

TEST(ImageCrop, LongImagesFallBackToTheCentre) {
  EXPECT_EQ(augmentation({4000, 20}, 3).crop, (CropBox{(4000 - 27) / 2, 0, 27, 20}));  // 20 * 4/3 = 26.67
  EXPECT_EQ(augmentation({20, 4000}, 3).crop, (CropBox{0, (4000 - 27) / 2, 20, 27}));
}

TEST(ImageAffinity, ANodesCpusAreTheKernelsList) {
  const auto root = std::filesystem::temp_directory_path() / ("feedtune-node-" + std::to_string(::getpid()));
  std::filesystem::create_directories(root / "sys/devices/system/node/node1");
  std::ofstream(root / "sys/devices/system/node/node1/cpulist") << "0-3,8\n";
  EXPECT_EQ(node_cpus(root.string(), 1), (std::vector<int>{0, 1, 2, 3, 8}));
  EXPECT_TRUE(node_cpus(root.string(), 2).empty());
  std::filesystem::remove_all(root);
}

TEST(ImageSampler, NoImageIsAnErrorAndNoDivisionByZero) { EXPECT_THROW(Sampler(0, 1), InputError); }

TEST(ImageAffinity, WorkersTakeTheirOwnCores) {
  const std::vector<int> allowed{2, 3, 6, 7};
  EXPECT_EQ(worker_cpus(Affinity::cores, 0, 1, allowed, {}), std::vector<int>{2});
  EXPECT_EQ(worker_cpus(Affinity::cores, 3, 1, allowed, {}), std::vector<int>{7});
  EXPECT_EQ(worker_cpus(Affinity::cores, 4, 1, allowed, {}), std::vector<int>{2});
  EXPECT_EQ(worker_cpus(Affinity::cores, 1, 2, allowed, {}), (std::vector<int>{6, 7}));
  EXPECT_EQ(worker_cpus(Affinity::cores, 0, 9, allowed, {}), allowed);
  EXPECT_EQ(worker_cpus(Affinity::node, 5, 1, allowed, {0, 1, 2, 3}), (std::vector<int>{2, 3}));
  EXPECT_EQ(worker_cpus(Affinity::node, 5, 1, allowed, {}), allowed);
  EXPECT_EQ(worker_cpus(Affinity::node, 5, 1, allowed, {0, 1}), allowed);
  EXPECT_TRUE(worker_cpus(Affinity::none, 0, 1, allowed, {}).empty());
}

}  // namespace
}  // namespace feedtune
