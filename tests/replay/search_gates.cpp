#include "search_gates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include <boost/math/distributions/binomial.hpp>

#include "measure/statistics.hpp"

namespace feedtune {
namespace {

constexpr double one_in_a_hundred = 2.33;  // standard normal quantile of 0.99

std::string percent(double share) { return fmt::format("{:.2f} %", 100 * share); }

using Value = std::function<std::optional<double>(const SearchTrial&)>;

std::vector<double> values(const std::vector<SearchTrial>& trials, const Value& of) {
  std::vector<double> all;
  for (const SearchTrial& trial : trials)
    if (const auto value = of(trial)) all.push_back(*value);
  return all;
}

std::optional<double> regret(const SearchTrial& trial) { return trial.outcome.regret; }

class Judge {
 public:
  explicit Judge(std::size_t strict_from) : strict_from_(strict_from) {}

  void mean_at_most(const std::string& name, const std::vector<double>& all, double limit) {
    const Moments m = moments(all);
    const double allowed = limit + slack(m);
    add(name, percent(m.mean()), "<= " + percent(allowed), !all.empty() && m.mean() <= allowed);
  }
  void mean_within(const std::string& name, const std::vector<double>& all, double limit) {
    const Moments m = moments(all);
    const double allowed = limit + slack(m);
    add(name, percent(m.mean()), "+-" + percent(allowed), !all.empty() && std::abs(m.mean()) <= allowed);
  }
  void p95_at_most(const std::string& name, const std::vector<double>& all, double limit) {
    const auto above = std::count_if(all.begin(), all.end(), [&](double value) { return value > limit; });
    const double p95 = quantile(all, 0.95);
    const bool few = all.size() < strict_from_;
    add(name, percent(p95), few ? fmt::format("{} of {} above {}", binomial_limit(std::ssize(all), 0.05), all.size(), percent(limit)) : "<= " + percent(limit),
        !all.empty() && (few ? above <= binomial_limit(std::ssize(all), 0.05) : p95 <= limit));
  }
  /// A share of the machines, each of which counts as 0 or 1.
  void share_between(const std::string& name, const std::vector<double>& all, double least, double most) {
    const auto n = std::ssize(all);
    const auto count = std::llround(mean(all) * static_cast<double>(n));
    std::int64_t fewest = static_cast<std::int64_t>(std::ceil(least * static_cast<double>(n)));
    std::int64_t largest = static_cast<std::int64_t>(std::floor(most * static_cast<double>(n)));
    if (all.size() < strict_from_) {
      fewest = n - binomial_limit(n, 1 - least);
      largest = most < 1 ? binomial_limit(n, most) : n;
    }
    add(name, n > 0 ? fmt::format("{} of {}", count, n) : "none", fmt::format("{} to {} of {}", fewest, largest, n), count >= fewest && count <= largest);
  }
  void better_than(const SearchResults& results, std::size_t other) {
    const auto& judged = results.trials.front();
    const auto& rival = results.trials[other];
    const std::string name = "mean regret under " + results.strategies[other] + "'s, at equal cost";
    if (judged.size() >= strict_from_) {
      const double p = paired_p(judged, rival);
      add(name, fmt::format("{} to {}, p {:.2g}", percent(mean(values(judged, regret))), percent(mean(values(rival, regret))), p), "p < 0.01", p < 0.01);
      return;
    }
    Moments more;
    for (std::size_t i = 0; i < judged.size(); ++i) more.add(judged[i].outcome.regret.value_or(1) - rival[i].outcome.regret.value_or(1));
    add(name, percent(more.mean()) + " more", "<= " + percent(slack(more)), more.mean() <= slack(more));
  }
  void not_worse_than_one_shot(const SearchResults& results) {
    if (results.one_shot.empty()) return;
    Moments more;
    double once = 0;
    for (std::size_t i = 0; i < results.one_shot.size(); ++i) {
      more.add(results.trials.front()[i].outcome.regret.value_or(1) - results.one_shot[i].regret);
      once += results.one_shot[i].regret / static_cast<double>(results.one_shot.size());
    }
    add("mean regret not above the one-shot sweep's", percent(more.mean() + once), "<= " + percent(once + slack(more)), more.mean() <= slack(more));
  }
  void add(const std::string& name, const std::string& value, const std::string& limit, bool met) { gates_.push_back({name, value, limit, met}); }
  std::vector<Gate> take() { return std::move(gates_); }

 private:
  double slack(const Moments& m) const {
    const auto n = static_cast<double>(m.count());
    return m.count() >= static_cast<std::int64_t>(strict_from_) || m.count() < 2 ? 0 : one_in_a_hundred * m.deviation() / std::sqrt(n);
  }

  std::size_t strict_from_;
  std::vector<Gate> gates_;
};

std::optional<double> as_number(std::optional<bool> value) { return value ? std::optional(*value ? 1.0 : 0.0) : std::nullopt; }

}  // namespace

std::int64_t binomial_limit(std::int64_t n, double p) {
  const boost::math::binomial count(static_cast<double>(n), p);
  std::int64_t k = 0;
  while (k < n && boost::math::cdf(count, static_cast<double>(k)) < 0.99) ++k;
  return k;
}

double clopper_pearson_upper(std::int64_t count, std::int64_t n) {
  if (count >= n) return 1;
  return boost::math::binomial::find_upper_bound_on_p(static_cast<double>(n), static_cast<double>(count), 0.05);
}

std::vector<Gate> judge_gates(const GateInput& input, std::size_t strict_from) {
  Judge judge(strict_from);
  const auto& mixed = input.mixed.trials.front();
  judge.mean_at_most("mean regret", values(mixed, regret), 0.015);
  judge.p95_at_most("regret, 95th percentile", values(mixed, regret), 0.04);
  judge.mean_at_most("cost of components and search", values(mixed, [](const SearchTrial& t) { return t.outcome.search_cost_share; }), 0.1005);
  for (std::size_t other = 1; other < input.mixed.trials.size(); ++other) judge.better_than(input.mixed, other);
  judge.not_worse_than_one_shot(input.mixed);
  judge.mean_within("bias of the published images/s", values(mixed, [](const SearchTrial& t) { return t.outcome.bias; }), 0.005);
  judge.share_between("coverage of the gain's 95 % interval", values(mixed, [](const SearchTrial& t) { return as_number(t.outcome.covered); }), 0.92, 0.98);
  judge.share_between("\"settled\": the loss is under 2 %",
                      values(mixed, [](const SearchTrial& t) { return t.decided ? as_number(t.within) : std::nullopt; }), 0.93, 1);

  const auto false_gains = values(input.equal.trials.front(), [](const SearchTrial& t) { return as_number(t.outcome.false_gain); });
  const auto claimed = std::llround(mean(false_gains) * static_cast<double>(false_gains.size()));
  judge.share_between("all equal, a gain claimed", false_gains, 0, 0.05);
  if (false_gains.size() >= strict_from) {
    const double upper = clopper_pearson_upper(claimed, std::ssize(false_gains));
    judge.add("all equal, a gain claimed: upper bound", percent(upper), "<= " + percent(0.09), upper <= 0.09);
  }

  std::int64_t infeasible = 0;
  for (const SearchResults* results : {&input.mixed, &input.equal, &input.rough, &input.interacting})
    for (const SearchTrial& t : results->trials.front()) infeasible += t.outcome.infeasible;
  judge.add("out of memory recommended", fmt::format("{}", infeasible), "0", infeasible == 0);

  const auto belief_sd = [](const SearchTrial& t) { return t.belief_sd; };
  const double usual = mean(values(mixed, belief_sd));
  for (const auto& [name, results] : {std::pair{"irregular", &input.rough}, std::pair{"interacting", &input.interacting}}) {
    judge.p95_at_most(fmt::format("{}: regret, 95th percentile", name), values(results->trials.front(), regret), 0.08);
    const double wide = mean(values(results->trials.front(), belief_sd));
    judge.add(fmt::format("{}: the search believes less than usual", name), percent(wide) + " sd", "> " + percent(usual), wide > usual);
  }
  return judge.take();
}

}  // namespace feedtune
