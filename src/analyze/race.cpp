#include "analyze/race.hpp"

#include <algorithm>
#include <cmath>

#include "measure/student_t.hpp"

namespace feedtune {
namespace {

constexpr double one_sided_error = 0.05;
constexpr double pooled_worth_blocks = 8;
constexpr double beyond_noise = 4;  // standard deviations: the best of a hundred equal trials stays under it

double loss_of(double log_difference) { return -std::expm1(-log_difference); }

/// Variance of the search's trials: the noise, or one's own interval where that is wider; and what a drift leaves open.
double explore_variance(const Measurements& data, const Measured& m) {
  const double sd = std::max(data.noise, m.within_trial_sd);
  return sd * sd / static_cast<double>(std::max<std::size_t>(m.explore_log.size(), 1)) + m.drift_sd * m.drift_sd;
}

double level_variance(const Measurements& data, const Measured& m) {
  return m.confirmed() ? data.noise * data.noise / m.blocks() : explore_variance(data, m);
}

const Measured* lead(const Measurements& data, const std::vector<const Measured*>& group) {
  int most = 0;
  for (const Measured* m : group) most = std::max(most, m->blocks());
  const int enough = std::min(most, min_blocks);
  const Measured* best = nullptr;
  for (const Measured* m : group)
    if (m->blocks() >= enough && (best == nullptr || data.estimate(*m) > data.estimate(*best))) best = m;
  if (most >= min_blocks) return best;
  // A budget that ended early may have measured again only what stands far behind (PyTorch's group: the baseline alone).
  // One trial that is ahead by more than noise explains is then the better answer, luck of the draw included.
  const Measured* ahead = nullptr;
  for (const Measured* m : group) {
    const double by = data.estimate(*m) - data.estimate(*best);
    if (m->confirmed() || by <= beyond_noise * std::sqrt(level_variance(data, *m) + level_variance(data, *best))) continue;
    if (ahead == nullptr || data.estimate(*m) > data.estimate(*ahead)) ahead = m;
  }
  return ahead != nullptr ? ahead : best;
}

/// Rivals of a group, and how far a bound reaches when it has to hold against all of them.
class Rivals {
 public:
  Rivals(const Measurements& data, const std::vector<const Measured*>& group, const Measured& leader) : data_(data) {
    for (const Measured* m : group)
      if (measured_beside(leader, *m)) rivals_.push_back(m);
    comparisons_ = static_cast<double>(std::max<std::size_t>(rivals_.size(), 2) - 1);
    // Among single trials only the front can lead; the correction still counts all of them.
    std::stable_sort(rivals_.begin(), rivals_.end(),
                     [&](const Measured* a, const Measured* b) { return data.estimate(*a) > data.estimate(*b); });
    if (rivals_.size() > most_compared) rivals_.resize(most_compared);
  }

  const std::vector<const Measured*>& all() const { return rivals_; }
  double reach(const LogRatio& r) {
    if (r.se <= 0) return 0;
    auto [place, fresh] = quantiles_.try_emplace(r.df, 0.0);
    if (fresh) place->second = student_t_quantile(1 - one_sided_error / comparisons_, r.df);
    return place->second * r.se;
  }
  /// Lower bound of how far `m` is behind the best, as a log ratio.
  double lowest_loss(const Measured* m) {
    double low = 0;
    for (const Measured* rival : rivals_) {
      if (rival == m) continue;
      const LogRatio behind = log_ratio(data_, *rival, *m);
      low = std::max(low, behind.mean - reach(behind));
    }
    return low;
  }

 private:
  static constexpr std::size_t most_compared = 32;
  const Measurements& data_;
  std::vector<const Measured*> rivals_;
  double comparisons_ = 1;
  std::map<double, double> quantiles_;  ///< by degrees of freedom
};

}  // namespace

const char* to_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::best:
      return "best";
    case Verdict::equivalent:
      return "equivalent";
    case Verdict::undecided:
      return "undecided";
    case Verdict::slower:
      return "slower";
  }
  return "?";
}

bool measured_beside(const Measured& leader, const Measured& m) {
  return m.blocks() >= std::min(leader.blocks(), min_blocks);
}

LogRatio log_ratio(const Measurements& data, const Measured& a, const Measured& b) {
  std::vector<double> differences;
  double sum = 0;
  for (const auto& [block, value] : a.confirm_log)
    if (const auto other = b.confirm_log.find(block); other != b.confirm_log.end()) {
      differences.push_back(value - other->second);
      sum += differences.back();
    }
  LogRatio ratio;
  if (differences.size() >= 2) {
    ratio.n = static_cast<int>(differences.size());
    ratio.mean = sum / ratio.n;
    double squares = 0;
    for (double d : differences) squares += (d - ratio.mean) * (d - ratio.mean);
    // The pool without this pair's own share: with two configurations there is nothing to borrow.
    const double borrowed = std::clamp<double>(data.fit.degrees_of_freedom - (ratio.n - 1), 0, pooled_worth_blocks);
    const double pooled = 2 * data.fit.residual_sd * data.fit.residual_sd;
    ratio.df = ratio.n - 1 + borrowed;
    ratio.se = std::sqrt((squares + borrowed * pooled) / ratio.df / ratio.n);
    return ratio;
  }
  ratio.mean = data.estimate(a) - data.estimate(b);
  ratio.se = std::sqrt(level_variance(data, a) + level_variance(data, b));
  ratio.df = std::max(data.fit.degrees_of_freedom, 4);
  return ratio;
}

std::vector<Standing> judge(const Measurements& data, double within, const Members& members) {
  std::vector<const Measured*> group;
  for (const Measured& m : data.all)
    if (m.usable() && members(m)) group.push_back(&m);
  const Measured* leader = lead(data, group);
  if (leader == nullptr) return {};

  Rivals rivals(data, group, *leader);
  std::vector<Standing> standings;
  for (const Measured* m : group) {
    Standing s{m, Verdict::undecided, {}};
    const LogRatio behind = log_ratio(data, *leader, *m);
    s.loss.mean = m == leader ? 0 : std::max(0.0, loss_of(behind.mean));
    s.loss.n = m == leader ? leader->blocks() : behind.n;
    s.loss.low = std::min(loss_of(rivals.lowest_loss(m)), s.loss.mean);
    if (m == leader)
      s.verdict = Verdict::best;
    else if (s.loss.low >= within)
      s.verdict = Verdict::slower;
    standings.push_back(s);
  }

  std::vector<const Measured*> contenders;
  for (const Measured* rival : rivals.all())
    for (const Standing& s : standings)
      if (s.measured == rival && s.verdict != Verdict::slower) contenders.push_back(rival);
  for (Standing& s : standings) {
    double high = 0;
    const bool paired = s.measured->blocks() >= min_blocks && s.loss.n >= 2;
    for (const Measured* rival : contenders) {
      if (rival == s.measured) continue;
      const LogRatio behind = log_ratio(data, *rival, *s.measured);
      high = std::max(high, behind.mean + rivals.reach(behind));
    }
    s.loss.high = std::max(loss_of(high), s.loss.mean);
    if (s.verdict == Verdict::undecided && paired && s.loss.high < within) s.verdict = Verdict::equivalent;
  }
  return standings;
}

}  // namespace feedtune
