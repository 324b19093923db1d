#include "measure/stopping.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace feedtune {
namespace {

constexpr std::int64_t batches_per_worker = 3;
constexpr std::int64_t means_at_least = 10;
constexpr double look_growth = 1.2;

std::int64_t workers(const LoaderDepth& depth) { return std::max(depth.workers, 1); }

}  // namespace

std::string_view to_text(StopReason reason) { return reason == StopReason::interval ? "interval" : "time"; }

std::optional<StopReason> stop_reason(const TrialTarget& target, const WindowState& window) {
  const Interval& i = window.images_per_s;
  const bool narrow = i.n >= means_at_least && i.mean > 0 && (i.high - i.low) / 2 <= target.relative_half_width * i.mean;
  if (narrow && window.measured_s >= target.min_time_s && window.steps >= window.steps_at_least) return StopReason::interval;
  if (window.measured_s >= target.max_time_s) return StopReason::time;
  return std::nullopt;
}

double next_look_s(const TrialTarget& target, double measured_s) {
  return std::min(std::max(measured_s * look_growth, target.min_time_s), target.max_time_s);
}

std::int64_t minimum_trial_steps(const LoaderDepth& depth) {
  return std::max(depth.queue_batches, 0) + batches_per_worker * workers(depth);
}

std::int64_t minimum_window_steps(const LoaderDepth& depth) { return batches_per_worker * workers(depth); }

std::optional<std::string> too_short_reason(const LoaderDepth& depth, std::int64_t trial_steps, std::int64_t window_steps) {
  if (trial_steps < minimum_trial_steps(depth))
    return fmt::format("{} steps, of which up to {} only empty the queue; needs {} (the queue's fill and {} batches a worker)",
                       trial_steps, std::max(depth.queue_batches, 0), minimum_trial_steps(depth), batches_per_worker);
  if (window_steps < minimum_window_steps(depth))
    return fmt::format("{} measured steps after warm-up; needs {} ({} batches a worker)", window_steps,
                       minimum_window_steps(depth), batches_per_worker);
  return std::nullopt;
}

double sustained_share(const WindowStock& stock) {
  if (stock.consumed <= 0) return 1;
  const std::int64_t from_stock = std::clamp<std::int64_t>(stock.ready_at_start - stock.ready_at_end, 0, stock.consumed);
  return 1 - static_cast<double>(from_stock) / static_cast<double>(stock.consumed);
}

Interval corrected_for_stock(Interval images_per_s, const WindowStock& stock) {
  const double share = sustained_share(stock);
  images_per_s.mean *= share;
  images_per_s.low *= share;
  images_per_s.high *= share;
  return images_per_s;
}

}  // namespace feedtune
