// One image from its file to its slot: bad files are counted with path and reason, phases are timed apart, and whatever
// the loader, the same seed gives the same bytes.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "core/error.hpp"
#include "image_jpeg_fixture.hpp"
#include "loaders_fixture.hpp"
#include "pipeline/data_set.hpp"
#include "pipeline/image_decoder.hpp"
#include "pipeline/image_error.hpp"
#include "pipeline/image_preparer.hpp"
#include "pipeline/page_cache.hpp"

namespace feedtune {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

/// Pictures of several kinds in two classes.
void write_pictures(const TemporaryFolder& folder, int count) {
  using Colour = test::JpegKind::Colour;
  for (int i = 0; i < count; ++i) {
    test::JpegKind kind{.width = 120 + 13 * (i % 5),
                        .height = 90 + 7 * (i % 7),
                        .progressive = i % 6 == 5,
                        .seed = static_cast<unsigned>(i)};
    if (i % 5 == 3) kind.horizontal = kind.vertical = 1;
    if (i % 7 == 4) {
      kind.colour = Colour::grey;
      kind.horizontal = kind.vertical = 1;
    }
    folder.write((i % 2 ? "b/" : "a/") + std::to_string(100 + i) + ".jpg", test::make_jpeg(kind));
  }
}

LoaderSetup loader_setup(const std::string& decoder = "turbo") {
  LoaderSetup setup;
  setup.decoder = decoder;
  setup.batch_size = 4;
  return setup;
}

struct Prepared {
  bool done = false;
  std::vector<std::byte> pixels;
};

/// Prepares every image of the first epoch in order, on this thread.
std::map<std::string, Prepared> prepare_all(DataSet& data, WorkerTotals& totals) {
  const LoaderParts parts = data.parts(nullptr, nullptr);
  const auto preparer = parts.make_preparer(0);
  std::map<std::string, Prepared> all;
  for (std::int64_t position = 0; position < parts.images_per_epoch; ++position) {
    const Sample sample = parts.sample_at(position);
    Prepared prepared;
    prepared.pixels.assign(parts.image_bytes, std::byte{0xee});
    prepared.done = preparer->prepare(sample, prepared.pixels, totals);
    all[std::string(data.list().name(sample.image))] = std::move(prepared);
  }
  return all;
}

bool all_zero(const std::vector<std::byte>& bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

const FileNote* note_of(const std::vector<FileNote>& notes, const std::string& path, const std::string& kind) {
  for (const FileNote& note : notes)
    if (note.path == path && note.reason.starts_with(kind)) return &note;
  return nullptr;
}

TEST(ImagePreparer, BadFilesAreZeroedAndNamedWithTheirReason) {
  TemporaryFolder folder;
  const auto jpeg = test::make_jpeg({.width = 160, .height = 120});
  folder.write("good.jpg", jpeg);
  folder.write("empty.jpg", "");
  folder.write("half.jpg", std::span(jpeg).first(jpeg.size() / 2));
  folder.write("text.jpg", "hello, this is text");
  folder.write("page.jpg", "<!DOCTYPE html><html>");
  folder.write("movie.jpg", "GIF89a..............");
  folder.write("gone.jpg", jpeg);
  for (int tenth = 1; tenth < 10; ++tenth)
    folder.write("cut" + std::to_string(tenth),
                 std::span(jpeg).first(jpeg.size() * static_cast<std::size_t>(tenth) / 10));
  DataCache cache;
  DataSet data({.path = folder.text(), .image_size = 32}, loader_setup("turbo_full"), cache);
  fs::remove(folder.path() / "gone.jpg");

  WorkerTotals totals;
  auto prepared = prepare_all(data, totals);
  EXPECT_EQ(totals.failed + totals.images, 16);
  const auto notes = data.log().notes();
  const std::map<std::string, std::string> failures = {
      {"empty.jpg", "failed: empty file"},
      {"text.jpg", "failed: not an image (starts with 68 65 6c 6c 6f 2c 20 74)"},
      {"page.jpg", "failed: unsupported: html"},
      {"movie.jpg", "failed: unsupported: gif"},
      {"gone.jpg", "failed: cannot be opened: No such file or directory"}};
  for (const auto& [name, reason] : failures) {
    EXPECT_FALSE(prepared[name].done) << name;
    EXPECT_TRUE(all_zero(prepared[name].pixels)) << name;
    const FileNote* note = note_of(notes, name, "failed");
    ASSERT_NE(note, nullptr) << name;
    EXPECT_EQ(note->reason, reason);
  }
  EXPECT_TRUE(prepared["good.jpg"].done);
  EXPECT_FALSE(all_zero(prepared["good.jpg"].pixels));
  EXPECT_EQ(note_of(notes, "good.jpg", "failed"), nullptr);
  EXPECT_EQ(note_of(notes, "good.jpg", "damaged"), nullptr);
  ASSERT_TRUE(prepared["half.jpg"].done);
  ASSERT_NE(note_of(notes, "half.jpg", "damaged"), nullptr);
  EXPECT_NE(note_of(notes, "half.jpg", "damaged")->reason.find("Premature end of JPEG"), std::string::npos);
  EXPECT_EQ(totals.damaged, data.log().counts().damaged);
  EXPECT_EQ(totals.failed, data.log().counts().failed);
  EXPECT_GE(totals.damaged, 7);
  EXPECT_GE(totals.failed, 5);
}

TEST(ImagePreparer, FileThatClaimsAHugeImageCostsNoMemory) {
  TemporaryFolder folder;
  auto bytes = test::make_jpeg({.width = 64, .height = 64});
  for (std::size_t i = 2; i + 9 < bytes.size(); ++i)
    if (bytes[i] == std::byte{0xff} && bytes[i + 1] == std::byte{0xc0}) {
      for (const std::size_t at : {i + 5, i + 7})
        bytes[at] = std::byte{0xff}, bytes[at + 1] = std::byte{0xdc};  // 65,500
      break;
    }
  folder.write("bomb.jpg", bytes);
  DataCache cache;
  DataSet data({.path = folder.text(), .image_size = 32}, loader_setup(), cache);
  rusage before{}, after{};
  ::getrusage(RUSAGE_SELF, &before);
  WorkerTotals totals;
  prepare_all(data, totals);
  ::getrusage(RUSAGE_SELF, &after);
  EXPECT_EQ(totals.failed, 1);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 64 * 1024);  // KiB; the pixels would take 12 GB
  EXPECT_NE(data.log().notes().at(0).reason.find("65500 x 65500"), std::string::npos);
}

TEST(ImagePreparer, FileThatShrinksOrBecomesAFifoFailsWithItsReason) {
  TemporaryFolder folder;
  folder.write("a.jpg", test::make_jpeg({}));
  const ImageList list = ImageList::from_path(folder.text());
  const auto source = make_file_source(list);
  EXPECT_GT(source->fetch(0).bytes.size(), 100u);
  fs::remove(folder.path() / "a.jpg");
  ASSERT_EQ(::mkfifo((folder.path() / "a.jpg").c_str(), 0600), 0);
  try {
    source->fetch(0);  // opening a FIFO for reading must not wait for a writer
    FAIL();
  } catch (const ImageError& error) {
    EXPECT_STREQ(error.what(), "no longer a regular file");
  }
  fs::remove(folder.path() / "a.jpg");
  std::ofstream(folder.path() / "a.jpg").seekp(static_cast<std::streamoff>(max_file_bytes)) << "x";  // sparse
  try {
    source->fetch(0);
    FAIL();
  } catch (const ImageError& error) {
    EXPECT_STREQ(error.what(), "268435457 bytes, over the limit of 268435456");
  }
  // A file of /proc says 0 bytes and a file of /sys says more than it gives: what shrinking looks like.
  TemporaryFolder lists;
  if (!fs::exists("/sys/kernel/mm/transparent_hugepage/enabled")) GTEST_SKIP() << "no file that reads short here";
  lists.write("list.txt", "/sys/kernel/mm/transparent_hugepage/enabled\n");
  const ImageList short_list = ImageList::from_path(lists.text() + "/list.txt");
  try {
    make_file_source(short_list)->fetch(0);
    FAIL();
  } catch (const ImageError& error) {
    EXPECT_NE(std::string(error.what()).find("shrank while being read"), std::string::npos) << error.what();
  }
}

TEST(ImagePreparer, PhasesAreTimedAndAddUpToLessThanTheWhole) {
  TemporaryFolder folder;
  write_pictures(folder, 12);
  DataCache cache;
  DataSet data({.path = folder.text(), .image_size = 64}, loader_setup(), cache);
  WorkerTotals totals;
  const SteadyClock clock;
  const auto start = clock.now();
  prepare_all(data, totals);
  const auto wall = (clock.now() - start).count();
  for (const auto* phase : {&totals.open, &totals.read, &totals.decode, &totals.decode_cpu, &totals.transform})
    EXPECT_GT(phase->load(), 0);
  EXPECT_LE(totals.open + totals.read + totals.decode + totals.transform, wall);
  EXPECT_EQ(totals.images, 12);
  std::int64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
    if (entry.is_regular_file()) bytes += static_cast<std::int64_t>(entry.file_size());
  EXPECT_EQ(totals.bytes_read, bytes);
  EXPECT_EQ(totals.collate + totals.blocked + totals.starved, 0);  // the loader's
}

TEST(ImagePreparer, MemoryAndPartialDecodingGiveTheSamePixels) {
  TemporaryFolder folder;
  write_pictures(folder, 20);
  folder.write("a/bad.jpg", "nonsense");
  std::map<std::string, std::vector<std::byte>> reference;
  for (const Storage storage : {Storage::files, Storage::memory})
    for (const char* decoder : {"turbo", "turbo_full"})
      for (const int threads : {1, 3}) {
        LoaderSetup setup = loader_setup(decoder);
        setup.storage = storage;
        setup.worker_threads = threads;
        DataCache cache;
        DataSet data({.path = folder.text(), .image_size = 48}, setup, cache);
        EXPECT_EQ(cache.store != nullptr, storage == Storage::memory);
        WorkerTotals totals;
        for (auto& [name, prepared] : prepare_all(data, totals)) {
          const auto [known, is_new] = reference.emplace(name, prepared.pixels);
          EXPECT_EQ(known->second == prepared.pixels, true) << name << " " << decoder << " " << threads;
        }
        EXPECT_EQ(totals.failed, 1);
        EXPECT_EQ(totals.images, 20);
      }
  EXPECT_EQ(reference.size(), 21u);
}

TEST(ImagePreparer, EveryLoaderAndNumberOfWorkersDeliversTheSameBatches) {
  TemporaryFolder folder;
  write_pictures(folder, 17);
  folder.write("b/bad.jpg", "nonsense");
  std::vector<std::vector<std::byte>> reference;
  std::vector<std::int32_t> labels;
  for (const LoaderKind kind : {LoaderKind::batch_per_worker, LoaderKind::pooled})
    for (const int workers : {0, 1, 3})
      for (const InputType type : {InputType::float32}) {
        LoaderSetup setup = loader_setup();
        setup.kind = kind;
        setup.num_workers = workers;
        setup.input_type = type;
        setup.affinity = workers == 3 ? Affinity::cores : Affinity::none;
        DataCache cache;
        DataSet data({.path = folder.text(), .seed = 5, .image_size = 40}, setup, cache);
        const auto memory = std::make_shared<loader_test::CountingAllocator>(HostMemory::pageable);
        const auto loader = make_loader(setup, data.parts(memory, memory));
        for (std::size_t step = 0; step < 11; ++step) {  // more than two epochs of 18
          const Batch batch = loader->next();
          std::vector<std::byte> pixels(batch.pixels.begin(), batch.pixels.end());
          if (reference.size() == step) {
            reference.push_back(pixels);
            labels.insert(labels.end(), batch.labels.begin(), batch.labels.end());
          }
          EXPECT_TRUE(pixels == reference[step]) << "step " << step << " workers " << workers;
          EXPECT_TRUE(std::equal(batch.labels.begin(), batch.labels.end(),
                                 labels.begin() + static_cast<std::ptrdiff_t>(step * 4)));
          loader->release(batch);
        }
        EXPECT_EQ(data.log().notes().at(0).path, "b/bad.jpg");
      }
  EXPECT_NE(reference[0], reference[1]);
}

TEST(ImagePreparer, AnotherSeedGivesOtherCrops) {
  TemporaryFolder folder;
  write_pictures(folder, 6);
  std::map<std::string, std::vector<std::byte>> first;
  for (const std::uint64_t seed : {1u, 2u}) {
    DataCache cache;
    DataSet data({.path = folder.text(), .seed = seed, .image_size = 32}, loader_setup(), cache);
    WorkerTotals totals;
    for (auto& [name, prepared] : prepare_all(data, totals)) {
      if (seed == 1)
        first[name] = prepared.pixels;
      else
        EXPECT_NE(first[name], prepared.pixels) << name;
    }
  }
}

TEST(ImagePreparer, WhatThisVersionLacksIsUnsupportedByName) {
  TemporaryFolder folder;
  write_pictures(folder, 1);
  const auto reason = [&](LoaderSetup setup) -> std::string {
    DataCache cache;
    try {
      DataSet data({.path = folder.text()}, setup, cache);
    } catch (const TrialFailure& failure) {
      EXPECT_EQ(failure.status(), TrialStatus::unsupported);
      return failure.what();
    }
    return "made";
  };
  LoaderSetup setup = loader_setup();
  EXPECT_EQ(reason(setup), "made");
  setup.storage = Storage::packed;
  EXPECT_EQ(reason(setup), "storage=packed: this data is not packed; `feedtune pack DIR --data ...` makes a packed folder "
                           "DIR, to be given as --data");
  setup = loader_setup("opencv");
  if (const std::string missing = decoder_unavailable("opencv"); !missing.empty())
    EXPECT_EQ(reason(setup), "decoder=opencv: " + missing);
  else
    EXPECT_EQ(reason(setup), "made");
}

TEST(ImagePreparer, DataThatDoesNotFitInMemoryIsRefusedBeforeItIsRead) {
  TemporaryFolder folder;
  write_pictures(folder, 5);
  const ImageList list = ImageList::from_path(folder.text());
  const auto bytes = static_cast<std::uint64_t>(list.facts().bytes);
  EXPECT_EQ(MemoryStore(list, bytes).total_bytes(), bytes);
  try {
    MemoryStore store(list, bytes - 1);
    FAIL();
  } catch (const OutOfMemory& error) {
    EXPECT_EQ(error.where(), MemoryKind::host);
    EXPECT_EQ(error.requested_bytes(), bytes);
    EXPECT_EQ(error.limit_bytes(), bytes - 1);
  }
}

TEST(ImageFileLog, KeepsTheFirstTwentyBadFilesOnceAndTheFiveSlowest) {
  FileLog log;
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 30; ++i) log.failed("bad" + std::to_string(i), "broken", Nanoseconds{1'000'000});
  log.damaged("bad0", "cut off", Nanoseconds{1});
  for (int i = 0; i < 100; ++i) log.took("file" + std::to_string(i), Nanoseconds{(i * 37 % 100) * 1'000'000});
  log.took("file27", Nanoseconds{500});  // known and faster than before
  const auto notes = log.notes();
  ASSERT_EQ(notes.size(), 25u);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(notes[static_cast<std::size_t>(i)].path, "bad" + std::to_string(i));
    EXPECT_EQ(notes[static_cast<std::size_t>(i)].reason, "failed: broken");
    EXPECT_EQ(notes[static_cast<std::size_t>(i)].ms, 1);
  }
  for (int i = 0; i < 5; ++i) {  // 37 * 27 = 999, so file 27 took 99 ms, 54 took 98, ...
    EXPECT_EQ(notes[static_cast<std::size_t>(20 + i)].path, "file" + std::to_string(27 * (i + 1) % 100));
    EXPECT_EQ(notes[static_cast<std::size_t>(20 + i)].ms, 99 - i);
    EXPECT_EQ(notes[static_cast<std::size_t>(20 + i)].reason, "slow");
  }
  EXPECT_EQ(log.counts().failed, 60);
  EXPECT_EQ(log.counts().damaged, 1);
  log.clear();
  EXPECT_TRUE(log.notes().empty());
  EXPECT_EQ(log.counts().failed, 0);
  log.took("again", Nanoseconds{1});
  EXPECT_EQ(log.notes().size(), 1u);
}

TEST(ImageFileLog, ManyThreadsLoseNothing) {
  FileLog log;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&log, t] {
      for (int i = 0; i < 2000; ++i) {
        log.took(std::to_string(t) + "/" + std::to_string(i), Nanoseconds{(i * 4 + t) * 1000});
        if (i % 100 == 0) log.failed(std::to_string(i), "x", Nanoseconds{0});
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(log.counts().failed, 80);
  const auto notes = log.notes();
  ASSERT_EQ(notes.size(), 25u);
  EXPECT_EQ(notes[20].path, "3/1999");
  EXPECT_EQ(notes[21].path, "2/1999");
  EXPECT_EQ(notes[24].path, "3/1998");
}

TEST(ImageActivity, AHangIsNamedByPhaseAndFile) {
  TemporaryFolder folder;
  folder.write("c/one.jpg", "x");
  folder.write("c/two.jpg", "x");
  const ImageList list = ImageList::from_path(folder.text());
  ActivityBoard board;
  EXPECT_EQ(board.longest(list), "workers idle");
  WorkerActivity& first = board.join(0);
  WorkerActivity& second = board.join(1);
  EXPECT_EQ(board.longest(list), "workers idle");
  const Nanoseconds now = SteadyClock().now();
  first.begin(0, now - std::chrono::seconds(2));
  first.enter(WorkerPhase::transform);
  second.begin(1, now - std::chrono::seconds(12));
  second.enter(WorkerPhase::decode);
  EXPECT_TRUE(board.longest(list).starts_with("worker 1: decode c/two.jpg for 12.")) << board.longest(list);
  const auto lines = board.busy(list);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1].file, "c/one.jpg");
  second.enter(WorkerPhase::idle);
  EXPECT_TRUE(board.longest(list).starts_with("worker 0: transform c/one.jpg for 2."));
}

}  // namespace
}  // namespace feedtune
