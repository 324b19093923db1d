#include "pipeline/image_list_builder.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>

#include "core/error.hpp"
#include "pipeline/hash.hpp"
#include "pipeline/packed_folder.hpp"

namespace feedtune {
namespace {

std::string_view first_folder(std::string_view name) {
  const auto slash = name.find('/');
  return slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
}

std::int32_t hashed_label(std::string_view name) {
  Fnv1a64 hash;
  hash.add(name);
  return static_cast<std::int32_t>(mix64(hash.value()) % ImageList::classes);
}

}  // namespace

void ImageListBuilder::add(std::string_view name, std::int32_t label) {
  list_.ends_.push_back(list_.names_.size());
  list_.names_.append(name).push_back('\0');
  list_.labels_.push_back(label);
}

void ImageListBuilder::skip(const std::string& reason, std::string_view name) {
  ++list_.skipped_;
  Skipped& entry = skipped_[reason];
  if (entry.count++ == 0) entry.first = name;
}

std::int64_t ImageListBuilder::without_folder() const {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < size(); ++i)
    count += std::strchr(list_.names_.c_str() + list_.ends_[i], '/') == nullptr ? 1 : 0;
  return count;
}

std::string ImageListBuilder::skip_summary() const {
  std::string text;
  for (const auto& [reason, entry] : skipped_)
    text += fmt::format("{}{} {} (first: {})", text.empty() ? "" : ", ", entry.count, reason, entry.first);
  return text;
}

ImageList ImageListBuilder::finish(std::string layout, Descriptor folder, bool sorted) {
  list_.ends_.push_back(list_.names_.size());
  if (sorted) {
    std::vector<std::uint32_t> order(size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(),
              [this](std::uint32_t a, std::uint32_t b) { return list_.name(a) < list_.name(b); });
    ImageListBuilder ordered;
    ordered.list_.names_.reserve(list_.names_.size());
    ordered.list_.ends_.reserve(list_.ends_.size());
    ordered.list_.labels_.reserve(size());
    for (const std::uint32_t image : order) ordered.add(list_.name(image), list_.labels_[image]);
    ordered.list_.ends_.push_back(ordered.list_.names_.size());
    list_.names_ = std::move(ordered.list_.names_);
    list_.ends_ = std::move(ordered.list_.ends_);
    list_.labels_ = std::move(ordered.list_.labels_);
  }

  std::map<std::string_view, std::int32_t> class_labels;
  for (std::size_t i = 0; i < size(); ++i)
    if (const auto name = first_folder(list_.name(i)); !name.empty()) class_labels.emplace(name, 0);
  std::int32_t next = 0;
  for (auto& entry : class_labels) entry.second = next++ % ImageList::classes;
  if (class_labels.size() > static_cast<std::size_t>(ImageList::classes))
    note(fmt::format("{} class folders: labels are taken modulo {}", class_labels.size(), ImageList::classes));
  for (std::size_t i = 0; i < size(); ++i) {
    if (list_.labels_[i] >= 0) continue;
    const auto found = class_labels.find(first_folder(list_.name(i)));
    list_.labels_[i] = found != class_labels.end() ? found->second : hashed_label(list_.name(i));
  }
  for (const auto& [reason, entry] : skipped_)
    note(fmt::format("skipped {} {} (first: {})", entry.count, reason, entry.first));
  skipped_.clear();
  Fnv1a64 hash;
  hash.add(std::string_view(list_.names_));  // with their terminating zeros, so that no two lists run together
  list_.names_hash_ = hash.value();
  list_.layout_ = std::move(layout);
  list_.folder_ = std::move(folder);
  return std::move(list_);
}

void ImageListBuilder::mark_packed(ImageList& list, std::string folder, DataFacts facts, std::string missing) {
  list.packed_folder_ = std::move(folder);
  list.packed_facts_ = std::move(facts);
  list.originals_missing_ = std::move(missing);
}

ImageList ImageList::from_path(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0)
    throw InputError(path, fmt::format("{}; {}", std::strerror(errno), accepted_data));
  if (S_ISDIR(facts.st_mode)) {
    const PackedFolder packed = packed_folder_state(path);
    if (packed == PackedFolder::complete) return read_packed_list(path);
    if (packed == PackedFolder::unfinished)
      throw InputError(path, "an unfinished pack (feedtune pack is writing it or was killed); let it end, or run it again");
    return scan_folder(path);
  }
  if (S_ISREG(facts.st_mode)) return read_list_file(path);
  throw InputError(path, fmt::format("neither a folder nor a regular file; {}", accepted_data));
}

}  // namespace feedtune
