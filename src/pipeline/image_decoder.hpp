#pragma once
#include <memory>
#include <string>

#include "pipeline/decoder.hpp"

namespace feedtune {

/// The registered decoder of that name for JPEG files, the opencv module for PNG and WebP; other formats fail by name
/// ("unsupported: avif"). Throws InputError with the accepted names for an unknown one.
std::unique_ptr<Decoder> make_image_decoder(const std::string& name);

/// Empty: usable here. Else what is missing. Throws InputError as above.
std::string decoder_unavailable(const std::string& name);

}  // namespace feedtune
