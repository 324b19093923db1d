#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace feedtune {

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b` (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known name that a mistyped one most likely meant (the first of the closest), or "" when none is close: more
/// than a third of the name would have to change.
std::string nearest(std::string_view name, std::span<const std::string> known);

/// ", did you mean num_workers?" or "": to be put into an error message.
std::string did_you_mean(std::string_view name, std::span<const std::string> known);

/// "a, b, c"
std::string joined(std::span<const std::string> names);

}  // namespace feedtune
