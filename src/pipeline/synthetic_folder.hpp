#pragma once
// The folder of a synthetic set: what may be in it, and the note by which the set is known again.

#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <string>

#include "pipeline/make_data.hpp"

namespace feedtune {

/// A hidden file beside the class folders (lists of images skip hidden files).
constexpr const char* synthetic_note_name = ".feedtune-make-data";

class SyntheticFolder {
 public:
  /// Creates the folder where it does not exist. Throws InputError when it holds anything but the set that `options`
  /// asks for, complete or begun; `names` are that set's files, relative to the folder.
  SyntheticFolder(const MakeDataOptions& options, const std::set<std::string>& names);

  /// The set is complete; its bytes were read again and have the digest that was noted.
  bool complete() const { return complete_; }
  std::string digest() const { return digest_; }
  /// Of all files, when complete.
  std::uint64_t bytes() const { return bytes_; }

  /// Writes the note without a digest, and the class folders. Call before the first image.
  void begin();
  /// Under another name first, so that no half file is ever seen. Safe from many threads, and beside other processes that
  /// make the same set. Throws IoError.
  void write(const std::string& name, std::span<const unsigned char> bytes) const;
  /// Reads all files back, notes the digest, removes what interrupted calls left.
  void finish();

 private:
  std::string note(const std::string& digest) const;
  void write_note(const std::string& digest) const;
  std::string digest_of_files();
  void inspect();
  void refuse_other_files() const;
  bool belongs(const std::filesystem::path& path) const;
  bool only_parts() const;
  void remove_parts() const;

  const MakeDataOptions& options_;
  const std::set<std::string>& names_;
  bool complete_ = false;
  std::string digest_;
  std::uint64_t bytes_ = 0;
};

}  // namespace feedtune
