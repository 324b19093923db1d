#pragma once
// Whoever leads among several that are about as fast was also lucky: its mean over the very blocks that chose it is too high.

#include <optional>

#include "analyze/race.hpp"

namespace feedtune {

/// Log images/s of the fastest of a group without that luck: in each confirmation block the value of whoever led in all
/// the other blocks, block effects taken out; the mean over the blocks (leave-one-out cross-validation, Stone 1974). Of one
/// that leads everywhere its own mean. A block in which the leader was not measured says nothing. Counts those usable and
/// measured in `min_blocks` blocks, or in as many as any. Absent with fewer than two such blocks.
std::optional<double> fastest_without_luck(const Measurements& data, const Members& group);

}  // namespace feedtune
