#pragma once
// The two kinds of axis, so that an axis's own file says only what is peculiar to it.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/enums.hpp"
#include "space/axis.hpp"

namespace feedtune {

using Collapse = std::function<std::string(const Configuration&, const SpaceContext&)>;

struct IntegerAxis {
  std::string name;
  std::string unit;
  std::string summary;
  std::int64_t least = 1;
  std::int64_t most = 1'000'000;  ///< keeps a slip of the keyboard from overflowing anything
  std::vector<std::string> depends{};
  std::function<std::vector<std::int64_t>(const SpaceContext&)> defaults{};
  std::function<std::int64_t(const Configuration&, const SpaceContext&)> unswept{};
  bool swept_by_default = false;
  Collapse collapse{};
  std::function<void(TrialSetup&, int)> set{};
};
Axis integer_axis(IntegerAxis spec);

struct TextAxis {
  std::string name;
  std::string summary;
  std::vector<std::string> accepted{};  ///< every value; also the default list
  std::vector<std::string> depends{};
  std::function<std::string(const Configuration&, const SpaceContext&)> unswept{};
  bool swept_by_default = false;
  /// Values that this machine or device does not have: empty, or why. May itself be empty.
  std::function<std::string(const std::string&, const SpaceContext&)> lacks{};
  Collapse collapse{};
  std::function<void(TrialSetup&, const std::string&)> set{};
};
/// The default list leaves out what the machine lacks.
Axis text_axis(TextAxis spec);

/// The same value whatever the rest of the configuration.
template <class T>
auto always(T value) {
  return [value](const Configuration&, const SpaceContext&) { return value; };
}

/// A value that `reject` has let through.
template <class E>
E enum_value(const std::string& text) {
  return enum_from_text<E>(text).value();
}

bool without_workers(const Configuration& configuration);
bool has_text(const Configuration& configuration, const std::string& axis, const std::string& value);

}  // namespace feedtune
