#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <thread>

#include "cli/commands.hpp"
#include "cli/evaluation.hpp"
#include "cli/exit_codes.hpp"
#include "cli/option_values.hpp"
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

std::vector<std::string> strategies_of(const std::string& text) {
  std::vector<std::string> names = listed_option(text);
  for (const std::string& name : names)
    if (std::count(names.begin(), names.end(), name) > 1) throw UsageError(fmt::format("--strategy: {} is given twice", single_line(name)));
  return names;
}

EvaluationRequest request_of(const EvaluateArguments& arguments) {
  EvaluationRequest request;
  request.files = arguments.replays;
  request.strategies = strategies_of(arguments.strategies);
  request.seeds = integer_option<std::int64_t>(arguments.seeds, "--seeds", 1, most_seeds);
  request.first_seed = integer_option<std::uint64_t>(arguments.seed, "--seed", 0, INT64_MAX);
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
