// How fast libjpeg-turbo lets anyone be on this machine: each thread for itself reads a file, decodes only the rows and
// columns of a random crop, stops, resizes linearly, flips, normalises into a float32 batch in its own memory. No list of
// ready batches, no delivery, no statistics. `--mode entropy`: Huffman decoding of the whole files, nothing else.
// Independent of feedtune's code on purpose: what it is compared with must not share its mistakes.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <jpeglib.h>

#include "child_protocol.hpp"

namespace {

using peers::side;

constexpr std::array<float, 3> mean = {0.485F * 255, 0.456F * 255, 0.406F * 255};
constexpr std::array<float, 3> deviation = {0.229F * 255, 0.224F * 255, 0.225F * 255};

struct Box {
  int left = 0, top = 0, width = 0, height = 0;
};

/// torchvision's RandomResizedCrop.
Box draw_box(int width, int height, std::mt19937& random) {
  const auto uniform = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double area = static_cast<double>(width) * height * uniform(0.08, 1);
    const double ratio = std::exp(uniform(std::log(0.75), std::log(4.0 / 3)));
    const int w = static_cast<int>(std::lround(std::sqrt(area * ratio)));
    const int h = static_cast<int>(std::lround(std::sqrt(area / ratio)));
    if (w < 1 || w > width || h < 1 || h > height) continue;
    const auto place = [&](int room) { return std::uniform_int_distribution<int>(0, room)(random); };
    const int top = place(height - h);
    return {place(width - w), top, w, h};
  }
  const int w = std::min(width, height * 4 / 3), h = std::min(height, width * 4 / 3);
  return {(width - w) / 2, (height - h) / 2, w, h};
}

/// One file's bytes, in memory that is kept.
class FileBytes {
 public:
  bool read(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    struct stat facts {};
    size_ = fstat(file, &facts) == 0 ? static_cast<std::size_t>(facts.st_size) : 0;
    if (bytes_.size() < size_) bytes_.resize(size_ * 2);
    const bool whole = ::read(file, bytes_.data(), size_) == static_cast<ssize_t>(size_);
    close(file);
    return whole && size_ > 0;
  }
  const unsigned char* data() const { return bytes_.data(); }
  std::size_t size() const { return size_; }

 private:
  std::vector<unsigned char> bytes_;
  std::size_t size_ = 0;
};

/// Four bytes a pixel: red, green, blue and one that nobody reads.
struct Pixels {
  std::vector<unsigned char> bytes;
  std::size_t row_bytes = 0;
  int left = 0, top = 0;  ///< of the decoded window in the image
};

/// libjpeg with its errors as false.
class Jpeg {
 public:
  Jpeg() {
    info_.err = jpeg_std_error(&error_.base);
    error_.base.error_exit = [](j_common_ptr info) { std::longjmp(reinterpret_cast<Error*>(info->err)->jump, 1); };
    error_.base.emit_message = [](j_common_ptr, int) {};
    jpeg_create_decompress(&info_);
  }
  ~Jpeg() { jpeg_destroy_decompress(&info_); }
  Jpeg(const Jpeg&) = delete;
  Jpeg& operator=(const Jpeg&) = delete;

  bool header(const FileBytes& file) {
    if (setjmp(error_.jump) != 0) return give_up();
    jpeg_mem_src(&info_, file.data(), file.size());
    jpeg_read_header(&info_, TRUE);
    return true;
  }
  int width() const { return static_cast<int>(info_.image_width); }
  int height() const { return static_cast<int>(info_.image_height); }

  bool entropy() {
    if (setjmp(error_.jump) != 0) return give_up();
    jpeg_read_coefficients(&info_);
    jpeg_abort_decompress(&info_);
    return true;
  }

  bool decode(const Box& box, Pixels& out) {
    const bool cmyk = info_.num_components == 4;
    if (setjmp(error_.jump) != 0) return give_up();
    info_.out_color_space = cmyk ? JCS_CMYK : JCS_EXT_RGBX;
    jpeg_start_decompress(&info_);
    // Two columns more on each side: fancy upsampling looks at the chroma sample beside.
    const int left = std::max(0, box.left - 2), right = std::min(width(), box.left + box.width + 2);
    auto first = static_cast<JDIMENSION>(left);
    auto columns = static_cast<JDIMENSION>(right - left);
    if (right - left < width()) jpeg_crop_scanline(&info_, &first, &columns);
    if (box.top > 0) jpeg_skip_scanlines(&info_, static_cast<JDIMENSION>(box.top));
    out.left = static_cast<int>(first);
    out.top = box.top;
    out.row_bytes = columns * std::size_t{4};
    const std::size_t needed = out.row_bytes * static_cast<std::size_t>(box.height) + 64;
    if (out.bytes.size() < needed) out.bytes.resize(needed + needed / 2);
    std::array<JSAMPROW, 16> rows;
    for (int row = 0; row < box.height;) {
      const int count = std::min(16, box.height - row);
      unsigned char* target = out.bytes.data() + out.row_bytes * static_cast<std::size_t>(row);
      for (int k = 0; k < count; ++k, target += out.row_bytes) rows[static_cast<std::size_t>(k)] = target;
      row += static_cast<int>(jpeg_read_scanlines(&info_, rows.data(), static_cast<JDIMENSION>(count)));
    }
    jpeg_abort_decompress(&info_);
    if (cmyk) to_rgb(out.bytes.data(), needed / 4);
    return true;
  }

 private:
  struct Error {
    jpeg_error_mgr base;
    std::jmp_buf jump;
  };
  bool give_up() {
    jpeg_abort_decompress(&info_);
    return false;
  }
  /// Adobe's inverted CMYK, in place.
  static void to_rgb(unsigned char* bytes, std::size_t pixels) {
    for (std::size_t i = 0; i < pixels; ++i, bytes += 4)
      for (int c = 0; c < 3; ++c) bytes[c] = static_cast<unsigned char>((bytes[c] * bytes[3] + 127) / 255);
  }

  jpeg_decompress_struct info_{};
  Error error_{};
};

/// Bilinear without antialias (centres at half pixels), flip, normalisation and planes. One output row at a time: blend two
/// source rows, then two neighbours of that row for each output pixel, all three channels at once.
class Resize {
 public:
  void run(const Pixels& pixels, const Box& box, bool flip, float* out) {
    const double step_x = static_cast<double>(box.width) / side, step_y = static_cast<double>(box.height) / side;
    for (int x = 0; x < side; ++x) {
      const double at = std::clamp((x + 0.5) * step_x - 0.5, 0.0, box.width - 1.0);
      const int column = std::min(static_cast<int>(at), std::max(0, box.width - 2));
      const auto target = static_cast<std::size_t>(flip ? side - 1 - x : x);
      columns_[target] = 4 * column;
      shares_[target] = static_cast<float>(at - column);
    }
    const std::size_t values = static_cast<std::size_t>(box.width) * 4;
    if (blended_.size() < values + 8) blended_.resize(values * 2 + 8);
    const unsigned char* window = pixels.bytes.data() + static_cast<std::size_t>(box.left - pixels.left) * 4;
    for (int y = 0; y < side; ++y) {
      const double at = std::clamp((y + 0.5) * step_y - 0.5, 0.0, box.height - 1.0);
      const int row = static_cast<int>(at);
      const unsigned char* upper = window + pixels.row_bytes * static_cast<std::size_t>(row);
      const unsigned char* lower = row + 1 < box.height ? upper + pixels.row_bytes : upper;
      blend_rows(upper, lower, static_cast<float>(at - row), values, blended_.data());
      if (box.width == 1) std::copy_n(blended_.data(), 4, blended_.data() + 4);
      resize_row(out + static_cast<std::size_t>(y) * side);
    }
  }

 private:
  using Vector = float __attribute__((vector_size(16)));
  using LoadedVector = float __attribute__((vector_size(16), aligned(4)));

  static void blend_rows(const unsigned char* __restrict upper, const unsigned char* __restrict lower, float share,
                         std::size_t values, float* __restrict out) {
    for (std::size_t i = 0; i < values; ++i) {
      const auto a = static_cast<float>(upper[i]), b = static_cast<float>(lower[i]);
      out[i] = a + (b - a) * share;
    }
  }

  void resize_row(float* out) {
    const float* const blended = blended_.data();
    const Vector factor = {1 / deviation[0], 1 / deviation[1], 1 / deviation[2], 0};
    const Vector offset = {-mean[0] / deviation[0], -mean[1] / deviation[1], -mean[2] / deviation[2], 0};
    for (std::size_t x = 0; x < side; ++x) {
      const Vector a = *reinterpret_cast<const LoadedVector*>(blended + columns_[x]);
      const Vector b = *reinterpret_cast<const LoadedVector*>(blended + columns_[x] + 4);
      row_[x] = (a + (b - a) * shares_[x]) * factor + offset;
    }
    constexpr std::size_t plane = std::size_t{side} * side;
    for (std::size_t x = 0; x < side; x += 4) {
      const Vector p = row_[x], q = row_[x + 1], r = row_[x + 2], s = row_[x + 3];
      const Vector first = __builtin_shufflevector(p, q, 0, 4, 1, 5), second = __builtin_shufflevector(r, s, 0, 4, 1, 5);
      *reinterpret_cast<LoadedVector*>(out + x) = __builtin_shufflevector(first, second, 0, 1, 4, 5);
      *reinterpret_cast<LoadedVector*>(out + plane + x) = __builtin_shufflevector(first, second, 2, 3, 6, 7);
      *reinterpret_cast<LoadedVector*>(out + 2 * plane + x) = Vector{p[2], q[2], r[2], s[2]};
    }
  }

  alignas(64) std::array<int, side> columns_{};
  alignas(64) std::array<float, side> shares_{};
  alignas(64) std::array<Vector, side> row_{};
  std::vector<float> blended_;
};

std::vector<std::string> jpegs_below(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const auto kind = entry.path().extension();
    if (kind == ".jpg" || kind == ".jpeg") files.push_back(entry.path().string());
  }
  if (files.empty()) throw std::runtime_error("--data " + folder + ": no JPEG file");
  std::sort(files.begin(), files.end());
  std::shuffle(files.begin(), files.end(), std::mt19937(1));
  return files;
}

/// A batch in huge pages that are there from the start: a page fault an image would be measured otherwise.
float* make_batch() {
  const std::size_t bytes = peers::batch_size * peers::image_values * sizeof(float);
  void* memory = std::aligned_alloc(std::size_t{2} << 20, (bytes + (std::size_t{2} << 20)) >> 21 << 21);
  if (memory == nullptr) throw std::bad_alloc();
  madvise(memory, bytes, MADV_HUGEPAGE);
  std::fill_n(static_cast<float*>(memory), bytes / sizeof(float), 0.0F);
  return static_cast<float*>(memory);
}

struct alignas(128) Worker {
  std::atomic<std::int64_t> images{0};
  std::thread thread;
};

void work(const std::vector<std::string>& files, bool entropy, unsigned seed, std::atomic<std::uint64_t>& next,
          const std::atomic<bool>& stop, Worker& worker) {
  std::mt19937 random(seed);
  FileBytes file;
  Jpeg jpeg;
  Pixels pixels;
  Resize resize;
  float* const batch = make_batch();
  for (std::int64_t done = 0; !stop.load(std::memory_order_relaxed);) {
    const std::string& path = files[next.fetch_add(1, std::memory_order_relaxed) % files.size()];
    if (!file.read(path) || !jpeg.header(file)) continue;
    if (entropy) {
      if (!jpeg.entropy()) continue;
    } else {
      const Box box = draw_box(jpeg.width(), jpeg.height(), random);
      if (!jpeg.decode(box, pixels)) continue;
      float* const slot = batch + static_cast<std::size_t>(done % peers::batch_size) * peers::image_values;
      resize.run(pixels, box, (random() & 1U) != 0, slot);
    }
    worker.images.store(++done, std::memory_order_relaxed);
  }
  std::free(batch);
}

void measure(const peers::Arguments& arguments) {
  const double loaded = peers::now_s();
  const peers::Events events(arguments.events);
  const bool entropy = arguments.mode == "entropy";
  const auto files = jpegs_below(arguments.data);
  std::atomic<std::uint64_t> next{0};
  std::atomic<bool> stop{false};
  std::vector<Worker> workers(static_cast<std::size_t>(std::max(arguments.workers, 1)));
  unsigned seed = 0;
  for (Worker& worker : workers)
    worker.thread = std::thread(work, std::cref(files), entropy, ++seed, std::ref(next), std::cref(stop), std::ref(worker));
  const auto images = [&] {
    std::int64_t sum = 0;
    for (const Worker& worker : workers) sum += worker.images.load(std::memory_order_relaxed);
    return sum;
  };
  const auto sleep_s = [](double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); };
  while (images() < peers::batch_size) sleep_s(1e-3);
  events.first(peers::now_s(), loaded, "\"libjpeg-turbo\": \"" + std::to_string(LIBJPEG_TURBO_VERSION_NUMBER) + "\"");
  sleep_s(arguments.warmup);
  events.begin();
  const double begin = peers::now_s();
  const std::int64_t before = images();
  sleep_s(arguments.seconds);
  const std::int64_t after = images();
  const double seconds = peers::now_s() - begin;
  events.end(after - before, seconds);
  stop = true;
  for (Worker& worker : workers) worker.thread.join();
}

void check(const peers::Arguments& arguments) {
  FileBytes file;
  Jpeg jpeg;
  Pixels pixels;
  Resize resize;
  peers::write_check(arguments, [&](const peers::BoxEntry& entry, float* values) {
    const Box box{entry.left, entry.top, entry.width, entry.height};
    if (!file.read(entry.path) || !jpeg.header(file) || !jpeg.decode(box, pixels))
      throw std::runtime_error("can't decode " + entry.path);
    resize.run(pixels, box, false, values);
  });
}

}  // namespace

int main(int argc, char** argv) try {
  const auto arguments = peers::parse_arguments(argc, argv);
  if (arguments.mode != "fused" && arguments.mode != "entropy")
    throw std::runtime_error("--mode " + arguments.mode + ": accepted: fused, entropy");
  if (arguments.command == "measure") measure(arguments);
  else if (arguments.command == "check") check(arguments);
  else throw std::runtime_error("unknown command " + arguments.command + " (accepted: measure, check)");
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "peers-limit: %s\n", error.what());
  return 1;
}
