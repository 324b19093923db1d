#pragma once
// Numbers and settings as people read them. No locale: a point is a point everywhere.

#include <optional>
#include <string>
#include <vector>

#include "core/bytes_text.hpp"
#include "core/configuration.hpp"
#include "core/counted.hpp"
#include "core/interval.hpp"
#include "core/single_line.hpp"
#include "core/spec.hpp"

namespace feedtune {

/// images/s: "12,345", "98.7", "1.23". "-" for a number that isn't finite.
std::string rate_text(double images_per_s);
/// "12,345 [12,300, 12,390]"; without the brackets where the interval is unknown (n < 2).
std::string rate_text(const Interval& images_per_s);
/// "4.21x"; near 1 "1.004x".
std::string ratio_text(double ratio);
/// "4.21x [4.15x, 4.27x]"; without the brackets where there is no interval.
std::string ratio_text(const Interval& ratio);
/// 0.0312 -> "3.1 %"; "<0.1 %" for what is not nothing.
std::string percent_text(double share);
/// Milliseconds with three significant digits: "123", "12.3", "1.23", "0.05"; "-" when absent.
std::string ms_text(const std::optional<double>& ms);

/// "num_workers 4, loader pooled": the axes of interest that `configuration` has, in that order.
std::string settings_text(const Configuration& configuration, const std::vector<std::string>& axes);
/// "num_workers 0 -> 4, loader pooled": what to change in `from` to get `to`; empty when nothing.
std::string change_text(const Configuration& from, const Configuration& to);
/// Axis names of all the configurations: first those that users know (batch_size, num_workers, ...), then the others by
/// name.
std::vector<std::string> axes_of(const std::vector<Configuration>& configurations);
/// Axes that a sweep was told several values of.
std::vector<std::string> swept_axes(const Spec& spec);
/// `axes`, and those of `more` that aren't among them.
std::vector<std::string> joined_axes(std::vector<std::string> axes, const std::vector<std::string>& more);
/// Of axes_of() those whose value isn't the same in all.
std::vector<std::string> varying_axes(const std::vector<Configuration>& configurations);

/// Breaks at spaces so that no line is over `width` columns where words allow; lines after the first begin with
/// `indent` spaces. `first` columns of the first line are taken already. Ends with a newline.
std::string wrapped(const std::string& text, std::size_t first, std::size_t indent, std::size_t width = 96);

}  // namespace feedtune
