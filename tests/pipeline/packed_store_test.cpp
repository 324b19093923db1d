// Shards that are cut off while they are read.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <set>

#include "core/error.hpp"
#include "loaders_fixture.hpp"
#include "packed_fixture.hpp"
#include "pipeline/data_set.hpp"
#include "pipeline/image_error.hpp"
#include "pipeline/packed_folder.hpp"
#include "pipeline/packed_store.hpp"

namespace feedtune {
namespace {

using namespace packed_test;

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

}  // namespace
}  // namespace feedtune
