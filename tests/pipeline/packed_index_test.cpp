// One clear error for a packed folder that isn't whole, or that was made to deceive.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <limits>
#include <random>

#include "core/error.hpp"
#include "packed_fixture.hpp"
#include "pipeline/crc32.hpp"
#include "pipeline/packed_folder.hpp"
#include "pipeline/packed_format.hpp"

namespace feedtune {
namespace {

using namespace packed_test;

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

}  // namespace
}  // namespace feedtune
