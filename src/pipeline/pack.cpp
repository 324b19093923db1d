#include "pipeline/pack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "core/error.hpp"
#include "pipeline/hash.hpp"
#include "pipeline/image_error.hpp"
#include "pipeline/image_list.hpp"
#include "pipeline/image_source.hpp"
#include "pipeline/data_folders.hpp"
#include "pipeline/packed_folder.hpp"
#include "pipeline/packed_picture.hpp"
#include "pipeline/packed_writer.hpp"

namespace feedtune {
namespace {

namespace fs = std::filesystem;

struct Record {
  std::vector<std::byte> bytes;
  std::uint32_t source_bytes = 0;
  bool failed = false;
  bool damaged = false;
};

/// Takes records in any order and hands them on in theirs. A thread that is far ahead waits, so that memory stays
/// bounded however slow one picture is.
class InOrder {
 public:
  using Take = std::function<void(std::size_t image, const Record& record)>;
  explicit InOrder(Take take) : take_(std::move(take)) {}

  /// False: another thread's work has failed, and this one should end.
  bool put(std::size_t image, Record record) {
    std::unique_lock lock(mutex_);
    moved_.wait(lock, [&] { return stopped_ || image == next_ || waiting_bytes_ < most_waiting_bytes; });
    if (stopped_) return false;
    waiting_bytes_ += record.bytes.size();
    waiting_.emplace(image, std::move(record));
    while (!waiting_.empty() && waiting_.begin()->first == next_) {
      take_(next_, waiting_.begin()->second);
      waiting_bytes_ -= waiting_.begin()->second.bytes.size();
      waiting_.erase(waiting_.begin());
      ++next_;
    }
    moved_.notify_all();
    return true;
  }
  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    moved_.notify_all();
  }
  std::size_t done() const {
    const std::lock_guard lock(mutex_);
    return next_;
  }

 private:
  static constexpr std::size_t most_waiting_bytes = std::size_t{64} << 20;
  Take take_;
  mutable std::mutex mutex_;
  std::condition_variable moved_;
  std::map<std::size_t, Record> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::size_t next_ = 0;
  bool stopped_ = false;
};

class Packing {
 public:
  Packing(const ImageList& list, const DataFolders& originals, const PackRecipe& recipe, PackedWriter& writer)
      : list_(list), originals_(originals), recipe_(recipe), writer_(writer), in_order_([this](std::size_t i, const Record& r) { write(i, r); }) {}

  void run(int threads, const PackProgress& progress) {
    std::vector<std::thread> helpers;
    const int helper_count = std::min<int>(threads, static_cast<int>(std::min<std::size_t>(list_.size(), 1024))) - 1;
    try {
      for (int i = 0; i < helper_count; ++i) helpers.emplace_back([this] { work({}); });
    } catch (const std::system_error&) {
      // With fewer threads it only takes longer.
    }
    work(progress);
    for (std::thread& helper : helpers) helper.join();
    if (error_) std::rethrow_exception(error_);
    if (progress) progress(static_cast<std::int64_t>(list_.size()), static_cast<std::int64_t>(list_.size()));
  }

  PackSummary summary;

 private:
  void work(const PackProgress& progress) {
    try {
      const auto source = make_file_source(list_);
      PackedPicture picture(recipe_);
      for (std::size_t i = next_++; i < list_.size(); i = next_++) {
        if (!in_order_.put(i, record(*source, picture, i))) return;
        if (progress) progress(static_cast<std::int64_t>(in_order_.done()), static_cast<std::int64_t>(list_.size()));
      }
    } catch (...) {
      const std::lock_guard lock(error_mutex_);
      if (!error_) error_ = std::current_exception();
      in_order_.stop();
    }
  }

  static Record record(ImageSource& source, PackedPicture& picture, std::size_t image) {
    Record record;
    try {
      const auto encoded = source.fetch(image).bytes;
      record.source_bytes = static_cast<std::uint32_t>(encoded.size());
      const PackedPicture::Record made = picture.make(encoded);
      record.bytes.assign(made.bytes.begin(), made.bytes.end());
      record.damaged = made.damaged;
    } catch (const ImageError& error) {
      const auto reason = std::as_bytes(std::span(std::string_view(error.what())));
      record.bytes.assign(reason.begin(), reason.end());
      record.failed = true;
    }
    return record;
  }

  /// One call at a time.
  void write(std::size_t image, const Record& record) {
    writer_.add(originals_.name(image), list_.label(image), record.source_bytes, record.bytes, record.failed);
    summary.source_bytes += record.source_bytes;
    summary.damaged += record.damaged ? 1 : 0;
    if (record.failed && summary.failed++ == 0)
      summary.first_failure = fmt::format("{}: {}", list_.name(image),
                                          std::string_view(reinterpret_cast<const char*>(record.bytes.data()), record.bytes.size()));
  }

  const ImageList& list_;
  const DataFolders& originals_;
  const PackRecipe& recipe_;
  PackedWriter& writer_;
  InOrder in_order_;
  std::atomic<std::size_t> next_{0};
  std::mutex error_mutex_;
  std::exception_ptr error_;
};

void check_options(const PackOptions& options) {
  if (options.folder.empty()) throw InputError("pack", "no folder given");
  if (options.data.empty()) throw InputError("--data", "no data given");
  if (packed_folder_state(options.data) != PackedFolder::none)
    throw InputError(options.data, "is a packed folder; give the folder or list of the originals");
  const auto [kind, side, quality] = options.recipe;
  if (side < 0 || side > max_side) throw InputError("--side", fmt::format("got {}, want 1 to {}", side, max_side));
  if (kind == PackKind::resized && side == 0) throw InputError("--side", "kind resized needs a number of pixels");
  if (kind == PackKind::resized && (quality < 1 || quality > 100))
    throw InputError("--quality", fmt::format("got {}, want 1 to 100", quality));
  if (kind == PackKind::jpeg && side != 0) throw InputError("--side", "kind jpeg keeps the files as they are");
  if (kind != PackKind::resized && quality != 0) throw InputError("--quality", "only kind resized makes JPEGs");
}

/// Ties shards to their index: the same source and options, the same number.
std::uint64_t pack_id(const DataFacts& source, const PackOptions& options) {
  Fnv1a64 hash;
  hash.add(source.digest);
  hash.add(static_cast<std::uint64_t>(source.images));
  hash.add(to_text(options.recipe.kind));
  hash.add(static_cast<std::uint64_t>(options.recipe.side));
  hash.add(static_cast<std::uint64_t>(options.recipe.quality));
  hash.add(options.shard_bytes);
  return hash.value();
}

}  // namespace

PackSummary pack(const PackOptions& options, const PackProgress& progress) {
  check_options(options);
  const ImageList list = ImageList::from_path(options.data);
  const DataFolders originals(list, options.data);
  originals.refuse_inside(options.folder);
  const DataFacts facts = list.facts();
  PackedWriter writer(options.folder, options.recipe, pack_id(facts, options), options.shard_bytes);
  Packing packing(list, originals, options.recipe, writer);
  packing.run(options.threads, progress);
  PackSummary summary = packing.summary;
  summary.images = static_cast<std::int64_t>(list.size());
  if (summary.failed == summary.images)
    throw InputError(options.data, fmt::format("none of its {} images can be packed (first: {})", summary.images, summary.first_failure));
  writer.finish(facts, originals.folder().lexically_relative(fs::canonical(options.folder)).string());
  summary.bytes = writer.bytes();
  summary.shards = writer.shards();
  return summary;
}

}  // namespace feedtune
