#pragma once
// `feedtune pack`: a data set's files, one behind the other in a few large ones (results/README.md describes them), so
// that a run opens no file an image, and where asked for, smaller pictures or their pixels.

#include <cstdint>
#include <functional>
#include <string>

#include "pipeline/packed_format.hpp"

namespace feedtune {

struct PackOptions {
  std::string folder;  ///< created where it does not exist; else it must be empty
  std::string data;    ///< whatever ImageList takes, but no packed folder
  PackRecipe recipe;   ///< resized needs a side and a quality
  int threads = 2;     ///< the bytes don't depend on it
  std::uint64_t shard_bytes = std::uint64_t{1} << 30;
};

struct PackSummary {
  std::int64_t images = 0;
  std::int64_t failed = 0;   ///< could not be read or decoded; they fail in every run, with the same reason
  std::int64_t damaged = 0;  ///< decoded with a warning (jpeg decodes nothing)
  std::string first_failure;  ///< "a/b.jpg: empty file"
  std::uint64_t source_bytes = 0;
  std::uint64_t bytes = 0;   ///< of all shards
  std::size_t shards = 0;
};

/// Called on the caller's thread with images packed so far. What it throws ends pack(), which then leaves nothing.
using PackProgress = std::function<void(std::int64_t done, std::int64_t images)>;

/// Throws InputError for options that cannot be, data that can't be listed, a folder with anything in it or inside the
/// data, and where not one image could be packed; RunInUseError, IoError. A call that throws leaves nothing behind; one
/// that is killed leaves a folder that no run opens and that the next call clears.
PackSummary pack(const PackOptions& options, const PackProgress& progress = {});

}  // namespace feedtune
