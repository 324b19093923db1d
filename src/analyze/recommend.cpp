#include "analyze/recommend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analyze/ceilings.hpp"
#include "analyze/choice.hpp"
#include "analyze/headline.hpp"
#include "analyze/phase_means.hpp"
#include "analyze/recommend_warnings.hpp"
#include "analyze/roles.hpp"
#include "analyze/winners_luck.hpp"
#include "measure/statistics.hpp"
#include "measure/student_t.hpp"

namespace feedtune {
namespace {

Interval from_logs(double mean, double half_width, std::int64_t n) {
  return {std::exp(mean), std::exp(mean - half_width), std::exp(mean + half_width), n};
}

/// What a confirmed configuration's level is above what is published of it.
double luck(const Measurements& data, const Measured& m) {
  return m.most_published && m.confirmed() ? std::max(0.0, data.estimate(m) - *m.most_published) : 0;
}

/// The fitted level, without the winner's luck: what the configuration gives in the mean of all blocks, those it was not in included, so that two
/// rates stand to each other as their losses and gains say. Uncertain by its own trials and by how the blocks differ; the
/// degrees of freedom are Welch and Satterthwaite's. Where one configuration alone was confirmed this is the t interval of its
/// blocks' mean.
Interval confirmed_rate(const Measurements& data, const Measured& m) {
  const BlockFit& fit = data.fit;
  const double own = fit.residual_sd * fit.residual_sd / m.blocks();
  const double common = fit.block_sd * fit.block_sd / fit.blocks;
  const double variance = own + common;
  const double level = data.estimate(m) - luck(data, m);
  if (variance <= 0) return from_logs(level, 0, m.blocks());
  double spread = fit.degrees_of_freedom > 0 ? own * own / fit.degrees_of_freedom : 0;
  if (fit.blocks > 1) spread += common * common / (fit.blocks - 1);
  return from_logs(level, student_t_quantile(0.975, variance * variance / spread) * std::sqrt(variance), m.blocks());
}

/// Not confirmed: the search's trials, as uncertain as the noise says.
Interval published(const Measurements& data, const Measured& m) {
  if (m.confirmed()) return confirmed_rate(data, m);
  const auto n = static_cast<std::int64_t>(m.explore_log.size());
  if (!data.noise_measured) return from_logs(data.estimate(m), 0, 1);
  const double sd = std::max(data.noise, m.within_trial_sd);
  const double error = std::hypot(sd / std::sqrt(static_cast<double>(n)), m.drift_sd);
  return from_logs(data.estimate(m), 1.96 * error, std::max(n, m.batch_means));
}

void limit_published(Measurements& data, const Members& group) {
  const auto most = fastest_without_luck(data, group);
  if (!most) return;
  for (Measured& m : data.all)
    if (group(m)) m.most_published = std::min(m.most_published.value_or(*most), *most);
}

Candidate candidate(const Measurements& data, const Standing& s) {
  Candidate c;
  c.configuration = s.measured->configuration;
  c.images_per_s = published(data, *s.measured);
  c.loss = s.loss;
  c.verdict = to_text(s.verdict);
  c.stage = s.measured->confirmed() ? "confirm" : "explore";
  c.planned_memory_bytes = s.measured->planned_memory_bytes;
  return c;
}

const Standing* standing_of(const std::vector<Standing>& standings, const Measured* m) {
  for (const Standing& s : standings)
    if (s.measured == m) return &s;
  return nullptr;
}

/// A configuration with a role, against the best of the headline group; usable or not, it was measured.
std::optional<Candidate> role_candidate(const Measurements& data, const Choice& choice,
                                        const std::optional<Configuration>& role) {
  const Measured* m = role ? data.find(role->key()) : nullptr;
  if (m == nullptr) return std::nullopt;
  if (const Standing* s = standing_of(choice.standings, m)) return candidate(data, *s);
  Candidate c = candidate(data, Standing{m, Verdict::undecided, {}});
  c.loss.reset();
  c.verdict.clear();
  return c;
}

Gain gain(const Measurements& data, const Measured& chosen, const Measured& other, const std::string& over) {
  Gain g;
  g.over = over;
  if (&chosen == &other) {
    g.ratio = {1, 1, 1, chosen.blocks()};
    g.method = "same configuration";
    return g;
  }
  const LogRatio r = log_ratio(data, chosen, other);
  const bool paired = r.n >= 2;
  g.method = paired ? "paired blocks" : "unpaired trials";
  g.ratio = from_logs(r.mean - luck(data, chosen) + luck(data, other), student_t_quantile(0.975, r.df) * r.se, r.n);
  if (const double effect = std::expm1(minimal_detectable_effect(r.se, r.df)); std::isfinite(effect)) g.detectable = effect;
  return g;
}

void add_per_batch(const Measurements& data, const RecommendOptions& options, const Choice& anywhere,
                   const Standing& headline, Recommendation& r) {
  std::set<int> batches;
  for (const Standing& s : anywhere.standings) batches.insert(s.measured->batch_size);
  for (int batch : batches) {
    const Choice choice = choose(data, options, [batch](const Measured& m) { return m.batch_size == batch; });
    if (choice.recommended == nullptr || batch <= 0) continue;
    // At the recommended batch size the verdict's own: it may be another than the one of this batch size by itself.
    const bool is_headlines = headline.measured->batch_size == batch;
    const Standing& row = is_headlines ? headline : *choice.recommended;
    // Its loss is against the best of all batches, which is what the table is read for.
    const Standing* overall = standing_of(anywhere.standings, row.measured);
    r.per_batch.push_back({batch, candidate(data, overall != nullptr ? *overall : row)});
  }
}

/// The trials saw how much of a limited device memory they took; of a user's own step nobody knows.
bool saw_memory(const Run& run, const Measured& m) {
  return run.spec.step_times.empty() && std::any_of(m.trials.begin(), m.trials.end(), [&](const TrialResult* t) {
           return t->memory.device_peak_bytes && (t->memory.device_limit_bytes || run.device.memory_bytes);
         });
}

void add_roles(const Run& run, const Measurements& data, const Headline& headline, const Choice& choice,
               const RecommendOptions& options, Recommendation& r) {
  const Measured& recommended = *choice.recommended->measured;
  r.baseline = role_candidate(data, choice, find_baseline(run, recommended.batch_size));
  r.current = role_candidate(data, choice, find_current(run, recommended.batch_size));
  for (const auto& [role, over] : {std::pair{&r.baseline, "baseline"}, std::pair{&r.current, "current"}})
    if (*role) r.gains.push_back(gain(data, recommended, *data.find((*role)->configuration.key()), over));
  const Choice pytorch =
      choose(data, options, [&](const Measured& m) { return headline.members(m) && pytorch_can(m.configuration); });
  if (pytorch.recommended == nullptr) return;
  const Standing* overall = standing_of(choice.standings, pytorch.recommended->measured);
  r.pytorch = candidate(data, overall != nullptr ? *overall : *pytorch.recommended);
}

}  // namespace

Recommendation recommend(const Run& run, const RecommendOptions& options) {
  Recommendation r;
  r.within = options.within;
  r.modelled = run.device.modelled;
  for (const TrialResult& t : run.trials) r.modelled = r.modelled || t.modelled;

  Measurements data = gather(run);
  r.blocks = data.blocks;
  r.configurations = static_cast<int>(data.all.size());
  r.noise = data.noise_measured;
  bool relaxed = false;
  if (!data.all.empty() &&
      std::none_of(data.all.begin(), data.all.end(), [](const Measured& m) { return m.usable(); })) {
    for (Measured& m : data.all) m.fits = true, m.failed = false;
    relaxed = true;
  }

  const Headline headline = find_headline(run, data);
  limit_published(data, [](const Measured&) { return true; });
  limit_published(data, headline.members);
  const Choice choice = choose(data, options, headline.members);
  if (choice.best == nullptr) {
    r.ceilings = find_ceilings(run, {});
    r.bound_by = "none";
    add_warnings(run, {data, headline, nullptr, relaxed}, r);
    return r;
  }
  const Choice anywhere = choose(data, options, [](const Measured&) { return true; });

  r.headline = headline.batch_size ? "current_batch" : "knee";
  r.recommended = candidate(data, *choice.recommended);
  r.best = candidate(data, *choice.best);
  r.decided = choice.decided();
  for (const Standing& s : choice.standings) {
    if (s.verdict == Verdict::equivalent) r.equivalent.push_back(candidate(data, s));
    if (s.verdict == Verdict::undecided) r.undecided.push_back(candidate(data, s));
  }
  r.knee = candidate(data, *anywhere.recommended);
  if (headline.batch_size && anywhere.recommended != nullptr)
    r.knee_gain = gain(data, *anywhere.recommended->measured, *choice.recommended->measured, "recommended").ratio;
  r.fastest = candidate(data, *anywhere.best);
  add_per_batch(data, options, anywhere, *choice.recommended, r);
  if (!r.per_batch.empty() && saw_memory(run, *data.find(r.per_batch.back().best.configuration.key())))
    r.largest_fit = r.per_batch.back().best;
  add_roles(run, data, headline, choice, options, r);
  const auto current_batch = run.spec.current ? run.spec.current->integer("batch_size") : std::nullopt;
  r.batch_changed = current_batch ? *current_batch != choice.recommended->measured->batch_size : r.per_batch.size() > 1;

  r.ceilings = find_ceilings(run, r.recommended->configuration);
  const Bound bound = bound_of(run, r.recommended->configuration, r.ceilings);
  r.bound_by = bound.by;
  r.waiting_share = bound.waiting_share;
  r.exposed_copy_share = bound.exposed_copy_share;
  add_warnings(run, {data, headline, &choice, relaxed}, r);
  return r;
}

}  // namespace feedtune
