#pragma once
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace feedtune::test {

/// A new folder, removed with everything in it. Throws std::runtime_error where nothing can be written.
class TemporaryFolder {
 public:
  /// Under `parent`, or under the system's temporary folder where that is empty or refuses.
  explicit TemporaryFolder(const std::filesystem::path& parent = {}) {
    for (const auto& folder : {parent, std::filesystem::temp_directory_path()}) {
      if (folder.empty()) continue;
      std::string name = (folder / "feedtune-test-XXXXXX").string();  // mkdtemp's pattern
      if (::mkdtemp(name.data()) == nullptr) continue;
      path_ = name;
      return;
    }
    throw std::runtime_error("no temporary folder");
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string text() const { return path_.string(); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  /// Writes a file, its folders too.
  void write(const std::string& name, std::string_view text) const {
    const auto file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream stream(file, std::ios::binary);
    stream.write(text.data(), static_cast<std::streamsize>(text.size()));
    if (!stream.flush()) throw std::runtime_error("cannot write " + file.string());
  }
  void write(const std::string& name, std::span<const std::byte> bytes) const {
    write(name, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }

 private:
  std::filesystem::path path_;
};

}  // namespace feedtune::test
