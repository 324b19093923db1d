#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "pipeline/image_list_builder.hpp"

namespace feedtune {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

class FolderScan {
 public:
  explicit FolderScan(int root) : root_(root) {}

  /// Lists the root with all that lies in it, then what links lead to: so a folder's images bear its own name, not that
  /// of a link that happens to sort before it.
  void run() {
    visit("");
    while (!linked_.empty()) visit(linked_.extract(linked_.begin()).value());
  }

  ImageListBuilder builder;

 private:
  /// Lists one folder and, when its descriptor is closed again, the folders in it. `prefix`: "" or "a/b/".
  void visit(const std::string& prefix) {
    const int number = ::openat(root_, prefix.empty() ? "." : prefix.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat facts {};
    if (number < 0 || ::fstat(number, &facts) != 0) {
      const int error = errno;
      if (number >= 0) ::close(number);
      builder.skip(fmt::format("folders that cannot be read: {}", std::strerror(error)), prefix);
      return;
    }
    const std::unique_ptr<DIR, CloseFolder> folder(::fdopendir(number));
    if (!visited_.emplace(facts.st_dev, facts.st_ino).second) {
      builder.skip("links to a folder that is listed already", prefix);
      return;
    }
    std::vector<std::string> folders;
    errno = 0;
    while (const dirent* entry = ::readdir(folder.get())) {
      if (entry->d_name[0] != '.') add(number, *entry, prefix, folders);
      errno = 0;
    }
    if (errno != 0)
      builder.skip(fmt::format("folders that cannot be read to the end: {}", std::strerror(errno)), prefix);
    descend(prefix, folders);
  }

  void add(int folder, const dirent& entry, const std::string& prefix, std::vector<std::string>& folders) {
    unsigned char type = entry.d_type;
    bool link = type == DT_LNK;
    if (type == DT_UNKNOWN || type == DT_LNK) {
      struct stat facts {};
      if (type == DT_UNKNOWN && ::fstatat(folder, entry.d_name, &facts, AT_SYMLINK_NOFOLLOW) == 0)
        link = S_ISLNK(facts.st_mode);
      if (::fstatat(folder, entry.d_name, &facts, 0) != 0) {
        builder.skip(errno == ENOENT ? "links that lead nowhere" : fmt::format("entries: {}", std::strerror(errno)),
                     prefix + entry.d_name);
        return;
      }
      type = S_ISREG(facts.st_mode) ? DT_REG : S_ISDIR(facts.st_mode) ? DT_DIR : DT_UNKNOWN;
    }
    if (type == DT_REG) {
      name_.assign(prefix).append(entry.d_name);
      builder.add(name_);
    } else if (type == DT_DIR && link) {
      linked_.insert(prefix + entry.d_name + "/");
    } else if (type == DT_DIR) {
      folders.emplace_back(entry.d_name);
    } else {
      builder.skip("entries that are not regular files", prefix + entry.d_name);
    }
  }

  void descend(const std::string& prefix, std::vector<std::string>& folders) {
    std::sort(folders.begin(), folders.end());
    for (const std::string& name : folders) visit(prefix + name + "/");
  }

  int root_;
  std::set<std::pair<dev_t, ino_t>> visited_;
  std::set<std::string> linked_;  ///< prefixes of folders that are links; sorted: of two to one folder the first counts
  std::string name_;
};

}  // namespace

ImageList scan_folder(const std::string& path) {
  Descriptor root(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root) throw InputError(path, fmt::format("cannot be listed: {}", std::strerror(errno)));
  FolderScan scan(root.get());
  scan.run();
  if (scan.builder.size() == 0) {
    const std::string skipped = scan.builder.skip_summary();
    throw InputError(path,
                     fmt::format("holds no files{}; {}", skipped.empty() ? "" : ", but " + skipped, accepted_data));
  }
  const std::int64_t in_root = scan.builder.without_folder();
  const bool flat = in_root == static_cast<std::int64_t>(scan.builder.size());
  if (!flat && in_root > 0)
    scan.builder.note(fmt::format("{} files beside the class folders: labelled by a hash of their names", in_root));
  return scan.builder.finish(flat ? "flat" : "classes", std::move(root), true);
}

}  // namespace feedtune
