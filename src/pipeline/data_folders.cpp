#include "pipeline/data_folders.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <map>

#include "core/error.hpp"
#include "pipeline/packed_format.hpp"

namespace feedtune {
namespace {

namespace fs = std::filesystem;

bool inside(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

bool on_one_file_system(const fs::path& a, const fs::path& b) {
  struct stat of_a {}, of_b {};
  return ::stat(a.c_str(), &of_a) == 0 && ::stat(b.c_str(), &of_b) == 0 && of_a.st_dev == of_b.st_dev;
}

/// `folders` are without links or dots and not empty.
fs::path shared_by(const std::set<fs::path>& folders) {
  fs::path shared = *folders.begin();
  for (const fs::path& folder : folders)
    while (!inside(folder, shared)) shared = shared.parent_path();
  return shared;
}

/// The folder that the list's names are relative to. (A list file may be a link; its own folder counts.)
fs::path names_folder(const std::string& data) {
  const fs::path path = fs::absolute(data);
  return fs::canonical(fs::is_directory(path) ? path : path.parent_path());
}

template <class Act>
void or_io_error(const Act& act) {
  try {
    act();
  } catch (const fs::filesystem_error& error) {
    throw IoError(error.path1().string(), "resolve", error.code().value());
  }
}

}  // namespace

DataFolders::DataFolders(const ImageList& list, const std::string& data) : list_(list) {
  or_io_error([&] {
    folder_ = names_folder(data);
    if (fs::is_directory(data))
      image_folders_.insert(folder_);
    else
      take_names(folder_);
  });
}

void DataFolders::take_names(const fs::path& names_folder) {
  std::map<std::string, fs::path, std::less<>> real;  // as the list has it -> where it is
  std::vector<const fs::path*> folder_of(list_.size());
  bool all_inside = true;
  for (std::size_t i = 0; i < list_.size(); ++i) {
    const std::string_view name = list_.name(i);
    all_inside = all_inside && is_packed_name(name);
    const auto slash = name.rfind('/');
    const std::string_view folder = slash == std::string_view::npos ? std::string_view() : name.substr(0, slash + 1);
    auto known = real.find(folder);
    if (known == real.end()) known = real.emplace(folder, fs::weakly_canonical(names_folder / folder)).first;
    folder_of[i] = &known->second;
    image_folders_.insert(known->second);
  }
  const fs::path shared = shared_by(image_folders_);
  if (shared != shared.root_path() && !inside(names_folder, shared) && on_one_file_system(shared, *image_folders_.begin()) &&
      on_one_file_system(shared, *image_folders_.rbegin()))
    image_folders_.insert(shared);
  if (all_inside) return;
  folder_ = shared;
  names_.reserve(list_.size());
  for (std::size_t i = 0; i < list_.size(); ++i) {
    const std::string_view name = list_.name(i);
    names_.push_back((*folder_of[i] / name.substr(name.rfind('/') + 1)).lexically_relative(shared).string());
  }
}

void DataFolders::refuse_inside(const std::string& folder) const {
  fs::path path;
  or_io_error([&] { path = fs::weakly_canonical(fs::absolute(folder)); });
  for (const fs::path& images : image_folders_)
    if (inside(path, images))
      throw InputError(folder, fmt::format("lies inside the data, and its files would then be taken for images of {}; choose a "
                                           "folder outside of it",
                                           images.string()));
}

}  // namespace feedtune
