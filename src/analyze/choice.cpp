#include "analyze/choice.hpp"

#include <algorithm>
#include <cmath>

#include "measure/student_t.hpp"

namespace feedtune {
namespace {

bool holds_against(const Measurements& data, const Measured& best, const Measured& m, double within) {
  const LogRatio behind = log_ratio(data, best, m);
  return behind.mean + student_t_quantile(0.95, behind.df) * behind.se < -std::log1p(-within);
}

}  // namespace

bool preferred(const Measured& a, const Measured& b) {
  return a.batch_size != b.batch_size ? a.batch_size < b.batch_size : cheaper(a, b);
}

Choice choose(const Measurements& data, const RecommendOptions& options, const Members& members) {
  const double within = options.within;
  Choice choice;
  choice.standings = judge(data, within, members);
  std::vector<const Standing*> pool;
  for (const Standing& s : choice.standings) {
    if (s.verdict == Verdict::best) choice.best = &s;
    if (s.verdict == Verdict::best || s.verdict == Verdict::equivalent) pool.push_back(&s);
  }
  if (choice.best == nullptr) return choice;
  const Measured& best = *choice.best->measured;
  // One block beside many says nothing yet of a cheaper setting.
  if (pool.size() == 1)
    for (const Standing& s : choice.standings)
      if (s.verdict == Verdict::undecided && s.loss.mean < within && measured_beside(best, *s.measured)) pool.push_back(&s);
  for (const Standing& s : choice.standings)
    if (s.verdict == Verdict::undecided && s.measured->blocks() >= options.max_blocks &&
        holds_against(data, best, *s.measured, within))
      pool.push_back(&s);
  choice.recommended = *std::min_element(pool.begin(), pool.end(), [](const Standing* a, const Standing* b) {
    return preferred(*a->measured, *b->measured);
  });

  const Measured& recommended = *choice.recommended->measured;
  // A leader that could still lose `within` to a confirmed rival is not proven either.
  const bool unproven = choice.recommended == choice.best && choice.best->loss.high >= within;
  for (const Standing& s : choice.standings) {
    if (unproven && (&s == choice.best || (s.verdict == Verdict::undecided && s.measured->confirmed()))) {
      choice.open.push_back(&s);
      continue;
    }
    if (s.verdict != Verdict::undecided) continue;
    const bool ahead = !s.measured->confirmed() && data.estimate(*s.measured) > data.estimate(best) + within / 2;
    if (&s == choice.recommended || preferred(*s.measured, recommended) || ahead) choice.open.push_back(&s);
  }
  std::sort(choice.open.begin(), choice.open.end(),
            [](const Standing* a, const Standing* b) { return preferred(*a->measured, *b->measured); });
  return choice;
}

}  // namespace feedtune
