#pragma once
#include <optional>

#include "analyze/measurements.hpp"
#include "analyze/race.hpp"

namespace feedtune {

/// Among which configurations the headline is chosen: batch size changes training, so a user's own is kept.
struct Headline {
  std::optional<int> batch_size;  ///< the current one; absent: every batch competes and the knee is the headline
  Members members;
  bool current_batch_failed = false;  ///< there is a current batch, but nothing usable was measured at it
};

Headline find_headline(const Run& run, const Measurements& data);

}  // namespace feedtune
