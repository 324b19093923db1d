#include "analyze/check.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace feedtune {
namespace {

const Fact* find(const MachineFacts& machine, const std::string& name) {
  const auto found = machine.facts.find(name);
  return found == machine.facts.end() ? nullptr : &found->second;
}

template <class T>
std::optional<T> value_of(const MachineFacts& machine, const std::string& name) {
  const Fact* fact = find(machine, name);
  const T* value = fact != nullptr && fact->value ? std::get_if<T>(&*fact->value) : nullptr;
  return value != nullptr ? std::optional<T>(*value) : std::nullopt;
}

int rank(CheckStatus status) {
  return status == CheckStatus::bad ? 0 : status == CheckStatus::warn ? 1 : status == CheckStatus::unknown ? 2 : 3;
}

}  // namespace

std::optional<std::int64_t> CheckInput::integer(const std::string& name) const { return value_of<std::int64_t>(machine, name); }
std::optional<std::string> CheckInput::text(const std::string& name) const { return value_of<std::string>(machine, name); }

std::string CheckInput::why_unknown(const std::string& name) const {
  const Fact* fact = find(machine, name);
  if (fact == nullptr || fact->reason.empty()) return name + " is not known";
  return fmt::format("{} is not known: {} ({})", name, fact->reason, fact->source);
}

std::vector<CheckFinding> run_checks(const CheckInput& input) {
  std::vector<CheckFinding> findings;
  for (const Check& check : all_checks()) {
    CheckVerdict verdict = check.judge(input);
    findings.emplace_back(CheckFinding{check.name, verdict.status, std::move(verdict.evidence), std::move(verdict.advice)});
  }
  std::stable_sort(findings.begin(), findings.end(), [](const auto& a, const auto& b) { return rank(a.status) < rank(b.status); });
  return findings;
}

}  // namespace feedtune
