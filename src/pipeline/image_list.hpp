#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/facts.hpp"
#include "process/descriptor.hpp"

namespace feedtune {

/// The files of a data path, in byte-wise order of their relative names (a list file keeps its own order), each with
/// its label. Every regular file counts: whether it is an image is judged by its bytes when it is read. Links to files
/// and folders are followed; FIFOs, sockets and devices are never opened; names that begin with a dot are left out.
/// Names are kept in one block (100,000 files: a few MB). Immutable, so safe from many threads.
class ImageList {
 public:
  static constexpr std::int32_t classes = 1000;  ///< of the model's classifier; labels are below it

  /// `path`: a folder of class folders, a flat folder, or a text file with one path a line, relative to the list's
  /// folder, optionally followed by a tab and a label from 0 to 999. The label is else that of the first folder on the
  /// way (its place among the sorted folders that hold files, modulo 1000), else a hash of the name. Or a folder made by
  /// `feedtune pack`: the originals' names and labels, in their order. Throws InputError with the place and what is
  /// accepted; IoError where a packed folder cannot be read.
  static ImageList from_path(const std::string& path);

  std::size_t size() const { return labels_.size(); }
  /// Relative to folder(), or absolute where a list says so.
  std::string_view name(std::size_t image) const {
    return std::string_view(names_).substr(ends_[image], ends_[image + 1] - ends_[image] - 1);
  }
  /// The name with a terminating zero, for openat() on folder().
  const char* c_name(std::size_t image) const { return names_.c_str() + ends_[image]; }
  std::int32_t label(std::size_t image) const { return labels_[image]; }
  /// Open descriptor of the folder that names are relative to; -1 where the originals of a pack are gone.
  int folder() const { return folder_.get(); }

  /// The path, where it is a packed folder; else empty.
  const std::string& packed_folder() const { return packed_folder_; }
  /// Why the files themselves cannot be read, where only a pack of them is here; else empty.
  const std::string& originals_missing() const { return originals_missing_; }

  /// Sizes are looked up and a sample of the contents is read for the digest: FNV-1a of every name and size, and of the
  /// first 64 KiB of 64 files spread over the list. Absolute names count from their longest common folder on, so the
  /// digest doesn't depend on where the data lies. Of a packed folder: those of its originals when they were packed.
  DataFacts facts() const;

  /// Tells whether this data changed between two trials on this machine: of every name, and of the size and time of
  /// change of 64 files spread over the list, or of a pack's index and shards (not its originals). Look-ups only, nothing
  /// is read. A list made before other files came or went doesn't know of them.
  std::string fingerprint() const;

 private:
  friend class ImageListBuilder;
  std::string layout_;
  Descriptor folder_;
  std::string names_;                 ///< each with its terminating zero
  std::uint64_t names_hash_ = 0;      ///< of all of it
  std::vector<std::uint64_t> ends_;   ///< begin of each name; one more than there are images
  std::vector<std::int32_t> labels_;
  std::int64_t skipped_ = 0;
  std::vector<std::string> notes_;
  std::string packed_folder_;
  std::string originals_missing_;
  std::optional<DataFacts> packed_facts_;
};

/// Opens a file of the data for reading: never blocks on a FIFO and never becomes a terminal. -1 with errno.
int open_data_file(const ImageList& list, std::size_t image);

}  // namespace feedtune
