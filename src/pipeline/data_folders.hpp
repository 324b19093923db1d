#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/image_list.hpp"

namespace feedtune {

/// Where a data set's files are: for a pack of them, and so that nothing is written among them. A list may name files by
/// any path; a pack's index names them inside one folder. Where a list's names leave the list's own folder, that folder is
/// the one that all of its images share.
class DataFolders {
 public:
  /// `data`: what `list` was made of; `list` outlives it. Throws IoError where a path cannot be resolved.
  DataFolders(const ImageList& list, const std::string& data);

  /// Without links or dots; the names are relative to it.
  const std::filesystem::path& folder() const { return folder_; }
  std::string_view name(std::size_t image) const { return names_.empty() ? list_.name(image) : std::string_view(names_[image]); }
  /// Throws InputError(folder) where `folder`, which need not exist, lies in a folder of images (or in a pack): a later
  /// scan would take what is written there for images. Of a list, folders of images are those that hold its images, and the
  /// one that all of them share unless the list itself lies in it or it spans file systems, when it is no folder of images
  /// alone.
  void refuse_inside(const std::string& folder) const;

 private:
  void take_names(const std::filesystem::path& names_folder);

  const ImageList& list_;
  std::filesystem::path folder_;
  std::vector<std::string> names_;  ///< empty: the list's own
  std::set<std::filesystem::path> image_folders_;
};

}  // namespace feedtune
