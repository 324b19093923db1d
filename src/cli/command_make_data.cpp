#include <fmt/format.h>

#include <charconv>
#include <iostream>

#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "core/error.hpp"
#include "core/single_line.hpp"
#include "machine/cpu_limit.hpp"
#include "pipeline/make_data.hpp"

namespace feedtune {
namespace {

template <class T>
T integer(const std::string& text, const char* option) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw UsageError(fmt::format("{}: got '{}', want an integer", option, text));
  return value;
}

}  // namespace

int run_command(const MakeDataArguments& arguments) {
  MakeDataOptions options;
  options.folder = arguments.folder;
  options.images = integer<int>(arguments.images, "--images");
  if (options.images < 1) throw UsageError(fmt::format("--images: got {}, want an integer >= 1", options.images));
  options.seed = integer<std::uint64_t>(arguments.seed, "--seed");
  options.threads = std::max(1, static_cast<int>(cpu_limit().effective));
  const MakeDataSummary summary = make_data(options, [&](int done, int images) {
    if (!arguments.quiet && (done % 100 == 0 || done == images)) std::cerr << fmt::format("{} of {} images\n", done, images);
  });
  std::string kinds;
  for (const auto& [kind, count] : summary.kinds) kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count, kind);
  std::cout << fmt::format("{}: {} images{}, mean {:.0f} KB, {:.0f} pixels; {}; digest {}\n", single_line(options.folder), summary.images,
                           summary.reused ? " (already there)" : "", static_cast<double>(summary.bytes) / 1000.0 / summary.images,
                           summary.mean_pixels, kinds, summary.digest);
  return exit_code::ok;
}

}  // namespace feedtune
