#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.hpp"
#include "json/run_json.hpp"

namespace feedtune {
namespace {

/// a <= b, but for the last digits of two sums of the same numbers.
bool at_most(double a, double b) { return a <= b + 1e-9 * std::max(std::abs(a), std::abs(b)); }

/// Collects what contradicts itself. The document has decoded: every type is right.
class Checker {
 public:
  explicit Checker(std::string where) : where_(std::move(where)) {}

  void require(bool holds, const std::string& place, const std::string& what) {
    if (!holds) problems.push_back(fmt::format("{}: {}: {}", where_, place, what));
  }

  void check(const Interval& v, const std::string& place) {
    require(at_most(v.low, v.mean) && at_most(v.mean, v.high), place, fmt::format("mean {} lies outside its ci95, {} to {}", v.mean, v.low, v.high));
    require(v.n >= 0, place, fmt::format("n is {}, want >= 0", v.n));
  }

  void check(const PhaseSummary& v, const std::string& place) {
    require(at_most(v.p50, v.p95) && at_most(v.p95, v.p99) && at_most(v.p99, v.max), place, "p50 <= p95 <= p99 <= max does not hold");
    require(at_most(v.mean, v.max), place, fmt::format("mean {} is above max {}", v.mean, v.max));
    require(v.count >= 0, place, fmt::format("count is {}, want >= 0", v.count));
    std::int64_t counted = 0;
    for (const auto& [bucket, count] : v.histogram) counted += count;
    require(v.histogram.empty() || counted == v.count, place, fmt::format("histogram counts {} of {}", counted, v.count));
  }

  void check(const Oscillation& v, const std::string& place) {
    require(v.period_s > 0, place + ".period_s", fmt::format("{}, want > 0", v.period_s));
    require(v.duty >= 0 && v.duty <= 1, place + ".duty", "want a share from 0 to 1");
    require(v.low >= 0 && v.low <= v.high && v.high <= 1, place, "want 0 <= low <= high <= 1");
  }

  void check(const TrialResult& v, const std::string& place) {
    require(ids_.insert(v.id).second, place + ".id", fmt::format("{} stands twice", v.id));
    require(v.status != TrialStatus::ok || v.images_per_s.has_value(), place + ".images_per_s", "null, though status is ok");
    require(v.status == TrialStatus::ok || !v.reason.empty(), place + ".reason", "null, though status is not ok");
    const bool has_kind = v.memory_kind.has_value() || v.unknown.contains("memory_kind");
    require((v.status == TrialStatus::out_of_memory) == has_kind, place + ".memory_kind", "stands with out_of_memory and only there");
    if (v.images_per_s) check(*v.images_per_s, place + ".images_per_s");
    for (const auto& [name, phase] : v.phases) check(phase, place + ".phases_ms." + name);
    for (const auto& [name, ms] : v.worker_ms_per_image)
      require(ms >= 0, place + ".worker_ms_per_image." + name, fmt::format("{}, want >= 0", ms));
    if (v.device_busy) require(*v.device_busy >= 0 && *v.device_busy <= 1, place + ".device_busy", "want a share from 0 to 1");
    if (v.oscillation) check(*v.oscillation, place + ".oscillation");
    if (v.gpu && v.gpu->oscillation) check(*v.gpu->oscillation, place + ".gpu.oscillation");
    require(v.images.decoded >= 0 && v.images.damaged >= 0 && v.images.failed >= 0, place + ".images", "want counts >= 0");
    require(v.images.damaged <= v.images.decoded, place + ".images", "more damaged than decoded");
    require(v.step_us.size() <= 2000, place + ".samples.step_us", "holds more than 2000 steps");
  }

  void check(const std::optional<Candidate>& v, const std::string& place) {
    if (!v) return;
    check(v->images_per_s, place + ".images_per_s");
    if (v->loss) check(*v->loss, place + ".loss");
  }

  std::vector<std::string> problems;

 private:
  std::string where_;
  std::set<std::int64_t> ids_;
};

}  // namespace

std::vector<std::string> validate_result(std::string_view text, const std::string& where) {
  Run run;
  try {
    run = decode_run(text, where);
  } catch (const InputError& error) {
    return {error.what()};
  }
  Checker checker(where);
  for (std::size_t i = 0; i < run.trials.size(); ++i) checker.check(run.trials[i], fmt::format("trials[{}]", i));
  if (const auto& r = run.recommendation) {
    checker.check(r->recommended, "recommendation.recommended");
    checker.check(r->best, "recommendation.best");
    checker.check(r->baseline, "recommendation.baseline");
    checker.check(r->current, "recommendation.current");
    for (std::size_t i = 0; i < r->gains.size(); ++i) {
      const std::string place = fmt::format("recommendation.gains[{}]", i);
      checker.check(r->gains[i].ratio, place);
      checker.require(r->gains[i].detectable.value_or(0) >= 0, place + ".minimal_detectable_effect", "want a share of at least 0");
    }
    checker.require(r->within >= 0 && r->within <= 1, "recommendation.within", "want a share from 0 to 1");
  }
  return checker.problems;
}

}  // namespace feedtune
