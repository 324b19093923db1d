#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <climits>
#include <cstring>
#include <fstream>
#include <string>

#include "core/error.hpp"
#include "pipeline/image_format.hpp"
#include "pipeline/image_list_builder.hpp"
#include "pipeline/packed_folder.hpp"

namespace feedtune {
namespace {

/// Refuses what is not text before a line of it is believed.
void check_is_text(const std::string& path, std::ifstream& file) {
  char head[4096];
  file.read(head, sizeof head);
  const std::string_view bytes(head, static_cast<std::size_t>(file.gcount()));
  if (bytes.empty()) throw InputError(path, fmt::format("an empty file; {}", accepted_data));
  if (is_packed_file(std::as_bytes(std::span(bytes)))) throw InputError(path, part_of_pack);
  const ImageFormat format = image_format(std::as_bytes(std::span(bytes)));
  if (format != ImageFormat::unknown && format != ImageFormat::html)
    throw InputError(path, fmt::format("a single file ({}), not a list of images; {}", to_text(format), accepted_data));
  if (bytes.find('\0') != std::string_view::npos)
    throw InputError(path, fmt::format("a binary file, not a list of images; {}", accepted_data));
  file.clear();
  file.seekg(0);
}

std::int32_t parse_label(const std::string& path, std::size_t line, std::string_view text) {
  std::int32_t label = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), label);
  if (error != std::errc{} || end != text.data() + text.size() || label < 0 || label >= ImageList::classes)
    throw InputError(fmt::format("{}:{}", path, line),
                     fmt::format("label \"{}\", want an integer from 0 to {}", text, ImageList::classes - 1));
  return label;
}

/// Empty where the entry is a regular file; else why it is skipped.
std::string why_not_a_file(int folder, const std::string& name) {
  struct stat facts {};
  if (::fstatat(folder, name.c_str(), &facts, 0) != 0)
    return errno == ENOENT ? "lines that name no file" : fmt::format("lines: {}", std::strerror(errno));
  return S_ISREG(facts.st_mode) ? "" : "lines that name something other than a regular file";
}

}  // namespace

ImageList read_list_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(path, fmt::format("cannot be read: {}", std::strerror(errno)));
  check_is_text(path, file);
  const auto slash = path.rfind('/');
  const std::string folder_path = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  Descriptor folder(::open(folder_path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) throw InputError(folder_path, fmt::format("cannot be opened: {}", std::strerror(errno)));

  ImageListBuilder builder;
  std::string buffer(PATH_MAX + 16, '\0');  // a path and a label: what doesn't fit is no line of a list
  std::size_t lines = 0;
  while (file.getline(buffer.data(), static_cast<std::streamsize>(buffer.size()))) {
    ++lines;
    std::string_view line(buffer.c_str());
    if (static_cast<std::size_t>(file.gcount()) > line.size() + 1)
      throw InputError(fmt::format("{}:{}", path, lines), fmt::format("a zero byte; {}", accepted_data));
    if (line.ends_with('\r')) line.remove_suffix(1);
    std::int32_t label = -1;
    if (const auto tab = line.rfind('\t'); tab != std::string_view::npos) {
      label = parse_label(path, lines, line.substr(tab + 1));
      line = line.substr(0, tab);
    }
    if (line.empty()) continue;
    const std::string name(line);
    if (const std::string reason = why_not_a_file(folder.get(), name); !reason.empty())
      builder.skip(reason, name);
    else
      builder.add(name, label);
  }
  if (!file.eof())
    throw InputError(fmt::format("{}:{}", path, lines + 1),
                     fmt::format("a line of more than {} bytes; {}", buffer.size() - 1, accepted_data));
  if (builder.size() == 0) {
    const std::string skipped = builder.skip_summary();
    throw InputError(path, fmt::format("lists no image{}; {}", skipped.empty() ? "" : ": " + skipped, accepted_data));
  }
  return builder.finish("list", std::move(folder), false);
}

}  // namespace feedtune
