#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/option_values.hpp"
#include "cli/signals.hpp"
#include "core/error.hpp"
#include "machine/cpu_limit.hpp"
#include "pipeline/image_format.hpp"
#include "pipeline/pack.hpp"
#include "report/format.hpp"

namespace feedtune {
namespace {

constexpr int usual_side = 256, usual_quality = 90;

/// Ends the packing from inside its progress; never leaves this file.
struct Stopped {};

PackRecipe recipe_of(const PackArguments& arguments) {
  PackRecipe recipe;
  recipe.kind = enum_from_text<PackKind>(arguments.kind).value();
  if (recipe.kind == PackKind::jpeg && arguments.side)
    throw UsageError("--side: kind jpeg keeps the files as they are; use --kind resized or --kind raw");
  if (recipe.kind != PackKind::resized && arguments.quality)
    throw UsageError(fmt::format("--quality: kind {} makes no JPEGs; use --kind resized", arguments.kind));
  if (recipe.kind == PackKind::jpeg) return recipe;
  const std::string side = arguments.side.value_or(std::to_string(usual_side));
  if (recipe.kind == PackKind::resized && side == "full")
    throw UsageError("--side: kind resized needs a number of pixels; --kind jpeg keeps the files as they are");
  if (side != "full") recipe.side = integer_option(side, "--side", 1, max_side);
  if (recipe.kind == PackKind::resized)
    recipe.quality = integer_option(arguments.quality.value_or(std::to_string(usual_quality)), "--quality", 1, 100);
  return recipe;
}

}  // namespace

int run_command(const PackArguments& arguments) {
  PackOptions options;
  options.folder = arguments.folder;
  options.data = arguments.data;
  options.recipe = recipe_of(arguments);
  options.threads = std::max(1, static_cast<int>(cpu_limit().effective));
  watch_signals();
  std::int64_t shown = 0;
  PackSummary summary;
  try {
    summary = pack(options, [&](std::int64_t done, std::int64_t images) {
      if (stop_signal() != 0) throw Stopped{};
      if (arguments.quiet || (done / 1000 == shown / 1000 && done != images) || done == shown) return;
      shown = done;
      std::cerr << fmt::format("{} of {} images\n", done, images);
    });
  } catch (const Stopped&) {
    std::cerr << "feedtune: stopped by a signal; nothing is left of the pack\n";
    return exit_code::signal_base + stop_signal();
  }
  if (summary.failed > 0)
    std::cerr << fmt::format("feedtune: {} of {} images could not be packed and will fail in every run (first: {})\n", summary.failed,
                             summary.images, single_line(summary.first_failure));
  if (summary.damaged > 0)
    std::cerr << fmt::format("feedtune: {} of {} images are damaged and were packed as far as they could be decoded\n", summary.damaged,
                             summary.images);
  std::cout << fmt::format("{}: {} as {} in {}, {} (the files: {})\n", single_line(arguments.folder), counted(summary.images, "image"), arguments.kind,
                           counted(static_cast<std::int64_t>(summary.shards), "shard"), bytes_text(static_cast<double>(summary.bytes)),
                           bytes_text(static_cast<double>(summary.source_bytes)));
  return exit_code::ok;
}

}  // namespace feedtune
