#include "pipeline/packed_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "core/error.hpp"
#include "pipeline/crc32.hpp"
#include "pipeline/packed_folder.hpp"

namespace feedtune {
namespace {

namespace fs = std::filesystem;

constexpr const char* part_ending = ".part";

void write_all(int file, std::span<const std::byte> bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw IoError(path, "write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

}  // namespace

PackedWriter::PackedWriter(std::string folder, const PackRecipe& recipe, std::uint64_t id, std::uint64_t shard_bytes)
    : folder_(std::move(folder)), shard_bytes_(shard_bytes) {
  index_.recipe = recipe;
  index_.id = id;
  try {
    claim();
  } catch (...) {
    discard();
    throw;
  }
}

PackedWriter::~PackedWriter() {
  if (!finished_) discard();
}

void PackedWriter::discard() {
  shard_.reset();
  for (const std::string& path : written_) ::unlink(path.c_str());
  if (mark_) ::unlink(path_of(packed_unfinished_name).c_str());
  for (const std::string& path : made_folders_) ::rmdir(path.c_str());  // the innermost first; never one that is not empty
}

void PackedWriter::claim() {
  std::error_code error;
  for (fs::path path = folder_; !path.empty() && !fs::exists(path, error) && !error; path = path.parent_path())
    made_folders_.push_back(path.string());
  fs::create_directories(folder_, error);
  if (error && error != std::errc::not_a_directory && error != std::errc::file_exists)
    throw IoError(folder_, "create folder", error.value());
  if (!fs::is_directory(folder_, error)) throw InputError(folder_, "is not a folder, want one to write a pack to");
  const auto refuse = [&] {
    throw InputError(folder_, packed_folder_state(folder_) == PackedFolder::complete
                                  ? "holds a pack already; a pack is written to a new or an empty folder"
                                  : "is not empty; a pack is written to a new or an empty folder");
  };
  if (!only_leftovers()) refuse();
  const std::string mark = path_of(packed_unfinished_name);
  mark_ = Descriptor(::open(mark.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!mark_) throw IoError(mark, "create", errno);
  if (::flock(mark_.get(), LOCK_EX | LOCK_NB) != 0) {
    const int number = errno;
    mark_.reset();  // the other's, not to be removed
    if (number == EWOULDBLOCK) throw RunInUseError(folder_ + ": another feedtune pack is writing it");
    throw IoError(mark, "lock", number);
  }
  // Another process may have been quicker, and be done by now.
  if (!only_leftovers()) refuse();
  for (const auto& entry : fs::directory_iterator(folder_, error))
    if (entry.path().filename() != packed_unfinished_name) ::unlink(entry.path().c_str());
  struct stat locked {}, named {};
  if (::fstat(mark_.get(), &locked) != 0 || ::stat(mark.c_str(), &named) != 0 || locked.st_ino != named.st_ino) {
    mark_.reset();
    throw RunInUseError(folder_ + ": another feedtune pack has just written to it");
  }
}

/// True for an empty folder too. Names that a pack never leaves, or a folder that was never marked, are the user's.
bool PackedWriter::only_leftovers() const {
  std::error_code error;
  bool any = false;
  const bool marked = packed_folder_state(folder_) == PackedFolder::unfinished;
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (name == packed_unfinished_name) continue;
    any = true;
    if (name.ends_with(part_ending)) name.resize(name.size() - std::string(part_ending).size());
    const bool shard = name.starts_with("shard-") && name.size() > 6 &&
                       std::all_of(name.begin() + 6, name.end(), [](char c) { return c >= '0' && c <= '9'; });
    const bool ours = shard || name == packed_source_name || name == packed_index_name;
    if (!ours || !marked || !entry->is_regular_file(error)) return false;
  }
  if (error) throw IoError(folder_, "list", error.value());
  return !any || marked;
}

std::string PackedWriter::path_of(const std::string& name) const { return (fs::path(folder_) / name).string(); }

std::uint64_t PackedWriter::bytes() const {
  std::uint64_t sum = 0;
  for (const PackedShard& shard : index_.shards) sum += shard.bytes;
  return sum;
}

void PackedWriter::add(std::string_view name, std::int32_t label, std::uint32_t source_bytes,
                       std::span<const std::byte> bytes, bool failed) {
  if (shard_ && packed_aligned(index_.shards.back().bytes) + packed_aligned(bytes.size()) > shard_bytes_) end_shard();
  if (!shard_) begin_shard();
  PackedShard& shard = index_.shards.back();
  PackedRecord record;
  record.offset = shard.bytes;
  record.length = static_cast<std::uint32_t>(bytes.size());
  record.crc = crc32(bytes);
  record.label = label;
  record.source_bytes = source_bytes;
  record.failed = failed;
  append(bytes);
  static constexpr std::byte zeros[packed_alignment] = {};
  append(std::span(zeros).first(packed_aligned(bytes.size()) - bytes.size()));
  ++shard.images;
  index_.records.push_back(record);
  index_.names.append(name).push_back('\0');
}

void PackedWriter::begin_shard() {
  const std::string part = path_of(packed_shard_name(index_.shards.size())) + part_ending;
  shard_ = Descriptor(::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!shard_) throw IoError(part, "create", errno);
  written_.push_back(part);
  index_.shards.push_back({.first_image = index_.records.size()});
  const std::byte nothing[packed_shard_header_bytes] = {};  // until the sizes are known
  append(nothing);
}

void PackedWriter::end_shard() {
  const PackedShard& shard = index_.shards.back();
  const std::size_t number = index_.shards.size() - 1;
  const std::string path = path_of(packed_shard_name(number));
  const auto header = encode_shard_header(shard, static_cast<std::uint32_t>(number), index_.id);
  if (::lseek(shard_.get(), 0, SEEK_SET) != 0) throw IoError(path, "seek", errno);
  write_all(shard_.get(), header, path);
  sync(shard_.get(), path);
  shard_.reset();
  if (::rename((path + part_ending).c_str(), path.c_str()) != 0) throw IoError(path, "rename", errno);
  written_.back() = path;
}

void PackedWriter::append(std::span<const std::byte> bytes) {
  write_all(shard_.get(), bytes, written_.back());
  index_.shards.back().bytes += bytes.size();
}

void PackedWriter::finish(const DataFacts& source, const std::string& source_folder) {
  if (shard_) end_shard();
  index_.source = source;
  const std::string note = source_folder + "\n";
  write_file(packed_source_name, std::as_bytes(std::span(note)));
  sync_folder();  // no index before everything that it tells of
  write_file(packed_index_name, encode_index(index_));
  sync_folder();
  finished_ = true;
  ::unlink(path_of(packed_unfinished_name).c_str());
}

void PackedWriter::write_file(const std::string& name, std::span<const std::byte> bytes) {
  const std::string path = path_of(name);
  Descriptor file(::open((path + part_ending).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file) throw IoError(path, "create", errno);
  written_.push_back(path + part_ending);
  write_all(file.get(), bytes, path);
  sync(file.get(), path);
  file.reset();
  if (::rename((path + part_ending).c_str(), path.c_str()) != 0) throw IoError(path, "rename", errno);
  written_.back() = path;
}

/// A file system without fsync (EINVAL) counts as synced.
void PackedWriter::sync(int file, const std::string& path) const {
  if (::fsync(file) != 0 && errno != EINVAL) throw IoError(path, "sync", errno);
}

void PackedWriter::sync_folder() const {
  const Descriptor folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) throw IoError(folder_, "open folder", errno);
  sync(folder.get(), folder_);
}

}  // namespace feedtune
