// Making a pack: nothing is left of one that did not come to its end, and its originals are found again.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "core/error.hpp"
#include "packed_fixture.hpp"
#include "pipeline/image_list.hpp"
#include "pipeline/packed_verify.hpp"

namespace feedtune {
namespace {

using namespace packed_test;

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

}  // namespace
}  // namespace feedtune
