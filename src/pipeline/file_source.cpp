#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "measure/profiler_range.hpp"
#include "pipeline/image_error.hpp"
#include "pipeline/image_list.hpp"
#include "pipeline/image_source.hpp"
#include "pipeline/read_ahead.hpp"
#include "pipeline/scratch_buffer.hpp"

namespace feedtune {
namespace {

class FileSource final : public ImageSource {
 public:
  explicit FileSource(const ImageList& list) : list_(list), read_ahead_(list) {}

  EncodedImage fetch(std::size_t image) override {
    const SteadyClock clock;
    ProfilerRange range("open");
    const Nanoseconds start = clock.now();
    const Descriptor file(open_data_file(list_, image));
    if (!file) throw ImageError(fmt::format("cannot be opened: {}", std::strerror(errno)));
    struct stat facts {};
    if (::fstat(file.get(), &facts) != 0) throw ImageError(fmt::format("cannot be examined: {}", std::strerror(errno)));
    const Nanoseconds opened = clock.now();
    range.next("read");
    if (!S_ISREG(facts.st_mode)) throw ImageError("no longer a regular file");
    const auto bytes = static_cast<std::uint64_t>(facts.st_size);
    if (bytes == 0) throw ImageError("empty file");
    if (bytes > max_file_bytes) throw ImageError(fmt::format("{} bytes, over the limit of {}", bytes, max_file_bytes));
    const auto buffer = buffer_.take(bytes);
    read_all(file.get(), buffer);
    return {buffer, opened - start, clock.now() - opened};
  }

  void expect(std::size_t image) override { read_ahead_.expect(image); }

 private:
  static void read_all(int file, std::span<std::byte> buffer) {
    std::size_t filled = 0;
    while (filled < buffer.size()) {
      const ssize_t got = ::read(file, buffer.data() + filled, buffer.size() - filled);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw ImageError(fmt::format("cannot be read: {}", std::strerror(errno)));
      if (got == 0) throw ImageError(fmt::format("shrank while being read: {} of {} bytes", filled, buffer.size()));
      filled += static_cast<std::size_t>(got);
    }
  }

  const ImageList& list_;
  ReadAhead read_ahead_;
  ScratchBuffer buffer_;
};

}  // namespace

std::unique_ptr<ImageSource> make_file_source(const ImageList& list) { return std::make_unique<FileSource>(list); }

}  // namespace feedtune
