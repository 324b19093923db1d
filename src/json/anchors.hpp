#pragma once
// configs/anchors-v1.json: the fixed work that every sweep also measures, so that any two machines can be compared.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/configuration.hpp"

namespace feedtune {

struct AnchorSet {
  std::string version;      ///< "anchors-v1"; runs are compared only on anchors of the same version
  int images = 0;           ///< of make-data
  std::uint64_t seed = 0;   ///< of make-data
  int image_size = 224;     ///< pixels
  std::string model;
  double trial_time_s = 3;
  std::vector<Configuration> configurations;  ///< the file's `common` values included
};

/// Throws InputError with file, line and JSON path.
AnchorSet decode_anchors(std::string_view text, const std::string& where);

}  // namespace feedtune
