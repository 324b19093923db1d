#include "pipeline/synthetic_folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "pipeline/hash.hpp"

namespace feedtune {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  if (!file) throw IoError(path.string(), "read", errno);
  return text;
}

void create_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw IoError(path.string(), "create folder", error.value());
}

/// Closes and deletes the file unless it was moved to its place.
class NewFile {
 public:
  explicit NewFile(std::string path) : path_(std::move(path)) {
    number_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (number_ < 0) throw IoError(path_, "create", errno);
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
    if (::rename(path_.c_str(), final_path.c_str()) != 0) throw IoError(final_path, "rename", errno);
    path_.clear();
  }

 private:
  std::string path_;
  int number_ = -1;
};

std::string temporary_name(const fs::path& path) {
  return (path.parent_path() / ("." + path.filename().string() + ".part")).string();
}

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
  if (!fs::exists(note_path))
    throw InputError(options_.folder, "is not empty; make-data writes to a new or an empty folder");
  const std::string found = read_file(note_path);
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
  std::set<std::string> expected = names_;
  for (const std::string& name : names_) expected.insert(temporary_name(name));  // left by an interrupted call
  expected.insert(synthetic_note_name);
  expected.insert(temporary_name(synthetic_note_name));
  for (const auto& entry : fs::recursive_directory_iterator(options_.folder)) {
    if (entry.is_directory() && !entry.is_symlink()) continue;
    if (!expected.contains(entry.path().lexically_relative(options_.folder).generic_string()))
      throw InputError(entry.path().string(), "is not part of the make-data set in its folder");
  }
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
  NewFile file(temporary_name(path));
  file.write(bytes, path.string());
  file.move_to(path.string());
}

void SyntheticFolder::finish() {
  digest_ = digest_of_files();
  write_note(digest_);
  complete_ = true;
}

std::string SyntheticFolder::digest_of_files() {
  Fnv1a64 hash;
  bytes_ = 0;
  for (const std::string& name : names_) {
    const std::string content = read_file(fs::path(options_.folder) / name);
    hash.add(content);
    bytes_ += content.size();
  }
  return fmt::format("{:016x}", hash.value());
}

}  // namespace feedtune
