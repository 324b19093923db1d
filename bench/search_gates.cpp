// How well searches do on made-up machines, and whether the one that is judged reaches its gates (results/search.md).
//   search-gates [--strategy NAME] [--machines 200] [--seed 1] [--cost 0.1] [--noise usual] [--family F]
// Without --family: the families that the gates are about. F: one family, or "all". Prints a table by family: regret of the best that was found and of what is recommended, costs over the exhaustive
// sweep's, bias and coverage of what is published; where all that the gates need was run, with the usual noise, the gates
// too: exit 1 where one is missed.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>
#include <thread>

#include "core/error.hpp"
#include "core/nearest.hpp"
#include "gaussian_search.hpp"
#include "hill_climb.hpp"
#include "measure/statistics.hpp"
#include "search_gates.hpp"

namespace feedtune {
namespace {

constexpr std::array gate_families = {SyntheticFamily::mixed, SyntheticFamily::all_equal, SyntheticFamily::rough, SyntheticFamily::interaction};

struct Arguments {
  std::string strategy = "guided", noise = "usual", family;
  int machines = 200;
  std::uint64_t seed = 1;
  double cost = 0.1;
};

double number(const std::string& option, const std::string& text, double least, double most) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value >= least && value <= most))
    throw UsageError(fmt::format("{}: got \"{}\", want a number from {} to {}", option, text, least, most));
  return value;
}

Arguments parse(int count, char** given) {
  Arguments arguments;
  for (int i = 1; i < count; i += 2) {
    const std::string option = given[i];
    if (i + 1 >= count) throw UsageError(option + ": a value is missing");
    const std::string value = given[i + 1];
    if (option == "--strategy") arguments.strategy = value;
    else if (option == "--noise") arguments.noise = value;
    else if (option == "--family") arguments.family = value;
    else if (option == "--machines") arguments.machines = static_cast<int>(number(option, value, 2, 100'000));
    else if (option == "--seed") arguments.seed = static_cast<std::uint64_t>(number(option, value, 0, 1e15));
    else if (option == "--cost") arguments.cost = number(option, value, 0.001, 1);
    else throw UsageError(option + ": unknown; known: --strategy, --machines, --seed, --cost, --noise, --family");
  }
  return arguments;
}

/// The judged one, then what it has to beat.
std::vector<StrategyEntry> with_baselines(const std::string& judged) {
  std::vector<StrategyEntry> baselines = {strategy_named("random"), hill_climb(), gaussian_search()};
  const auto baseline = std::find_if(baselines.begin(), baselines.end(), [&](const StrategyEntry& entry) { return entry.name == judged; });
  const StrategyEntry first = baseline != baselines.end() ? *baseline : strategy_named(judged);
  std::vector<StrategyEntry> all = {first};
  for (StrategyEntry& entry : baselines)
    if (entry.name != judged) all.push_back(std::move(entry));
  return all;
}

SearchResults run_family(const Arguments& arguments, SyntheticFamily family, std::vector<StrategyEntry> strategies) {
  SearchTrials plan;
  plan.strategies = std::move(strategies);
  plan.machine = {.family = family, .noise = synthetic_noise_named(arguments.noise), .small = false};
  plan.machines = arguments.machines;
  plan.first_seed = arguments.seed;
  plan.cost_share = arguments.cost;
  plan.one_shot = plan.strategies.size() > 1;
  plan.threads = std::max(1u, std::thread::hardware_concurrency());
  plan.progress = [&](int done) {
    if (done % 10 == 0 || done == arguments.machines) std::cerr << fmt::format("\r{}: {} of {} machines ", to_text(family), done, arguments.machines) << std::flush;
  };
  SearchResults results = run_trials(plan);
  std::cerr << '\n';
  return results;
}

std::string percent(const std::optional<double>& share, int digits = 2) { return share ? fmt::format("{:.{}f}", 100 * *share, digits) : "-"; }

void print(SyntheticFamily family, const SearchResults& results) {
  std::cout << fmt::format("\n{}, {} machines; per cent\n{:<11}{:>23}{:>23}{:>16}{:>8}{:>10}{:>12}{:>14}{:>8}{:>7}\n", to_text(family), results.trials.front().size(),
                           "strategy", "regret mean/med/p95", "recommended m/m/p95", "search+confirm", "bias", "coverage", "false gain", "settled/true", "no fit", "P");
  for (std::size_t s = 0; s < results.strategies.size(); ++s) {
    const std::vector<SearchTrial>& trials = results.trials[s];
    const SearchScore all = score(outcomes_of(trials));
    std::vector<double> regrets, recommended;
    int settled = 0, kept = 0;
    PerformanceShare performance;
    for (const SearchTrial& trial : trials) {
      regrets.push_back(trial.outcome.regret.value_or(1));
      recommended.push_back(trial.outcome.recommended_regret.value_or(1));
      settled += trial.decided;
      kept += trial.decided && trial.within;
      performance.gained += trial.performance.gained;
      performance.possible += trial.performance.possible;
    }
    const auto three = [](const Average& mean, const std::vector<double>& values, const std::optional<double>& p95) {
      return fmt::format("{} / {} / {}", percent(mean.mean), percent(median(values)), percent(p95));
    };
    std::cout << fmt::format("{:<11}{:>23}{:>23}{:>16}{:>8}{:>10}{:>12}{:>14}{:>8}{:>7}\n", results.strategies[s], three(all.regret, regrets, all.regret_p95),
                             three(all.recommended_regret, recommended, all.recommended_regret_p95),
                             percent(all.search_cost_share.mean, 1) + " + " + percent(all.confirm_cost_share.mean, 1), percent(all.bias.mean),
                             percent(all.coverage.mean, 1), percent(all.false_gain.mean, 1), fmt::format("{} / {}", settled, kept), all.infeasible,
                             performance.possible > 0 ? fmt::format("{:.2f}", performance.gained / performance.possible) : "-");
    if (s > 0) std::cout << fmt::format("{:<11}p = {:.2g} that {} is not better\n", "", paired_p(results.trials.front(), trials), results.strategies.front());
  }
  if (results.one_shot.empty()) return;
  std::vector<double> regrets, over;
  for (const OneShotSweep& sweep : results.one_shot) regrets.push_back(sweep.regret), over.push_back(sweep.over_report);
  std::cout << fmt::format("{:<11}{:>22}  over-reports {}\n", "one-shot",
                           fmt::format("{} / {} / {}", percent(mean(regrets)), percent(median(regrets)), percent(quantile(regrets, 0.95))), percent(mean(over)));
}

bool is_wanted(const Arguments& arguments, SyntheticFamily family) {
  if (arguments.family.empty()) return std::find(gate_families.begin(), gate_families.end(), family) != gate_families.end();
  return arguments.family == "all" || arguments.family == to_text(family);
}

int run(const Arguments& arguments) {
  const std::vector<StrategyEntry> all = with_baselines(arguments.strategy);
  const std::vector<StrategyEntry> judged = {all.front()};
  std::map<SyntheticFamily, SearchResults> results;
  for (const SyntheticFamily family : all_synthetic_families()) {
    if (!is_wanted(arguments, family)) continue;
    const bool compared = family == SyntheticFamily::mixed || arguments.family == to_text(family);
    print(family, results[family] = run_family(arguments, family, compared ? all : judged));
  }
  if (results.empty()) {
    std::vector<std::string> names;
    for (const SyntheticFamily family : all_synthetic_families()) names.push_back(to_text(family));
    throw UsageError("--family: unknown \"" + arguments.family + "\"; known: all, " + joined(names));
  }
  using enum SyntheticFamily;
  if (results.size() < gate_families.size() || arguments.noise != "usual") return 0;
  const std::vector<Gate> gates = judge_gates({.mixed = results[mixed], .equal = results[all_equal], .rough = results[rough], .interacting = results[interaction]});
  std::cout << fmt::format("\n{:<52}{:>30}  {:<22}\n", "gate", arguments.strategy, "limit");
  int missed = 0;
  for (const Gate& gate : gates) {
    std::cout << fmt::format("{:<52}{:>30}  {:<22}{}\n", gate.name, gate.value, gate.limit, gate.met ? "" : "MISSED");
    missed += !gate.met;
  }
  return missed > 0 ? 1 : 0;
}

}  // namespace
}  // namespace feedtune

int main(int count, char** arguments) {
  try {
    return feedtune::run(feedtune::parse(count, arguments));
  } catch (const feedtune::UsageError& error) {
    std::cerr << "search-gates: " << error.what() << '\n';
    return 2;
  } catch (const feedtune::SpecError& error) {
    std::cerr << "search-gates: " << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "search-gates: " << error.what() << '\n';
    return 3;
  }
}
