#pragma once
#include <string>

#include "core/error.hpp"

namespace feedtune {

/// One file that cannot be read or decoded. Never ends a trial by itself: the preparer counts it and zeroes the slot.
/// what() is the reason alone ("empty file"), without the path.
class ImageError : public Error {
 public:
  using Error::Error;
};

}  // namespace feedtune
