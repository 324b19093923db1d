// What an image's bytes cost until they have been looked at once, by the way they are asked for: files one by one, or the
// records of a packed folder (results/packed.md). Three states: not in memory, in the page cache but not in this process's
// maps, and the same pass again. Microseconds an image; each way in its own process, so that no map outlives it.
//   feedtune pack PACK --data FILES
//   ninja -C build pack-access && build/bench/pack-access FILES PACK [passes=3]
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <exception>
#include <functional>
#include <iostream>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "pipeline/image_list.hpp"
#include "pipeline/packed_folder.hpp"
#include "pipeline/packed_store.hpp"
#include "pipeline/page_cache.hpp"
#include "process/descriptor.hpp"

namespace {

using feedtune::Descriptor;
using Clock = std::chrono::steady_clock;

const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));

/// One byte of each page, so that all of them have been there.
unsigned look_at(const std::byte* begin, std::size_t bytes) {
  unsigned sum = 0;
  for (std::size_t k = 0; k < bytes; k += page) sum += std::to_integer<unsigned>(begin[k]);
  return sum;
}

/// One shard of the pack, opened and mapped as a way wants it.
struct Shard {
  Descriptor file;
  std::byte* map = nullptr;
  std::size_t bytes = 0;
};

struct Place {
  std::size_t shard = 0;
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

struct Way {
  std::string name;
  bool from_files = false;
  int advice = MADV_NORMAL;            ///< of the whole map
  std::optional<int> record_advice{};  ///< given before a record is looked at
  bool populate = false;
  bool by_read = false;
  std::size_t ahead = 0;  ///< files that are opened and asked for (POSIX_FADV_WILLNEED) before their turn
};

const std::vector<Way> ways = {
    {.name = "open, fstat, read each file (storage=files)", .from_files = true},
    {.name = "the same, each file opened and asked for (POSIX_FADV_WILLNEED) 16 files before its turn", .from_files = true, .ahead = 16},
    {.name = "mmap, the kernel's own read-ahead"},
    {.name = "the same, each record populated first (MADV_POPULATE_READ)", .populate = true},
    {.name = "the same with MADV_WILLNEED before it", .record_advice = MADV_WILLNEED, .populate = true},
    {.name = "mmap with MADV_RANDOM", .advice = MADV_RANDOM},
    {.name = "mmap with MADV_SEQUENTIAL", .advice = MADV_SEQUENTIAL},
    {.name = "pread into a buffer that is reused", .by_read = true},
};

struct Data {
  feedtune::ImageList files;
  std::string pack;
  std::vector<Place> places;
  std::size_t shards = 0;
};

std::string shard_path(const Data& data, std::size_t number) {
  return data.pack + "/" + feedtune::packed_shard_name(number);
}

std::vector<Shard> open_shards(const Data& data, const Way& way) {
  std::vector<Shard> shards(data.shards);
  for (std::size_t k = 0; k < data.shards; ++k) {
    const std::string path = shard_path(data, k);
    shards[k].file = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat facts {};
    if (!shards[k].file || ::fstat(shards[k].file.get(), &facts) != 0) throw std::runtime_error(path + ": cannot be opened");
    shards[k].bytes = static_cast<std::size_t>(facts.st_size);
    if (way.by_read) continue;
    void* map = ::mmap(nullptr, shards[k].bytes, PROT_READ, MAP_SHARED, shards[k].file.get(), 0);
    if (map == MAP_FAILED) throw std::runtime_error(path + ": cannot be mapped");
    shards[k].map = static_cast<std::byte*>(map);
    ::madvise(map, shards[k].bytes, way.advice);
  }
  return shards;
}

void advise_record(std::byte* begin, std::size_t bytes, int advice) {
  const std::size_t before = reinterpret_cast<std::uintptr_t>(begin) % page;
  if (::madvise(begin - before, bytes + before, advice) != 0) throw std::runtime_error("this kernel refuses an madvise");
}

/// Microseconds an image of one pass over all of them in the given order.
double pass_us(const Data& data, const Way& way, const std::vector<Shard>& shards, const std::vector<std::size_t>& order) {
  static std::vector<std::byte> buffer;
  static volatile unsigned sink = 0;
  std::deque<Descriptor> asked;
  std::size_t next = 0;
  const auto ask = [&] {
    asked.emplace_back(feedtune::open_data_file(data.files, order[next++]));
    if (way.ahead != 0) ::posix_fadvise(asked.back().get(), 0, 0, POSIX_FADV_WILLNEED);
  };
  const auto begin = Clock::now();
  for (const std::size_t image : order) {
    if (way.from_files) {
      while (next < order.size() && asked.size() <= way.ahead) ask();
      const Descriptor file = std::move(asked.front());
      asked.pop_front();
      struct stat facts {};
      if (!file || ::fstat(file.get(), &facts) != 0) throw std::runtime_error("a file cannot be opened");
      buffer.resize(std::max(buffer.size(), static_cast<std::size_t>(facts.st_size)));
      if (::read(file.get(), buffer.data(), static_cast<std::size_t>(facts.st_size)) != facts.st_size)
        throw std::runtime_error("a file cannot be read");
      sink = sink + look_at(buffer.data(), static_cast<std::size_t>(facts.st_size));
      continue;
    }
    const Place& place = data.places[image];
    if (way.by_read) {
      buffer.resize(std::max(buffer.size(), place.bytes));
      if (::pread(shards[place.shard].file.get(), buffer.data(), place.bytes, static_cast<off_t>(place.offset)) !=
          static_cast<ssize_t>(place.bytes))
        throw std::runtime_error("a shard cannot be read");
      sink = sink + look_at(buffer.data(), place.bytes);
      continue;
    }
    std::byte* record = shards[place.shard].map + place.offset;
    if (way.record_advice) advise_record(record, place.bytes, *way.record_advice);
    if (way.populate) advise_record(record, place.bytes, MADV_POPULATE_READ);
    sink = sink + look_at(record, place.bytes);
  }
  const std::chrono::duration<double, std::micro> took = Clock::now() - begin;
  return took.count() / static_cast<double>(order.size());
}

using States = std::array<double, 3>;  // from the disk, in the page cache, again

/// In a child: no map but its own holds the pages, which a drop needs.
States measure(const Data& data, const Way& way, const std::vector<std::size_t>& order) {
  std::array<int, 2> channel{};
  if (::pipe(channel.data()) != 0) throw std::runtime_error("no pipe");
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    try {
      feedtune::DataFiles shard_files;
      shard_files.count = data.shards;
      shard_files.open = [&](std::size_t k) { return ::open(shard_path(data, k).c_str(), O_RDONLY | O_CLOEXEC); };
      const feedtune::DataFiles files = way.from_files ? feedtune::DataFiles(data.files) : shard_files;
      States states{};
      feedtune::drop_page_cache(files);
      if (feedtune::cache_resident_share(files).value.value_or(1) > 0.01)
        throw std::runtime_error("the data stay in the page cache (tmpfs, or mapped by another process?)");
      {
        const auto shards = way.from_files ? std::vector<Shard>{} : open_shards(data, way);
        states[0] = pass_us(data, way, shards, order);
        for (const Shard& shard : shards)
          if (shard.map) ::munmap(shard.map, shard.bytes);
      }
      feedtune::warm_page_cache(files, {});
      const auto shards = way.from_files ? std::vector<Shard>{} : open_shards(data, way);
      states[1] = pass_us(data, way, shards, order);
      states[2] = pass_us(data, way, shards, order);
      const bool sent = ::write(channel[1], states.data(), sizeof states) == static_cast<ssize_t>(sizeof states);
      ::_exit(sent ? 0 : 1);
    } catch (const std::exception& error) {
      std::cerr << "pack-access: " << error.what() << '\n';
      ::_exit(1);
    }
  }
  ::close(channel[1]);
  States states{};
  const bool whole = ::read(channel[0], states.data(), sizeof states) == static_cast<ssize_t>(sizeof states);
  ::close(channel[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!whole || status != 0) throw std::runtime_error(way.name + ": failed");
  return states;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Data open_data(const std::string& files, const std::string& pack) {
  Data data{feedtune::ImageList::from_path(files), pack, {}, 0};
  const feedtune::PackedIndex index = feedtune::read_packed_index(pack);
  data.shards = index.shards.size();
  for (std::size_t k = 0; k < data.shards; ++k) {
    const auto& shard = index.shards[k];
    for (std::uint64_t i = shard.first_image; i < shard.first_image + shard.images; ++i)
      data.places.push_back({k, index.records[i].offset, index.records[i].length});
  }
  if (data.places.size() != data.files.size()) throw std::runtime_error("PACK was not made of FILES: another number of images");
  return data;
}

void run(const Data& data, int passes) {
  std::vector<std::size_t> by_name(data.places.size());
  std::iota(by_name.begin(), by_name.end(), std::size_t{0});
  auto shuffled = by_name;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(1));
  // By way, order and state: one value a pass. The ways take turns, so that a slow spell falls on all of them.
  std::vector<std::array<std::array<std::vector<double>, 3>, 2>> found(ways.size());
  for (int pass = 0; pass < passes; ++pass)
    for (std::size_t w = 0; w < ways.size(); ++w)
      for (const std::size_t o : {std::size_t{0}, std::size_t{1}}) {
        const States states = measure(data, ways[w], o == 0 ? shuffled : by_name);
        for (std::size_t s = 0; s < states.size(); ++s) found[w][o][s].push_back(states[s]);
      }
  std::cout << "| way | from the disk | in the page cache, not yet mapped | again |\n|---|---|---|---|\n";
  for (std::size_t w = 0; w < ways.size(); ++w) {
    std::cout << "| " << ways[w].name;
    for (std::size_t s = 0; s < 3; ++s) std::cout << fmt::format(" | {:.0f} / {:.0f}", median(found[w][0][s]), median(found[w][1][s]));
    std::cout << " |\n";
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3 || argc > 4) {
    std::cerr << "usage: pack-access FILES PACK [passes=3]\n";
    return 2;
  }
  const int passes = argc == 4 ? std::atoi(argv[3]) : 3;
  if (passes < 1) throw std::runtime_error("passes: want 1 or more");
  run(open_data(argv[1], argv[2]), passes);
  return 0;
} catch (const std::exception& error) {
  std::cerr << "pack-access: " << error.what() << '\n';
  return 1;
}
