#include "core/configuration.hpp"

namespace feedtune {

std::string to_text(const AxisValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

std::optional<std::int64_t> Configuration::integer(const std::string& axis) const {
  const auto found = values_.find(axis);
  if (found == values_.end() || !std::holds_alternative<std::int64_t>(found->second)) return std::nullopt;
  return std::get<std::int64_t>(found->second);
}

std::optional<std::string> Configuration::text(const std::string& axis) const {
  const auto found = values_.find(axis);
  if (found == values_.end() || !std::holds_alternative<std::string>(found->second)) return std::nullopt;
  return std::get<std::string>(found->second);
}

std::string Configuration::key() const {
  std::string key;
  for (const auto& [axis, value] : values_) {
    if (!key.empty()) key += ',';
    key += axis;
    key += '=';
    key += feedtune::to_text(value);
  }
  return key;
}

}  // namespace feedtune
