#pragma once
// When a trial has measured enough, and how much it has to measure at least. Pure functions.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/interval.hpp"
#include "core/trial.hpp"

namespace feedtune {

enum class StopReason { interval, time };
std::string_view to_text(StopReason reason);  ///< as TrialResult::stop_reason: "interval", "time"

/// The measured window so far: after warm-up.
struct WindowState {
  double measured_s = 0;
  Interval images_per_s;
  std::int64_t steps = 0;
  std::int64_t steps_at_least = 0;  ///< minimum_window_steps()
};

/// `interval` once min_time_s is over, the window has its minimum of steps, and the interval's half width is within
/// relative_half_width of its mean, from at least 10 batch means (fewer can agree by chance); `time` once max_time_s is
/// over. Nothing: go on. Asked at the times of next_look_s() the early stop costs the interval little of its 95 %.
std::optional<StopReason> stop_reason(const TrialTarget& target, const WindowState& window);

/// When to ask next, in seconds of measured time: a fifth later, not before min_time_s, at the latest at max_time_s. A
/// rule that is asked after every step would stop at the first lucky narrow interval.
double next_look_s(const TrialTarget& target, double measured_s);

/// What a loader holds when its queue is full.
struct LoaderDepth {
  int workers = 0;
  int queue_batches = 0;  ///< complete batches that can wait (Loader::capacity())
};

/// Steps of a trial, warm-up included, under which it is `too_short`: the queue's fill and 3 batches a worker (DESIGN.md
/// section 5; 0 workers count as one).
std::int64_t minimum_trial_steps(const LoaderDepth& depth);
/// Steps of the measured window, at least: 3 batches a worker.
std::int64_t minimum_window_steps(const LoaderDepth& depth);

/// The reason for status `too_short`, or nothing.
std::optional<std::string> too_short_reason(const LoaderDepth& depth, std::int64_t trial_steps, std::int64_t window_steps);

/// A window's batches and the loader's stock of complete batches at its ends.
struct WindowStock {
  std::int64_t consumed = 0;
  std::int64_t ready_at_start = 0;
  std::int64_t ready_at_end = 0;
};

/// Share of the consumed batches that were made in the window: 1 - (drop of the stock) / consumed. A window that begins
/// with a full queue and ends with an empty one reports batches that it did not make (METHOD.md, "Window bias").
/// 1 where the stock did not drop: a queue that fills says that the device is the slower one, and then consumption is
/// the sustained rate.
double sustained_share(const WindowStock& stock);
/// The throughput with that share taken off its mean and both ends.
Interval corrected_for_stock(Interval images_per_s, const WindowStock& stock);

}  // namespace feedtune
