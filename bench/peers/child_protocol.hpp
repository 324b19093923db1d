#pragma once
// What the runner (run.py) and its C++ children say to each other: the command line, the events, the boxes of the check.

#include <time.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace peers {

constexpr int side = 224;
constexpr int batch_size = 64;
constexpr std::size_t image_values = std::size_t{3} * side * side;

/// Seconds of CLOCK_MONOTONIC, the runner's clock.
inline double now_s() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Arguments {
  std::string command;  ///< measure, check or build
  std::string data, boxes, output, resize, mode;
  std::string phases = "on";  ///< or off: nothing recorded per image
  std::string pack, store;  ///< the loader's own form of the data: its kind and its folder
  int workers = 1;
  int events = -1;  ///< descriptor
  double seconds = 0, warmup = 0;
};

template <class Number>
Number parse_number(std::string_view name, std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::runtime_error(std::string(name) + ": '" + std::string(text) + "' is no number");
  return value;
}

/// Throws std::runtime_error naming the argument.
inline Arguments parse_arguments(int argc, char** argv) {
  Arguments a;
  if (argc < 2) throw std::runtime_error("want a command: measure, check or build (run.py calls this program)");
  a.command = argv[1];
  for (int i = 2; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) throw std::runtime_error(name + " wants a value");
    const std::string value = argv[i + 1];
    if (name == "--data") a.data = value;
    else if (name == "--boxes") a.boxes = value;
    else if (name == "--output") a.output = value;
    else if (name == "--resize") a.resize = value;
    else if (name == "--mode") a.mode = value;
    else if (name == "--pack") a.pack = value;
    else if (name == "--store") a.store = value;
    else if (name == "--phases") a.phases = value;
    else if (name == "--workers") a.workers = parse_number<int>(name, value);
    else if (name == "--events") a.events = parse_number<int>(name, value);
    else if (name == "--seconds") a.seconds = parse_number<double>(name, value);
    else if (name == "--warmup") a.warmup = parse_number<double>(name, value);
    else throw std::runtime_error("unknown argument " + name);
  }
  return a;
}

/// Event lines on the runner's descriptor; on standard output where there is none (by hand).
class Events {
 public:
  explicit Events(int descriptor) : descriptor_(descriptor < 0 ? 1 : descriptor), by_hand_(descriptor < 0) {}
  void first(double at, double imported_at, const std::string& versions) const {
    dprintf(descriptor_, "{\"event\": \"first\", \"at\": %.9f, \"imported_at\": %.9f, \"versions\": {%s}}\n", at,
            imported_at, versions.c_str());
  }
  void begin() const { dprintf(descriptor_, "{\"event\": \"begin\"}\n"); }
  /// Returns when the runner has read this process's memory.
  void end(std::int64_t images, double seconds) const {
    dprintf(descriptor_, "{\"event\": \"end\", \"images\": %lld, \"seconds\": %.9f}\n", static_cast<long long>(images),
            seconds);
    char byte = 0;
    while (!by_hand_ && read(0, &byte, 1) > 0) {
    }
  }

 private:
  int descriptor_;
  bool by_hand_;
};

/// One line of the check's boxes: "left top width height kind path".
struct BoxEntry {
  int left = 0, top = 0, width = 0, height = 0;
  std::string path;
};

inline std::vector<BoxEntry> read_boxes(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("can't read " + path);
  std::vector<BoxEntry> entries;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    BoxEntry entry;
    std::string kind;
    words >> entry.left >> entry.top >> entry.width >> entry.height >> kind >> std::ws;
    std::getline(words, entry.path);
    if (!words && entry.path.empty()) throw std::runtime_error(path + ": no box: " + line);
    entries.push_back(entry);
  }
  return entries;
}

/// Writes `prepare(entry, values)` of every box: float32 [3][side][side] each.
inline void write_check(const Arguments& arguments, const std::function<void(const BoxEntry&, float*)>& prepare) {
  std::ofstream output(arguments.output, std::ios::binary);
  alignas(64) static float values[image_values];
  for (const BoxEntry& entry : read_boxes(arguments.boxes)) {
    prepare(entry, values);
    output.write(reinterpret_cast<const char*>(values), sizeof values);
  }
  if (!output.flush()) throw std::runtime_error("can't write " + arguments.output);
}

}  // namespace peers
