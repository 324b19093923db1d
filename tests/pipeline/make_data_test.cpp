// The synthetic set: the same bytes everywhere, ImageNet's statistics, and a folder that is never mixed or half
// written.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <vector>

#include <jpeglib.h>

#include "core/error.hpp"
#include "pipeline/hash.hpp"
#include "pipeline/make_data.hpp"
#include "pipeline/synthetic_encoder.hpp"
#include "pipeline/synthetic_folder.hpp"
#include "pipeline/synthetic_picture.hpp"
#include "pipeline/synthetic_plan.hpp"
#include "temporary_folder.hpp"

namespace feedtune {
namespace {

namespace fs = std::filesystem;

class MakeData : public testing::Test {
 protected:
  MakeDataOptions options(int images, std::uint64_t seed = 1) const {
    return {.folder = folder_.string(), .images = images, .seed = seed};
  }
  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      if (entry.is_regular_file()) names.insert(entry.path().lexically_relative(folder_).string());
    return names;
  }

  const test::TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
};

std::vector<unsigned char> bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Header {
  int width = 0, height = 0, channels = 0, luma_h = 0, luma_v = 0;
  bool progressive = false;
};

/// Decodes the whole file, so that a stream that ends early is found out (libjpeg exits the test then).
Header decode(std::vector<unsigned char> bytes) {
  jpeg_decompress_struct jpeg;
  jpeg_error_mgr error;
  jpeg.err = jpeg_std_error(&error);
  jpeg_create_decompress(&jpeg);
  jpeg_mem_src(&jpeg, bytes.data(), bytes.size());
  jpeg_read_header(&jpeg, TRUE);
  const Header header{
      static_cast<int>(jpeg.image_width), static_cast<int>(jpeg.image_height), jpeg.num_components,
      jpeg.comp_info[0].h_samp_factor,    jpeg.comp_info[0].v_samp_factor,     jpeg.progressive_mode != 0};
  jpeg_start_decompress(&jpeg);
  std::vector<unsigned char> row(static_cast<std::size_t>(header.width) * 4);
  JSAMPROW rows[] = {row.data()};
  while (jpeg.output_scanline < jpeg.output_height) jpeg_read_scanlines(&jpeg, rows, 1);
  EXPECT_EQ(error.num_warnings, 0);
  jpeg_destroy_decompress(&jpeg);
  return header;
}

TEST_F(MakeData, TwelveImagesOfSeedOneAreTheSameBytesOnEveryMachine) {
  const MakeDataSummary summary = make_data(options(12));
  EXPECT_EQ(summary.digest, "7faa4d66861b66a3");
  // The digest again, from what it is said to be: FNV-1a of the files' bytes in the order of their names.
  std::uint64_t hash = 14695981039346656037u;
  std::uint64_t bytes = 0;
  for (const std::string& name : files()) {
    if (!name.ends_with(".jpg")) continue;
    for (const unsigned char byte : bytes_of(folder_ / name)) hash = (hash ^ byte) * 1099511628211u, ++bytes;
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  EXPECT_EQ(summary.digest, text);
  EXPECT_EQ(summary.bytes, bytes);
}

TEST_F(MakeData, EveryKindIsTheSameBytesOnEveryMachineAndWhatItsNameSays) {
  const struct {
    SyntheticKind kind;
    SyntheticColour colour;
    Header header;
    std::uint64_t digest;
  } cases[] = {
      {SyntheticKind::s420, SyntheticColour::half, {151, 97, 3, 2, 2, false}, 0x094ce9b51d89964eu},
      {SyntheticKind::s422, SyntheticColour::half, {151, 97, 3, 2, 1, false}, 0x8586d94b15c89ca5u},
      {SyntheticKind::s444, SyntheticColour::full, {151, 97, 3, 1, 1, false}, 0x6c85c24db86ce83bu},
      {SyntheticKind::grey, SyntheticColour::none, {151, 97, 1, 1, 1, false}, 0x8d5248e428eddd3bu},
      {SyntheticKind::cmyk, SyntheticColour::full, {151, 97, 4, 1, 1, false}, 0x9e68fd5a516b5a85u},
      {SyntheticKind::progressive, SyntheticColour::half, {151, 97, 3, 2, 2, true}, 0xb94ee16a54db3f13u},
  };
  for (const auto& expected : cases) {
    SCOPED_TRACE(to_text(expected.kind));
    SyntheticPainter painter;
    SyntheticEncoder encoder;
    const auto jpeg = encoder.encode(painter.paint(7, 151, 97, 320, expected.colour), expected.kind, 9000);
    Fnv1a64 hash;
    hash.add(std::as_bytes(jpeg));
    EXPECT_EQ(hash.value(), expected.digest) << std::hex << hash.value();
    const Header header = decode({jpeg.begin(), jpeg.end()});
    EXPECT_EQ(header.width, expected.header.width);
    EXPECT_EQ(header.height, expected.header.height);
    EXPECT_EQ(header.channels, expected.header.channels);
    EXPECT_EQ(header.luma_h, expected.header.luma_h);
    EXPECT_EQ(header.luma_v, expected.header.luma_v);
    EXPECT_EQ(header.progressive, expected.header.progressive);
  }
}

TEST_F(MakeData, TheBytesDependNeitherOnThreadsNorOnTheSizeOfTheSet) {
  MakeDataOptions few = options(6, 42);
  few.threads = 1;
  make_data(few);
  MakeDataOptions more = options(9, 42);
  more.folder = (folder_ / "more").string();
  fs::rename(folder_, folder_.string() + ".few");
  more.threads = 3;
  make_data(more);
  for (int i = 0; i < 6; ++i) {
    const std::string name = synthetic_plan(42, i, 10).name;
    const auto content = bytes_of(fs::path(folder_.string() + ".few") / name);
    EXPECT_FALSE(content.empty());
    EXPECT_EQ(content, bytes_of(fs::path(more.folder) / name)) << name;
  }
  fs::remove_all(folder_.string() + ".few");
  EXPECT_NE(synthetic_plan(42, 0, 10).seed, synthetic_plan(43, 0, 10).seed);
}

TEST_F(MakeData, FilesHaveThePlannedSizeInPixelsAndNearlyInBytes) {
  make_data(options(20, 3));
  double bytes = 0, target = 0;
  for (int i = 0; i < 20; ++i) {
    const SyntheticPlan plan = synthetic_plan(3, i, 10);
    const auto content = bytes_of(folder_ / plan.name);
    const Header header = decode(content);
    EXPECT_EQ(header.width, plan.width);
    EXPECT_EQ(header.height, plan.height);
    bytes += static_cast<double>(content.size());
    target += plan.target_bytes;
  }
  EXPECT_NEAR(bytes / target, 1.0, 0.08);
}

TEST_F(MakeData, ThePlanHasImageNetsSizesKindsAndBytes) {
  constexpr int n = 20'000;
  std::map<std::string, int> kinds;
  double bytes = 0, pixels = 0, typical = 0;
  for (int i = 0; i < n; ++i) {
    const SyntheticPlan plan = synthetic_plan(1, i, 10);
    ++kinds[to_text(plan.kind)];
    bytes += static_cast<double>(plan.target_bytes) / n;
    pixels += static_cast<double>(plan.width) * plan.height / n;
    typical += plan.width == 500 && plan.height == 375 ? 1.0 / n : 0;
    ASSERT_GE(std::min(plan.width, plan.height), 200);
    ASSERT_LE(std::max(plan.width, plan.height), 1200);
    ASSERT_TRUE(plan.name.starts_with("n0000000" + std::to_string(i % 10) + "/")) << plan.name;
  }
  EXPECT_NEAR(bytes, 110e3, 6e3);
  EXPECT_NEAR(pixels, 200e3, 15e3);  // what make_data's photographs have; ImageNet's mean is near it
  EXPECT_NEAR(typical, 0.52, 0.02);
  const auto share = [&](const char* kind) { return 100.0 * kinds[kind] / n; };
  EXPECT_NEAR(share("444"), 10, 1);
  EXPECT_NEAR(share("422"), 3, 0.6);
  EXPECT_NEAR(share("grey"), 3, 0.6);
  EXPECT_NEAR(share("prog"), 3.5, 0.6);
  EXPECT_NEAR(share("cmyk"), 0.5, 0.25);
}

TEST_F(MakeData, AFinishedSetIsReusedAndADifferentOneIsRefused) {
  const MakeDataSummary made = make_data(options(5));
  EXPECT_FALSE(made.reused);
  const MakeDataSummary again = make_data(options(5));
  EXPECT_TRUE(again.reused);
  EXPECT_EQ(again.digest, made.digest);
  EXPECT_EQ(again.bytes, made.bytes);
  EXPECT_THROW(make_data(options(6)), InputError);
  EXPECT_THROW(make_data(options(5, 2)), InputError);
}

TEST_F(MakeData, AFolderWithAnythingElseIsRefusedAndLeftAlone) {
  temporary_.write("holiday.jpg", "mine");
  try {
    make_data(options(3));
    FAIL() << "mixed its files with the user's";
  } catch (const InputError& error) {
    EXPECT_EQ(error.where(), folder_.string());
  }
  EXPECT_EQ(files(), std::set<std::string>{"holiday.jpg"});
}

TEST_F(MakeData, AChangedSetIsNotPassedOffAsTheOriginal) {
  make_data(options(3));
  const std::string name = synthetic_plan(1, 1, 10).name;
  const auto original = bytes_of(folder_ / name);
  temporary_.write(name, "shorter");
  EXPECT_THROW(make_data(options(3)), InputError);
  std::ofstream(folder_ / name, std::ios::binary)
      .write(reinterpret_cast<const char*>(original.data()), static_cast<std::streamsize>(original.size()));
  EXPECT_TRUE(make_data(options(3)).reused);
  temporary_.write("n00000001/extra.jpg", "x");
  try {
    make_data(options(3));
    FAIL() << "an extra file went unseen";
  } catch (const InputError& error) {
    EXPECT_EQ(error.where(), (folder_ / "n00000001/extra.jpg").string());
  }
  fs::remove(folder_ / "n00000001/extra.jpg");
  fs::remove(folder_ / name);
  EXPECT_THROW(make_data(options(3)), InputError);
}

TEST_F(MakeData, AnInterruptedSetIsCompletedByTheNextCall) {
  struct Stop {};
  EXPECT_THROW(make_data(options(8),
                         [](int done, int) {
                           if (done >= 3) throw Stop();
                         }),
               Stop);
  const auto partial = files();
  EXPECT_GE(partial.size(), 4u);  // three images and the note
  temporary_.write("n00000002/." + synthetic_plan(1, 2, 10).name.substr(10) + ".4711-0.part", "left by a kill");
  const MakeDataSummary summary = make_data(options(8));
  EXPECT_FALSE(summary.reused);
  EXPECT_TRUE(make_data(options(8)).reused);
  EXPECT_EQ(files().size(), 9u) << "eight images and the note, and nothing that was left";
}

TEST_F(MakeData, AFolderWhereOnlyTheFirstNoteWasBegunIsCompletedToo) {
  temporary_.write("." + std::string(synthetic_note_name) + ".4711-0.part", "left by a kill");
  EXPECT_EQ(make_data(options(3)).images, 3);
  EXPECT_EQ(files().size(), 4u);
}

TEST_F(MakeData, TwoProcessesThatMakeTheSameSetAtOnceBothSucceed) {
  constexpr int processes = 3;
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    int code = 0;
    try {
      make_data(options(24));
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      code = 1;
    }
    ::_exit(code);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_TRUE(make_data(options(24)).reused);
  EXPECT_EQ(files().size(), 25u) << "24 images and the note";
}

TEST_F(MakeData, ProgressComesOnTheCallersThreadAndEndsAtTheTotal) {
  int last = 0;
  const auto caller = pthread_self();
  make_data(options(7), [&](int done, int images) {
    EXPECT_TRUE(pthread_equal(pthread_self(), caller));
    EXPECT_EQ(images, 7);
    last = done;
  });
  EXPECT_EQ(last, 7);
}

TEST_F(MakeData, AFullDiskNamesTheFileAndLeavesNoHalfOne) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 2'000;  // a disk that takes no file beyond 2 KB
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string path;
  int error_number = 0;
  try {
    make_data(options(4));
  } catch (const IoError& error) {
    path = error.path();
    error_number = error.error_number();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(error_number, EFBIG);
  EXPECT_TRUE(path.starts_with(folder_.string() + "/n0000000")) << path;
  EXPECT_EQ(files(), std::set<std::string>{".feedtune-make-data"});
  EXPECT_EQ(make_data(options(4)).images, 4);  // and once there is room, the same call works
}

TEST_F(MakeData, BadOptionsAndPlacesAreNamed) {
  EXPECT_THROW(make_data(options(0)), InputError);
  EXPECT_THROW(make_data(options(-5)), InputError);
  MakeDataOptions bad = options(1);
  bad.classes = 0;
  EXPECT_THROW(make_data(bad), InputError);
  temporary_.write("file", "x");
  bad = options(1);
  bad.folder = (folder_ / "file").string();
  EXPECT_THROW(make_data(bad), InputError);
  bad.folder = (folder_ / "file" / "below").string();
  EXPECT_THROW(make_data(bad), IoError);
}

}  // namespace
}  // namespace feedtune
