#pragma once
// Values of options as typed. Each function throws UsageError that names the option and what is accepted.

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/single_line.hpp"
#include "core/split.hpp"

namespace feedtune {

template <class T>
T integer_option(const std::string& text, const char* option, T low, T high) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < low || value > high)
    throw UsageError(fmt::format("{}: got '{}', want an integer from {} to {}", option, single_line(text), low, high));
  return value;
}

/// "a,b" -> a and b; an empty part is one too.
inline std::vector<std::string> listed_option(const std::string& text) {
  const auto parts = split(text, ",");
  return {parts.begin(), parts.end()};
}

}  // namespace feedtune
