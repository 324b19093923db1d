#include <fmt/format.h>

#include "core/error.hpp"
#include "core/nearest.hpp"
#include "search/strategy.hpp"

namespace feedtune {

StrategyEntry strategy_named(const std::string& name) {
  std::vector<std::string> known;
  for (StrategyEntry& entry : all_strategies()) {
    if (entry.name == name) return std::move(entry);
    known.push_back(entry.name);
  }
  const std::string hint = did_you_mean(name, known);
  throw SpecError("strategy", fmt::format("unknown strategy \"{}\"{} known: {}", name, hint.empty() ? ";" : hint, joined(known)));
}

}  // namespace feedtune
