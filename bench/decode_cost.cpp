// Compares what two folders of JPEGs cost to decode, by kind of file: CPU time per byte of libjpeg's whole decode to
// RGB, of its entropy decoding alone, and of the pipeline's `turbo` decoder on random crops. The folders are measured
// in turn, several times, so that a slow spell of the machine falls on both; medians of the passes.
//   ninja -C build decode-cost && build/bench/decode-cost PHOTOGRAPHS SYNTHETIC [passes=5]
#include <time.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <jpeglib.h>

#include "pipeline/crop.hpp"
#include "pipeline/hash.hpp"
#include "pipeline/image_decoder.hpp"

namespace {

struct File {
  std::string kind;
  std::vector<unsigned char> bytes;
  double pixels = 0;
};

struct Error {
  jpeg_error_mgr base;
  std::jmp_buf jump;
};

double cpu_s() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

const char* kind_of(const jpeg_decompress_struct& jpeg) {
  if (jpeg.progressive_mode) return "progressive";
  if (jpeg.num_components == 1) return "grey";
  if (jpeg.num_components == 4) return "cmyk";
  const auto& luma = jpeg.comp_info[0];
  const auto& chroma = jpeg.comp_info[1];
  if (luma.h_samp_factor == chroma.h_samp_factor) return "444";
  return luma.v_samp_factor == chroma.v_samp_factor ? "422" : "420";
}

enum class Work { header, entropy, full };

/// False where libjpeg gives up.
bool decode(File& file, Work work) {
  static std::vector<unsigned char> row(1 << 20);
  jpeg_decompress_struct jpeg;
  Error error;
  jpeg.err = jpeg_std_error(&error.base);
  error.base.error_exit = [](j_common_ptr info) { std::longjmp(reinterpret_cast<Error*>(info->err)->jump, 1); };
  if (setjmp(error.jump) != 0) {
    jpeg_destroy_decompress(&jpeg);
    return false;
  }
  jpeg_create_decompress(&jpeg);
  jpeg_mem_src(&jpeg, file.bytes.data(), file.bytes.size());
  jpeg_read_header(&jpeg, TRUE);
  if (work == Work::header) {
    file.kind = kind_of(jpeg);
    file.pixels = static_cast<double>(jpeg.image_width) * jpeg.image_height;
  } else if (work == Work::entropy) {
    jpeg_read_coefficients(&jpeg);
  } else {
    jpeg.out_color_space = jpeg.num_components == 4 ? JCS_CMYK : JCS_RGB;
    jpeg_start_decompress(&jpeg);
    JSAMPROW rows[] = {row.data()};
    while (jpeg.output_scanline < jpeg.output_height) jpeg_read_scanlines(&jpeg, rows, 1);
  }
  jpeg_destroy_decompress(&jpeg);
  return true;
}

std::vector<File> load(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension() == ".jpg") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<File> files;
  for (const auto& path : paths) {
    std::ifstream stream(path, std::ios::binary);
    File file;
    file.bytes.assign(std::istreambuf_iterator<char>(stream), {});
    if (decode(file, Work::header)) files.push_back(std::move(file));
  }
  return files;
}

constexpr std::array works = {"whole", "entropy", "turbo crop"};

struct Cost {
  double files = 0, bytes = 0, pixels = 0;
  std::array<std::vector<double>, works.size()> seconds;  ///< one per pass

  double ns_per_byte(std::size_t work) const {
    std::vector<double> sorted = seconds[work];
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2] / bytes * 1e9;
  }
};

using Costs = std::map<std::string, Cost>;

void measure(std::vector<File>& files, std::size_t pass, Costs& costs) {
  const auto turbo = feedtune::make_image_decoder("turbo");
  std::uint64_t seed = pass << 32;
  for (File& file : files) {
    const double begin = cpu_s();
    decode(file, Work::full);
    const double whole = cpu_s();
    decode(file, Work::entropy);
    const double entropy = cpu_s();
    const feedtune::ImageSize size = turbo->read_header(std::as_bytes(std::span(file.bytes)));
    turbo->decode(feedtune::augmentation(size, feedtune::mix64(++seed)).crop);
    const std::array seconds = {whole - begin, entropy - whole, cpu_s() - entropy};
    std::vector<std::string> groups = {file.kind, "all"};
    if (file.kind != "progressive") groups.push_back("all but progressive");
    for (const std::string& group : groups) {
      Cost& cost = costs[group];
      if (pass == 0) {
        cost.files += 1;
        cost.bytes += static_cast<double>(file.bytes.size());
        cost.pixels += file.pixels;
      }
      for (std::size_t work = 0; work < works.size(); ++work) {
        cost.seconds[work].resize(pass + 1);
        cost.seconds[work][pass] += seconds[work];
      }
    }
  }
}

void print(Costs& photographs, Costs& synthetic) {
  std::printf("| kind | files | KB a file | bits a pixel |");
  for (const char* work : works) std::printf(" %s ns/byte | ratio |", work);
  std::printf("\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (const auto& [kind, p] : photographs) {
    if (!synthetic.contains(kind)) continue;
    const Cost& s = synthetic.at(kind);
    std::printf("| %s | %.0f / %.0f | %.1f / %.1f | %.2f / %.2f |", kind.c_str(), p.files, s.files,
                p.bytes / p.files / 1e3, s.bytes / s.files / 1e3, 8 * p.bytes / p.pixels, 8 * s.bytes / s.pixels);
    for (std::size_t work = 0; work < works.size(); ++work)
      std::printf(" %.2f / %.2f | %.3f |", p.ns_per_byte(work), s.ns_per_byte(work),
                  s.ns_per_byte(work) / p.ns_per_byte(work));
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const int passes = argc > 3 ? std::atoi(argv[3]) : 5;
  if (argc < 3 || passes < 1) {
    std::fprintf(stderr, "usage: decode-cost PHOTOGRAPHS SYNTHETIC [passes=5]\n");
    return 2;
  }
  std::vector<File> photographs = load(argv[1]), synthetic = load(argv[2]);
  Costs costs[2];
  for (std::size_t pass = 0; pass < static_cast<std::size_t>(passes); ++pass) {
    measure(photographs, pass, costs[0]);
    measure(synthetic, pass, costs[1]);
  }
  print(costs[0], costs[1]);
} catch (const std::exception& error) {
  std::fprintf(stderr, "decode-cost: %s\n", error.what());
  return 1;
}
