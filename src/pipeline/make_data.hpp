#pragma once
// `feedtune make-data`: a deterministic set of JPEGs with ImageNet's statistics, so that the tool works with nothing
// else and machines can be compared on the same bytes. How near it comes to photographs: results/make-data.md.

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace feedtune {

struct MakeDataOptions {
  std::string folder;  ///< created where it does not exist; else it must be empty or hold this very set
  int images = 1000;
  std::uint64_t seed = 1;
  int classes = 10;  ///< folders n00000000, n00000001, ...; image i is in folder i % classes
  int threads = 2;   ///< the bytes don't depend on it
};

struct MakeDataSummary {
  int images = 0;
  std::uint64_t bytes = 0;
  double mean_pixels = 0;
  std::map<std::string, int> kinds;  ///< "420": 795, "prog": 35, ...
  std::string digest;   ///< 16 hex digits: FNV-1a (64 bits) of all files' bytes in the order of their names
  bool reused = false;  ///< the folder held the set already; nothing was written
};

/// Called on the caller's thread with images written so far. What it throws ends make_data; a later call with the same
/// options completes the set.
using MakeDataProgress = std::function<void(int done, int images)>;

/// Image i depends on the seed and on i alone: a smaller set is the beginning of a larger one. Files appear whole or
/// not at all. Throws InputError for options that cannot be and for a folder with anything else in it, IoError with the
/// path where the system refuses.
MakeDataSummary make_data(const MakeDataOptions& options, const MakeDataProgress& progress = {});

}  // namespace feedtune
