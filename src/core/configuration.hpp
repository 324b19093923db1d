#pragma once
// One point of the search space: an open map from axis name to value. Which axes exist is space/'s business; a file
// written by a newer feedtune keeps axes this one has never heard of.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace feedtune {

using AxisValue = std::variant<std::int64_t, std::string>;

/// "64" or "pinned".
std::string to_text(const AxisValue& value);

class Configuration {
 public:
  Configuration() = default;
  explicit Configuration(std::map<std::string, AxisValue> values) : values_(std::move(values)) {}

  const std::map<std::string, AxisValue>& values() const { return values_; }
  bool has(const std::string& axis) const { return values_.contains(axis); }
  void set(const std::string& axis, AxisValue value) { values_[axis] = std::move(value); }
  void erase(const std::string& axis) { values_.erase(axis); }

  std::optional<std::int64_t> integer(const std::string& axis) const;
  std::optional<std::string> text(const std::string& axis) const;

  /// "batch_size=64,host_memory=pinned,num_workers=2": axes in alphabetical order; equal exactly when equal.
  std::string key() const;

  friend bool operator==(const Configuration&, const Configuration&) = default;
  friend bool operator<(const Configuration& a, const Configuration& b) { return a.values_ < b.values_; }

 private:
  std::map<std::string, AxisValue> values_;
};

}  // namespace feedtune
