#pragma once
// What each file of a synthetic set is to be: its kind, size in pixels and size in bytes. Drawn from ImageNet's
// distributions, before any picture is made.

#include <cstdint>
#include <string>
#include <vector>

namespace feedtune {

enum class SyntheticKind { s420, s422, s444, grey, cmyk, progressive };

/// "420", "422", "444", "grey", "cmyk", "prog": part of the file's name.
const char* to_text(SyntheticKind kind);

struct SyntheticPlan {
  std::string name;  ///< relative to the folder: n00000003/00013_420.jpg
  SyntheticKind kind = SyntheticKind::s420;
  int width = 0;   ///< pixels
  int height = 0;  ///< pixels
  int target_bytes = 0;
  int detail = 0;          ///< of the picture (SyntheticPainter): more bits a pixel come from more texture
  std::uint64_t seed = 0;  ///< of the picture
};

/// File `index` of the set; depends on seed, index and classes alone. Fractions of the kinds: 4:2:0 80 %, 4:4:4 10 %,
/// progressive 3.5 %, 4:2:2 3 %, grey 3 %, CMYK 0.5 %. Sizes: 52 % 500x375, 12 % 375x500, 14 % other sizes with a side
/// of 500, the rest log-normal about 430 pixels from 200 to 1200 (mean near 200,000 pixels). Bytes: log-normal
/// about 4.3 bits a pixel (CMYK 5.8), which with these sizes makes a mean of 110 KB.
SyntheticPlan synthetic_plan(std::uint64_t seed, int index, int classes);

}  // namespace feedtune
