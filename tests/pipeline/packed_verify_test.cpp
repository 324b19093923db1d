// `feedtune validate` of a pack finds what was not packed so.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <latch>
#include <thread>

#include "core/error.hpp"
#include "packed_fixture.hpp"
#include "pipeline/crc32.hpp"
#include "pipeline/packed_folder.hpp"
#include "pipeline/packed_format.hpp"
#include "pipeline/packed_verify.hpp"

namespace feedtune {
namespace {

using namespace packed_test;

/// What is said of a pack of six pictures once a byte of its first shard is another one.
std::vector<std::string> said_of_changed(const TemporaryFolder& folder, const std::function<std::size_t(const PackedIndex&)>& at) {
  write_pictures(folder, 6);
  const PackOptions options = options_of(folder);
  pack(options);
  EXPECT_TRUE(verify_pack(options.folder).empty());
  const fs::path path = fs::path(options.folder) / "shard-00000";
  auto shard = read_bytes(path);
  shard[at(read_packed_index(options.folder))] ^= std::byte{1};
  write_bytes(path, shard);
  return verify_pack(options.folder);
}

TEST(Packed, VerifyingFindsEveryChangedImageByName) {
  TemporaryFolder folder;
  EXPECT_EQ(said_of_changed(folder, [](const PackedIndex& index) { return index.records[0].offset + 500; }),
            (std::vector<std::string>{in(folder, "packed/shard-00000") + ": image a/100.jpg: its bytes are not those that were packed"}));
}

TEST(Packed, VerifyingReadsThePaddingToo) {
  TemporaryFolder folder;
  const auto behind = [](const PackedIndex& index) {
    const std::uint64_t end = index.records[0].offset + index.records[0].length;
    EXPECT_NE(end % packed_alignment, 0u);
    return end;
  };
  EXPECT_EQ(said_of_changed(folder, behind),
            (std::vector<std::string>{in(folder, "packed/shard-00000") + ": image a/100.jpg: the bytes behind it are not zero"}));
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
  // From before the first look to after the last; more rounds where the machine is busy and none came in between.
  for (int round = 0; round < 40 || (lines == 0 && round < 4000); ++round) {
    std::vector<std::string> said;
    std::latch started(1);
    std::thread cutter([&] {
      started.count_down();
      const auto begin = std::chrono::steady_clock::now();
      while (std::chrono::steady_clock::now() - begin < std::chrono::microseconds(round % 40 * 10)) {
      }
      fs::resize_file(path, 4096);
    });
    started.wait();
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

}  // namespace
}  // namespace feedtune
