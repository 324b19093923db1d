#pragma once
// Collects finished steps, decides where the steady part begins and when a trial has measured enough, and sums it up.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/trial.hpp"
#include "measure/clock.hpp"
#include "measure/steady_state.hpp"
#include "measure/stopping.hpp"
#include "trial/step_log.hpp"

namespace feedtune {

/// How many steps a window must leave out and hold. See make_window_rule().
struct WindowRule {
  std::int64_t fill_steps = 0;    ///< left out: batches that were made ahead, before throughput could be seen
  std::int64_t least_steps = 10;  ///< fewer measured steps are too_short
  std::int64_t multiple = 1;      ///< the window holds a multiple of this: a round of workers that deliver together
};

/// fill: everything the loader may hold ready plus the two steps in flight. least: three batches a worker
/// (batch_per_worker) and never under ten. multiple: the workers of batch_per_worker, since they start together and their
/// batches come in bursts of num_workers.
WindowRule make_window_rule(const LoaderSetup& setup, int loader_capacity, Purpose purpose);

class MeasuredWindow {
 public:
  MeasuredWindow(const TrialTarget& target, const WindowRule& rule);

  /// One finished step, in order, and how many complete batches the loader then had waiting.
  void add(const StepTimes& step, int ready_batches);
  /// True once the step has been added whose end is the window's start, before any that is counted: counters of the host
  /// and of the workers start here.
  bool filled() const { return seen_ > 0 && seen_ >= rule_.fill_steps; }
  /// "interval" (of a steady window) or "time" once enough is measured (measure/stopping.hpp), asked only at its looks.
  std::optional<std::string> stop_reason();
  /// Steps beyond the fill, all of them; and their time so far.
  std::int64_t steps() const { return static_cast<std::int64_t>(steps_.size()); }
  double seconds() const { return to_s(total_); }
  /// 0 before the first.
  double mean_step_s() const { return steps_.empty() ? 0 : seconds() / static_cast<double>(steps_.size()); }
  std::int64_t images() const { return images_; }
  double images_per_s() const { return total_.count() > 0 ? static_cast<double>(images_) / seconds() : 0; }
  bool too_short() const { return steps() < rule_.least_steps; }
  /// Why what was measured is no steady state: the step time plainly trends, or changed late. Nothing: it may be ranked.
  std::optional<std::string> unsteady_reason() const;
  const WindowRule& rule() const { return rule_; }

  /// Writes throughput, phases, step samples, warm-up and measured counts into `result`. `has_parts`: forward, backward
  /// and update are told apart; `has_device`: device times mean something.
  void summarise(TrialResult& result, bool has_parts, bool has_device) const;
  /// Of the device's use over the steps that summarise() counts, with what the training thread did in its low parts. Nothing: none was
  /// found, or the window is too short to tell, then `unknown` gets "oscillation".
  std::optional<Oscillation> oscillation(std::map<std::string, std::string>& unknown) const;

 private:
  struct Step {
    StepTimes times;
    StepPhases phases;
    int ready = 0;
  };
  /// Steps at the start that are not steady yet, so that the rest is a multiple of the rule's.
  std::size_t unsteady_steps() const;
  std::vector<double> step_seconds() const;
  SteadyState usual_verdict() const;
  /// The loader's stock at the ends of the part from step `from` on.
  WindowStock stock_from(std::size_t from) const;

  TrialTarget target_;
  WindowRule rule_;
  std::int64_t seen_ = 0;
  Nanoseconds previous_end_{0};
  std::vector<Step> steps_;
  Nanoseconds total_{0};
  std::int64_t images_ = 0;
  double next_look_s_ = 0;
};

}  // namespace feedtune
