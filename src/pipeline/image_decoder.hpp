#pragma once
#include <memory>
#include <string>

#include "pipeline/decoder.hpp"

namespace feedtune {

/// The registered decoder of that name for JPEG files, the opencv module for PNG and WebP, and for a pack's raw records
/// none at all (they are pixels); other formats fail by name
/// ("unsupported: avif"). Throws InputError with the accepted names for an unknown one.
/// `side`: of the square that each crop will be resized to, pixels.
std::unique_ptr<Decoder> make_image_decoder(const std::string& name, int side = 224);

/// Empty: usable here. Else what is missing. Throws InputError as above.
std::string decoder_unavailable(const std::string& name);

}  // namespace feedtune
