#include "trial/measured_window.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "measure/batch_means.hpp"
#include "measure/oscillation.hpp"
#include "measure/phase_recorder.hpp"
#include "measure/statistics.hpp"

namespace feedtune {
namespace {

constexpr std::int64_t steps_in_flight = 2;
constexpr std::int64_t fewest_steps = 10;  // below it there are no batch means to speak of
constexpr std::size_t most_samples = 2000;

}  // namespace

WindowRule make_window_rule(const LoaderSetup& setup, int loader_capacity, Purpose purpose) {
  WindowRule rule;
  rule.least_steps = fewest_steps;
  rule.fill_steps = steps_in_flight;
  if (purpose == Purpose::copy_only || purpose == Purpose::step_only) return rule;
  rule.fill_steps += loader_capacity;
  if (setup.kind == LoaderKind::batch_per_worker && setup.num_workers > 0) {
    rule.multiple = setup.num_workers;
    rule.least_steps = std::max(fewest_steps, std::int64_t{3} * setup.num_workers);
  }
  return rule;
}

MeasuredWindow::MeasuredWindow(const TrialTarget& target, const WindowRule& rule) : target_(target), rule_(rule) {
  steps_.reserve(1U << 14U);
}

void MeasuredWindow::add(const StepTimes& step, int ready_batches) {
  ++seen_;
  // The first step has no step before it to be measured against; the last one of the fill gives the start.
  if (seen_ > rule_.fill_steps && seen_ > 1) {
    steps_.push_back({step, phases_of(step, previous_end_), ready_batches});
    total_ += steps_.back().phases.step;
    images_ += step.images;
  }
  previous_end_ = step.end;
}

std::vector<double> MeasuredWindow::step_seconds() const {
  std::vector<double> step_s;
  step_s.reserve(steps_.size());
  for (const auto& step : steps_) step_s.push_back(to_s(step.phases.step));
  return step_s;
}

WindowStock MeasuredWindow::stock_from(std::size_t from) const {
  WindowStock stock;
  stock.consumed = static_cast<std::int64_t>(steps_.size() - from);
  stock.ready_at_start = from == 0 ? steps_.front().ready : steps_[from - 1].ready;
  stock.ready_at_end = steps_.back().ready;
  return stock;
}

std::optional<Oscillation> MeasuredWindow::oscillation(std::map<std::string, std::string>& unknown) const {
  if (steps_.empty()) {
    unknown["oscillation"] = "no step was measured";
    return std::nullopt;
  }
  const std::size_t from = unsteady_steps();
  const Nanoseconds begin = steps_[from].times.end - steps_[from].phases.step, end = steps_.back().times.end;
  std::vector<UseSpan> spans;
  Nanoseconds previous_end = begin;
  for (std::size_t i = from; i < steps_.size(); ++i) {
    const auto& [times, phases, ready] = steps_[i];
    if (phases.step.count() > 0)
      spans.push_back({previous_end, times.end, static_cast<double>(phases.busy.count()) / static_cast<double>(phases.step.count())});
    previous_end = times.end;
  }
  const UseSeries use = use_of(spans, begin, end);
  if (use.share.size() < least_bins) {
    unknown["oscillation"] = fmt::format("the window of {:.3g} s is too short to show a period", to_s(end - begin));
    return std::nullopt;
  }
  auto found = find_oscillation(use, to_s(end - begin) / static_cast<double>(steps_.size() - from));
  if (!found) return std::nullopt;

  const HighParts parts(use, *found);
  Moments ready_low, ready_high;
  Nanoseconds idle{0}, waiting{0}, copying{0};
  previous_end = begin;
  for (std::size_t i = from; i < steps_.size(); ++i) {
    const auto& [times, phases, ready] = steps_[i];
    const bool high = parts.high_at(to_s(previous_end + phases.step / 2 - begin));
    (high ? ready_high : ready_low).add(ready);
    if (!high) {
      const Nanoseconds waited = std::min(phases.device_idle, times.data_wait);
      idle += phases.device_idle;
      waiting += waited;
      copying += std::min(phases.device_idle - waited, times.pin + times.h2d_host);
    }
    previous_end = times.end;
  }
  if (idle.count() > 0) {
    found->waiting = static_cast<double>(waiting.count()) / static_cast<double>(idle.count());
    found->copying = static_cast<double>(copying.count()) / static_cast<double>(idle.count());
  }
  if (ready_low.count() > 0) found->ready_low = ready_low.mean();
  if (ready_high.count() > 0) found->ready_high = ready_high.mean();
  return found;
}

std::optional<std::string> MeasuredWindow::unsteady_reason() const {
  // A window of less than a second can't tell a warm-up from a few time slices that another process took.
  constexpr Nanoseconds telling = std::chrono::seconds(1);
  if (steps_.empty() || total_ < telling) return std::nullopt;
  const std::size_t from = unsteady_steps();
  const SteadyState state = verdict_at_end(step_seconds(), from, static_cast<std::size_t>(rule_.multiple));
  if (state.verdict != SteadyState::Verdict::trend && state.verdict != SteadyState::Verdict::warming_up) return std::nullopt;
  // A queue that ran empty made the later steps longer. Its batches are taken off the throughput, which then is what the
  // window ended with; over a window the mean moves by half of what the level does.
  if (state.change > 0 && state.change - 2 * (1 - sustained_share(stock_from(from))) <= plain_change) return std::nullopt;
  return state.text();
}

SteadyState MeasuredWindow::usual_verdict() const {
  SteadyOptions options;
  options.cycle = static_cast<std::size_t>(rule_.multiple);
  return steady_state(step_seconds(), options);
}

std::size_t MeasuredWindow::unsteady_steps() const {
  const SteadyState steady = usual_verdict();
  // While it still warms up (the best truncation lies late) nothing is cut: the early stop waits for a narrow interval.
  const std::size_t unsteady = steady.verdict == SteadyState::Verdict::warming_up ? 0 : steady.begin;
  const auto multiple = static_cast<std::size_t>(rule_.multiple);
  const std::size_t keep = (steps_.size() - unsteady) / multiple * multiple;
  // Truncation must not eat a short window below what a trial has to hold.
  const auto least = std::min(steps_.size() / multiple * multiple, (static_cast<std::size_t>(rule_.least_steps) + multiple - 1) / multiple * multiple);
  return steps_.size() - std::max(keep, least);
}

std::optional<std::string> MeasuredWindow::stop_reason() {
  if (too_short() || seconds() < next_look_s_) return std::nullopt;
  next_look_s_ = next_look_s(target_, seconds());
  TrialResult so_far;
  summarise(so_far, false, false);
  WindowState window;
  window.measured_s = seconds();
  window.steps = steps();
  window.steps_at_least = rule_.least_steps;
  if (so_far.images_per_s) window.images_per_s = *so_far.images_per_s;
  const auto reason = feedtune::stop_reason(target_, window);
  if (!reason) return std::nullopt;
  if (*reason == StopReason::interval) {  // a slow change that would still be small here goes on
    const auto verdict = usual_verdict().verdict;
    if (verdict == SteadyState::Verdict::trend || verdict == SteadyState::Verdict::warming_up) return std::nullopt;
  }
  return std::string(to_text(*reason));
}

void MeasuredWindow::summarise(TrialResult& result, bool has_parts, bool has_device) const {
  if (steps_.empty()) return;
  const std::size_t from = unsteady_steps();
  const std::size_t count = steps_.size() - from;
  PhaseRecorders phases(count);
  std::vector<double> images, step_s;
  std::int64_t total_images = 0;
  Nanoseconds total{0}, busy{0};
  Nanoseconds turns{0};
  std::int64_t turn_count = 0;
  for (std::size_t i = from; i < steps_.size(); ++i) {
    const auto& [times, parts, ready] = steps_[i];
    images.push_back(times.images);
    step_s.push_back(to_s(parts.step));
    total_images += times.images;
    total += parts.step;
    busy += parts.busy;
    phases.at("data_wait").record(times.data_wait);
    phases.at("step").record(parts.step);
    if (times.pin.count() > 0) phases.at("pin").record(times.pin);
    if (has_device) {
      if (times.h2d_host.count() > 0) phases.at("h2d_host").record(times.h2d_host);
      if (parts.h2d.count() > 0) {
        phases.at("h2d").record(parts.h2d);
        phases.at("h2d_exposed").record(parts.h2d_exposed);
      }
      if (has_parts) {
        phases.at("forward").record(parts.forward);
        phases.at("backward").record(parts.backward);
        phases.at("update").record(parts.update);
      }
      phases.at("device_idle").record(parts.device_idle);
      if (result.modelled) phases.at("host_late").record(times.host_late);
    }
    if (times.crosses_epoch) {
      turns += times.data_wait;
      ++turn_count;
    }
  }
  result.phases = phases.summaries();
  result.warmup_steps = rule_.fill_steps + static_cast<std::int64_t>(from);
  result.measured_steps = static_cast<std::int64_t>(count);
  result.measured_s = to_s(total);
  if (total.count() > 0) {
    if (total_images > 0)
      result.images_per_s =
          corrected_for_stock(interval_of_ratio(images, step_s, static_cast<std::size_t>(rule_.multiple)), stock_from(from));
    if (has_device) result.device_busy = static_cast<double>(busy.count()) / static_cast<double>(total.count());
  }
  if (turn_count > 0) result.epoch_turn_ms = to_ms(turns) / static_cast<double>(turn_count);
  result.step_us.clear();
  for (std::size_t i = steps_.size() - std::min(count, most_samples); i < steps_.size(); ++i)
    result.step_us.push_back(static_cast<std::int32_t>(std::min<std::int64_t>(steps_[i].phases.step.count() / 1000, INT32_MAX)));
}

}  // namespace feedtune
