#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <thread>

#include "cli/commands.hpp"
#include "cli/evaluation.hpp"
#include "cli/exit_codes.hpp"
#include "core/error.hpp"
#include "core/parse.hpp"

namespace feedtune {
namespace {

constexpr std::int64_t most_seeds = 100'000;

EvaluationBudget budget_of(const std::string& text) {
  EvaluationBudget budget;
  budget.text = text;
  if (!text.ends_with('%')) {
    budget.fixed = parse_budget(text, "--budget");
    return budget;
  }
  budget.share = parse_share(text, "--budget");
  if (*budget.share <= 0) throw UsageError(fmt::format("--budget: got '{}', want more than nothing", text));
  return budget;
}

template <class T>
T integer(const std::string& text, const char* option, T low, T high) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < low || value > high)
    throw UsageError(fmt::format("{}: got '{}', want an integer from {} to {}", option, text, low, high));
  return value;
}

std::vector<std::string> names(const std::string& text) {
  std::vector<std::string> found;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    found.push_back(text.substr(begin, end - begin));
    if (std::count(found.begin(), found.end(), found.back()) > 1) throw UsageError(fmt::format("--strategy: {} is given twice", found.back()));
    begin = end + 1;
  }
  return found;
}

EvaluationRequest request_of(const EvaluateArguments& arguments) {
  EvaluationRequest request;
  request.files = arguments.replays;
  request.strategies = names(arguments.strategies);
  request.seeds = integer<std::int64_t>(arguments.seeds, "--seeds", 1, most_seeds);
  request.first_seed = integer<std::uint64_t>(arguments.seed, "--seed", 0, INT64_MAX);
  request.threads = std::max(1u, std::thread::hardware_concurrency());
  try {
    request.budget = budget_of(arguments.budget);
    request.within = parse_share(arguments.within, "--within");
  } catch (const SpecError& error) {
    throw UsageError(error.what());
  }
  return request;
}

}  // namespace

int run_command(const EvaluateArguments& arguments) {
  const Evaluation evaluation = evaluate(request_of(arguments));
  std::cout << (arguments.format == "json" ? evaluation_json(evaluation) : evaluation_text(evaluation));
  return exit_code::ok;
}

}  // namespace feedtune
