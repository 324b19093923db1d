#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/image_list.hpp"

namespace feedtune {

/// Collects an ImageList; used by its readers (folder_scan.cpp, list_file.cpp, packed_folder.cpp) only.
class ImageListBuilder {
 public:
  /// A label of -1 is chosen at the end: by the first folder of the name, else by a hash.
  void add(std::string_view name, std::int32_t label = -1);
  /// Counts an entry that is not listed; the first of each reason is named in the notes.
  void skip(const std::string& reason, std::string_view name);
  void note(std::string text) { list_.notes_.push_back(std::move(text)); }
  std::size_t size() const { return list_.labels_.size(); }
  /// How many images lie in the data folder itself.
  std::int64_t without_folder() const;
  /// "not a regular file (first: a/b)": for the error of a path that holds nothing.
  std::string skip_summary() const;

  /// Sorts by name if `sorted`, gives every image its label, and leaves the builder empty.
  ImageList finish(std::string layout, Descriptor folder, bool sorted);
  /// Makes a list that of the packed folder `folder`; `missing`: why its originals cannot be read, or empty.
  static void mark_packed(ImageList& list, std::string folder, DataFacts facts, std::string missing);

 private:
  struct Skipped {
    std::int64_t count = 0;
    std::string first;
  };
  ImageList list_;
  std::map<std::string, Skipped> skipped_;
};

/// Everything under a folder. Throws InputError where it cannot be listed or holds no file.
ImageList scan_folder(const std::string& path);
/// A text file's lines. Throws InputError with the line where it isn't such a list, or names no file.
ImageList read_list_file(const std::string& path);

/// What a data path may be, for error messages.
inline constexpr const char* accepted_data =
    "want a folder of class folders, a folder of images, a packed folder, or a text file with one image path a line";

}  // namespace feedtune
