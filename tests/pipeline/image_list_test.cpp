// Listing: the same images with the same labels on every machine, and a data path that is none of what is accepted says
// so.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "core/error.hpp"
#include "image_jpeg_fixture.hpp"
#include "pipeline/image_list.hpp"

namespace feedtune {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

std::vector<std::string> names(const ImageList& list) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < list.size(); ++i) all.emplace_back(list.name(i));
  return all;
}

std::string error_of(const std::string& path) {
  try {
    ImageList::from_path(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

bool mentions(const DataFacts& facts, const std::string& text) {
  for (const std::string& note : facts.notes)
    if (note.find(text) != std::string::npos) return true;
  return false;
}

TEST(ImageList, ClassFoldersGiveLabelsInOrder) {
  TemporaryFolder folder;
  for (const char* name :
       {"dog/2.jpg", "dog/10.jpg", "cat/deep/er/x.jpg", "cat/b.jpg", "eel/a.jpg", ".hidden/a.jpg", "cat/.x.jpg"})
    folder.write(name, "x");
  fs::create_directory(folder.path() / "ant");  // holds no file: takes no label
  const ImageList list = ImageList::from_path(folder.text());
  EXPECT_EQ(names(list),
            (std::vector<std::string>{"cat/b.jpg", "cat/deep/er/x.jpg", "dog/10.jpg", "dog/2.jpg", "eel/a.jpg"}));
  EXPECT_EQ(list.label(0), 0);
  EXPECT_EQ(list.label(1), 0);
  EXPECT_EQ(list.label(2), 1);
  EXPECT_EQ(list.label(3), 1);
  EXPECT_EQ(list.label(4), 2);
  EXPECT_EQ(list.facts().layout, "classes");
  EXPECT_EQ(list.facts().images, 5);
  EXPECT_EQ(list.facts().bytes, 5);
}

TEST(ImageList, FlatFolderGivesStableLabelsBelowThousand) {
  TemporaryFolder folder;
  for (int i = 0; i < 200; ++i) folder.write("img" + std::to_string(i), "x");
  const ImageList list = ImageList::from_path(folder.text());
  const ImageList again = ImageList::from_path(folder.text() + "/");
  std::set<std::int32_t> labels;
  for (std::size_t i = 0; i < list.size(); ++i) {
    EXPECT_GE(list.label(i), 0);
    EXPECT_LT(list.label(i), 1000);
    EXPECT_EQ(list.label(i), again.label(i));
    labels.insert(list.label(i));
  }
  EXPECT_GT(labels.size(), 150u);  // 200 balls in 1000 bins: about 181
  EXPECT_EQ(list.facts().layout, "flat");
}

TEST(ImageList, MoreThanThousandClassesStayBelowThousand) {
  TemporaryFolder folder;
  for (int i = 0; i < 1003; ++i) folder.write("c" + std::to_string(10000 + i) + "/a", "x");
  const ImageList list = ImageList::from_path(folder.text());
  EXPECT_EQ(list.label(999), 999);
  EXPECT_EQ(list.label(1000), 0);
  EXPECT_TRUE(mentions(list.facts(), "1003 class folders"));
}

TEST(ImageList, DigestIsOfTheDataAndNotOfWhereItLies) {
  TemporaryFolder first, second;
  for (const TemporaryFolder* folder : {&first, &second})
    for (int i = 0; i < 30; ++i)
      folder->write("k" + std::to_string(i % 3) + "/" + std::to_string(i), "content " + std::to_string(i));
  const std::string digest = ImageList::from_path(first.text()).facts().digest;
  EXPECT_EQ(digest.substr(0, 8), "fnv1a64:");
  EXPECT_EQ(digest, ImageList::from_path(second.text()).facts().digest);

  second.write("k0/0", "contenT 0");  // one bit, same size
  EXPECT_NE(digest, ImageList::from_path(second.text()).facts().digest);
  second.write("k0/0", "content 0");
  EXPECT_EQ(digest, ImageList::from_path(second.text()).facts().digest);
  second.write("k0/0", "content 0 and more");
  EXPECT_NE(digest, ImageList::from_path(second.text()).facts().digest);
  second.write("k0/0", "content 0");
  fs::rename(second.path() / "k0/0", second.path() / "k0/00");
  EXPECT_NE(digest, ImageList::from_path(second.text()).facts().digest);
}

TEST(ImageList, DigestOfAListOfAbsolutePathsDoesNotDependOnThePrefix) {
  std::vector<std::string> digests;
  for (int i = 0; i < 2; ++i) {
    TemporaryFolder folder;
    folder.write("a/1.jpg", "one");
    folder.write("b/2.jpg", "two");
    folder.write("list.txt", folder.text() + "/a/1.jpg\n" + folder.text() + "/b/2.jpg\n");
    digests.push_back(ImageList::from_path(folder.text() + "/list.txt").facts().digest);
  }
  EXPECT_EQ(digests[0], digests[1]);
}

TEST(ImageList, OnlyRegularFilesAreListedAndTheRestIsCounted) {
  TemporaryFolder folder;
  folder.write("c/real.jpg", "x");
  folder.write("elsewhere/y.jpg", "y");
  ASSERT_EQ(::mkfifo((folder.path() / "c/fifo").c_str(), 0600), 0);
  fs::create_symlink("real.jpg", folder.path() / "c/good_link");
  fs::create_symlink("nowhere", folder.path() / "c/dangling");
  fs::create_symlink("circular", folder.path() / "c/circular");
  fs::create_directory_symlink("..", folder.path() / "c/up");
  fs::create_symlink("/dev/null", folder.path() / "c/device");
  const ImageList list = ImageList::from_path(folder.text());  // a FIFO that is opened blocks for ever
  EXPECT_EQ(names(list), (std::vector<std::string>{"c/good_link", "c/real.jpg", "elsewhere/y.jpg"}));
  const DataFacts facts = list.facts();
  EXPECT_EQ(facts.skipped, 5);
  EXPECT_TRUE(mentions(facts, "links that lead nowhere (first: c/dangling)"));
  EXPECT_TRUE(mentions(facts, "Too many levels of symbolic links"));
  EXPECT_TRUE(mentions(facts, "links to a folder that is listed already (first: c/up/)"));
  EXPECT_TRUE(mentions(facts, "2 entries that are not regular files"));
}

TEST(ImageList, LinkedClassFoldersAreFollowed) {
  TemporaryFolder folder, elsewhere;
  elsewhere.write("a.jpg", "x");
  fs::create_directory_symlink(elsewhere.path(), folder.path() / "cat");
  folder.write("dog/b.jpg", "x");
  EXPECT_EQ(names(ImageList::from_path(folder.text())), (std::vector<std::string>{"cat/a.jpg", "dog/b.jpg"}));
}

TEST(ImageList, AFolderKeepsItsNameAndLabelWhereALinkToItSortsFirst) {
  TemporaryFolder folder;
  folder.write("cat/a.jpg", "x");
  folder.write("dog/deep/b.jpg", "y");
  fs::create_directory_symlink("cat", folder.path() / "a_link");
  fs::create_directory_symlink("../dog/deep", folder.path() / "cat/deep_link");
  const ImageList list = ImageList::from_path(folder.text());
  EXPECT_EQ(names(list), (std::vector<std::string>{"cat/a.jpg", "dog/deep/b.jpg"}));
  EXPECT_EQ(list.label(0), 0);
  EXPECT_EQ(list.label(1), 1);
  EXPECT_TRUE(mentions(list.facts(), "skipped 2 links to a folder that is listed already (first: a_link/)"));
}

TEST(ImageList, FingerprintTellsOfFilesThatCameWentOrWereWrittenAnew) {
  TemporaryFolder folder;
  for (int i = 0; i < 200; ++i) folder.write("a/" + std::to_string(i) + ".jpg", "x");
  const auto now = [&] { return ImageList::from_path(folder.text()).fingerprint(); };
  const std::string first = now();
  EXPECT_EQ(now(), first);
  folder.write("a/new.jpg", "x");
  EXPECT_NE(now(), first);
  fs::rename(folder.path() / "a/new.jpg", folder.path() / "a/newer.jpg");
  EXPECT_NE(now(), first);
  fs::remove(folder.path() / "a/newer.jpg");
  EXPECT_EQ(now(), first);
  for (int i = 0; i < 200; ++i)
    fs::last_write_time(folder.path() / ("a/" + std::to_string(i) + ".jpg"), fs::file_time_type::clock::now() + std::chrono::seconds(5));
  const std::string rewritten = now();
  EXPECT_NE(rewritten, first) << "the same sizes, written anew";
  for (int i = 0; i < 200; ++i) folder.write("a/" + std::to_string(i) + ".jpg", "longer");
  EXPECT_NE(now(), rewritten);
}

/// Root may read anything: the rights of a folder are tried as somebody else.
class AsNobody {
 public:
  AsNobody() : changed_(::geteuid() == 0 && ::seteuid(65534) == 0) {}
  ~AsNobody() {
    if (changed_ && ::seteuid(0) != 0) ADD_FAILURE() << "the tests' rights are lost";
  }

 private:
  bool changed_;
};

TEST(ImageList, UnreadableFolderIsNotedAndTheRestIsListed) {
  TemporaryFolder folder;
  folder.write("a/x.jpg", "x");
  folder.write("b/y.jpg", "y");
  fs::permissions(folder.path(), static_cast<fs::perms>(0755));
  fs::permissions(folder.path() / "a", fs::perms::none);
  fs::permissions(folder.path() / "b", static_cast<fs::perms>(0755));
  {
    const AsNobody nobody;
    const ImageList list = ImageList::from_path(folder.text());
    EXPECT_EQ(names(list), std::vector<std::string>{"b/y.jpg"});
    EXPECT_TRUE(mentions(list.facts(), "folders that cannot be read: Permission denied (first: a/)"));
  }
  fs::permissions(folder.path() / "a", fs::perms::owner_all);
}

TEST(ImageList, ListFileKeepsItsOrderAndLabels) {
  TemporaryFolder folder;
  folder.write("img/b.jpg", "x");
  folder.write("img/a.jpg", "x");
  folder.write("c d.jpg", "x");
  folder.write("list.txt", "img/b.jpg\t7\r\nimg/a.jpg\r\n\nc d.jpg\t999\nmissing.jpg\nimg\n");
  const ImageList list = ImageList::from_path(folder.text() + "/list.txt");
  EXPECT_EQ(names(list), (std::vector<std::string>{"img/b.jpg", "img/a.jpg", "c d.jpg"}));
  EXPECT_EQ(list.label(0), 7);
  EXPECT_EQ(list.label(1), 0);
  EXPECT_EQ(list.label(2), 999);
  const DataFacts facts = list.facts();
  EXPECT_EQ(facts.layout, "list");
  EXPECT_EQ(facts.skipped, 2);
  EXPECT_TRUE(mentions(facts, "lines that name no file (first: missing.jpg)"));
}

TEST(ImageList, WrongDataPathsAreNamedWithWhatIsAccepted) {
  TemporaryFolder folder;
  const std::string accepted =
      "want a folder of class folders, a folder of images, a packed folder, or a text file with one image path a line";
  const std::string at = folder.text();
  EXPECT_EQ(error_of(at + "/nothing"), at + "/nothing: No such file or directory; " + accepted);
  EXPECT_EQ(error_of(at), at + ": holds no files; " + accepted);
  folder.write("one.jpg", test::make_jpeg({}));
  EXPECT_EQ(error_of(at + "/one.jpg"), at + "/one.jpg: a single file (jpeg), not a list of images; " + accepted);
  folder.write("empty.txt", "");
  EXPECT_EQ(error_of(at + "/empty.txt"), at + "/empty.txt: an empty file; " + accepted);
  folder.write("binary", std::string("a\0b", 3));
  EXPECT_EQ(error_of(at + "/binary"), at + "/binary: a binary file, not a list of images; " + accepted);
  folder.write("prose.md", "# Title\n\nSome words.\n");
  EXPECT_EQ(error_of(at + "/prose.md"),
            at + "/prose.md: lists no image: 2 lines that name no file (first: # Title); " + accepted);
  folder.write("labels.txt", "one.jpg\t3\none.jpg\tcat\n");
  EXPECT_EQ(error_of(at + "/labels.txt"), at + "/labels.txt:2: label \"cat\", want an integer from 0 to 999");
  folder.write("label.txt", "one.jpg\t1000\n");
  EXPECT_EQ(error_of(at + "/label.txt"), at + "/label.txt:1: label \"1000\", want an integer from 0 to 999");
  folder.write("long.txt", std::string(10'000, 'a'));
  EXPECT_NE(error_of(at + "/long.txt").find("long.txt:1: a line of more than"), std::string::npos);
  ASSERT_EQ(::mkfifo((folder.path() / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(error_of(at + "/fifo"), at + "/fifo: neither a folder nor a regular file; " + accepted);
  EXPECT_EQ(error_of("/dev/null"), "/dev/null: neither a folder nor a regular file; " + accepted);
}

TEST(ImageList, EmptyClassFoldersAreNotData) {
  TemporaryFolder folder;
  fs::create_directories(folder.path() / "a/b");
  fs::create_symlink("nowhere", folder.path() / "x.jpg");
  EXPECT_NE(error_of(folder.text()).find("holds no files, but 1 links that lead nowhere (first: x.jpg)"),
            std::string::npos);
}

long resident_kib() {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;)
    if (long kib = 0; word == "VmRSS:" && file >> kib) return kib;
  return 0;
}

TEST(SlowImageList, HundredThousandFilesAreListedInLittleMemory) {
  TemporaryFolder folder;
  for (int c = 0; c < 100; ++c) {
    const fs::path name = folder.path() / ("n0144" + std::to_string(1000 + c));
    fs::create_directory(name);
    for (int i = 0; i < 1000; ++i) std::ofstream(name / ("n01441000_" + std::to_string(10000 + i) + ".JPEG"));
  }
  const long before = resident_kib();
  const ImageList list = ImageList::from_path(folder.text());
  EXPECT_LT(resident_kib() - before, 48 * 1024);  // names take 3 MB, and sorting copies them once
  EXPECT_EQ(list.size(), 100'000u);
  EXPECT_EQ(list.name(99'999), "n01441099/n01441000_10999.JPEG");
  EXPECT_EQ(list.label(99'999), 99);
}

}  // namespace
}  // namespace feedtune
