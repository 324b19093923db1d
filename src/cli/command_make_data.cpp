#include <fmt/format.h>

#include <climits>
#include <cstdint>
#include <iostream>

#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/option_values.hpp"
#include "core/single_line.hpp"
#include "machine/cpu_limit.hpp"
#include "pipeline/make_data.hpp"

namespace feedtune {
int run_command(const MakeDataArguments& arguments) {
  MakeDataOptions options;
  options.folder = arguments.folder;
  options.images = integer_option(arguments.images, "--images", 1, INT_MAX);
  options.seed = integer_option<std::uint64_t>(arguments.seed, "--seed", 0, UINT64_MAX);
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
