#include "pipeline/synthetic_folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/read_file.hpp"
#include "pipeline/hash.hpp"

namespace feedtune {
namespace {

namespace fs = std::filesystem;

void create_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw IoError(path.string(), "create folder", error.value());
}

constexpr std::string_view part_end = ".part";

/// ".NAME.1234-0.part": no other process, on this machine or another that shares the folder, writes to the same one.
std::string temporary_name(const fs::path& path, int attempt) {
  return (path.parent_path() / fmt::format(".{}.{}-{}{}", path.filename().string(), ::getpid(), attempt, part_end)).string();
}

/// The file that a temporary one, of an interrupted call or of another process, was to become; empty for any other name.
fs::path target_of_part(const fs::path& path) {
  const std::string name = path.filename().string();
  if (!name.starts_with('.') || !name.ends_with(part_end)) return {};
  const std::string target = name.substr(1, name.size() - 1 - part_end.size());  // "NAME.1234-0"
  return path.parent_path() / target.substr(0, target.rfind('.'));
}

/// Closes and deletes the file unless it was moved to its place.
class NewFile {
 public:
  explicit NewFile(const fs::path& final_path) {
    for (int attempt = 0; number_ < 0; ++attempt) {
      path_ = temporary_name(final_path, attempt);
      number_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (number_ < 0 && errno != EEXIST) throw IoError(path_, "create", errno);
    }
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (number_ >= 0) ::close(number_);
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  void write(std::span<const unsigned char> bytes, const std::string& final_path) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(number_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) throw IoError(final_path, "write", errno);
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    if (::close(std::exchange(number_, -1)) != 0) throw IoError(final_path, "write", errno);
  }

  void move_to(const std::string& final_path) {
    if (::rename(path_.c_str(), final_path.c_str()) != 0) {
      // Another process finished the same set and cleared up: its file is this one.
      if (errno != ENOENT || ::access(final_path.c_str(), F_OK) != 0) throw IoError(final_path, "rename", errno);
    }
    path_.clear();
  }

 private:
  std::string path_;
  int number_ = -1;
};

}  // namespace

SyntheticFolder::SyntheticFolder(const MakeDataOptions& options, const std::set<std::string>& names)
    : options_(options), names_(names) {
  std::error_code error;
  const fs::file_status status = fs::status(options_.folder, error);
  if (status.type() == fs::file_type::not_found) {
    create_folder(options_.folder);
  } else if (status.type() == fs::file_type::none) {
    throw IoError(options_.folder, "open folder", error.value());
  } else if (status.type() != fs::file_type::directory) {
    throw InputError(options_.folder, "is a file, want a folder to write to");
  }
  try {
    inspect();
  } catch (const fs::filesystem_error& failure) {
    throw IoError(options_.folder, "read folder", failure.code().value());
  }
}

void SyntheticFolder::inspect() {
  if (fs::is_empty(options_.folder)) return;
  const fs::path note_path = fs::path(options_.folder) / synthetic_note_name;
  if (!fs::exists(note_path)) {
    if (only_parts()) return;  // somebody is writing, or died writing, the first note
    if (!fs::exists(note_path))  // looked at again: another process may have finished it meanwhile
      throw InputError(options_.folder, "is not empty; make-data writes to a new or an empty folder");
  }
  const std::string found = read_file(note_path.string());
  const std::string begun = note("");
  if (!found.starts_with(begun))
    throw InputError(options_.folder,
                     "holds another make-data set (its note: " + std::string(synthetic_note_name) + ")");
  refuse_other_files();
  if (found == begun) return;
  for (const std::string& name : names_)
    if (!fs::exists(fs::path(options_.folder) / name))
      throw InputError((fs::path(options_.folder) / name).string(),
                       "is missing from a make-data set; delete the folder");
  digest_ = digest_of_files();
  complete_ = found == note(digest_);
  if (!complete_) throw InputError(options_.folder, "was changed after make-data wrote it; delete the folder");
}

void SyntheticFolder::refuse_other_files() const {
  std::error_code unseen;  // another process's temporary file may be gone again
  for (const auto& entry : fs::recursive_directory_iterator(options_.folder)) {
    if (entry.is_directory(unseen) && !entry.is_symlink(unseen)) continue;
    if (!belongs(entry.path()) && !belongs(target_of_part(entry.path())))
      throw InputError(entry.path().string(), "is not part of the make-data set in its folder");
  }
}

bool SyntheticFolder::belongs(const fs::path& path) const {
  const std::string name = path.lexically_relative(options_.folder).generic_string();
  return names_.contains(name) || name == synthetic_note_name;
}

bool SyntheticFolder::only_parts() const {
  for (const auto& entry : fs::recursive_directory_iterator(options_.folder))
    if (!belongs(target_of_part(entry.path()))) return false;
  return true;
}

/// What interrupted calls left behind. The set is complete, so nobody needs what is still being written either.
void SyntheticFolder::remove_parts() const {
  std::vector<fs::path> parts;
  for (const auto& entry : fs::recursive_directory_iterator(options_.folder))
    if (belongs(target_of_part(entry.path()))) parts.push_back(entry.path());
  std::error_code unremoved;
  for (const fs::path& part : parts) fs::remove(part, unremoved);
}

std::string SyntheticFolder::note(const std::string& digest) const {
  std::string text = fmt::format("feedtune make-data, version 1\nimages {}\nseed {}\nclasses {}\n", options_.images,
                                 options_.seed, options_.classes);
  if (!digest.empty()) text += "digest " + digest + "\n";
  return text;
}

void SyntheticFolder::write_note(const std::string& digest) const {
  const std::string text = note(digest);
  write(synthetic_note_name, std::span(reinterpret_cast<const unsigned char*>(text.data()), text.size()));
}

void SyntheticFolder::begin() {
  write_note("");
  std::set<std::string> folders;
  for (const std::string& name : names_) folders.insert(name.substr(0, name.find('/')));
  for (const std::string& folder : folders) create_folder(fs::path(options_.folder) / folder);
}

void SyntheticFolder::write(const std::string& name, std::span<const unsigned char> bytes) const {
  const fs::path path = fs::path(options_.folder) / name;
  NewFile file(path);
  file.write(bytes, path.string());
  file.move_to(path.string());
}

void SyntheticFolder::finish() {
  digest_ = digest_of_files();
  write_note(digest_);
  complete_ = true;
  try {
    remove_parts();
  } catch (const fs::filesystem_error&) {
    // They are hidden files that lists of images skip.
  }
}

std::string SyntheticFolder::digest_of_files() {
  Fnv1a64 hash;
  bytes_ = 0;
  for (const std::string& name : names_) {
    const std::string content = read_file((fs::path(options_.folder) / name).string());
    hash.add(content);
    bytes_ += content.size();
  }
  return fmt::format("{:016x}", hash.value());
}

}  // namespace feedtune
