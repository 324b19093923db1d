#pragma once
// Where does the steady part of a series of step times begin, and is it steady?

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace feedtune {

struct SteadyOptions {
  /// Steps after which the loader's order of serving repeats: num_workers with batch_per_worker, else 1. Such a series
  /// has a pattern of that length, which must not be taken for a trend nor be cut in the middle.
  std::size_t cycle = 1;
  double tolerance = 0.01;      ///< a change over the steady part smaller than this share of the mean is no trend
  double significance = 0.01;   ///< two-sided level at which a change counts as real
};

struct SteadyState {
  enum class Verdict {
    too_few,     ///< too few steps to tell; `begin` is 0
    trend,       ///< even the second half drifts, beyond tolerance and noise: warming up, heating up, ...
    warming_up,  ///< the level changed within the second half, at `begin`, beyond tolerance and noise: too late to be the
                 ///< window's start
    steady,
  };
  Verdict verdict = Verdict::too_few;
  std::size_t begin = 0;  ///< first step of the steady part; a multiple of the cycle
  /// Relative change of the fitted line over the part from `begin` on: 0.03 = steps grew by 3 %. With warming_up: of
  /// the level.
  double change = 0;
  double p_value = 1;  ///< of that change being noise
  /// Distance in steps at which the steady part repeats itself, where it does so plainly (autocorrelation over 0.5).
  std::optional<std::size_t> period;

  std::string text() const;  ///< "step time still falling: -4.1 % over 240 steps (p = 0.001)"
};

/// MSER-5 truncation (White 1997): of the means of groups of five steps, drop the first d that minimise
/// sum((y_j - mean)^2) / (n - d)^2 over the rest; the groups are cycles where those are longer. d is sought in the first
/// half: on a series without any warm-up the sum is flat and its least value lies beyond that by chance one time in ten
/// (in five, where steps are correlated). Then a straight line is fitted to the rest by batches that are as good as
/// independent (batch_means.hpp); its change over the part is a trend when it is over the tolerance *and* significant.
/// A part with a trend loses a tenth of the whole at its front, and again, until there is none or only half is left.
/// A line is blind to a jump near the end; that shows as an MSER value beyond the half that is ten times lower, and
/// counts when the levels before and after differ by Welch's t.
///
/// METHOD.md's comparison of the last half with the quarter before it within 1 % has no yardstick for noise: at 40 steps
/// with 5 % spread, the difference of those two means has a standard error of 1.9 %, and three of five steady trials
/// would be turned down.
///
/// `step_s`: all steps since the start of the trial, in any unit of time. Cheap enough (linear) to be asked a few times
/// a second.
SteadyState steady_state(std::span<const double> step_s, const SteadyOptions& options = {});

/// What verdict_at_end() takes for plain: a change by this share of the mean, which puts the window's mean off the level
/// that it ends at by half of it, and by chance no more often than this. (A shared machine's own speed wanders by 5 to
/// 15 % within seconds; that belongs in the interval, and a trial is not lost to it.)
inline constexpr double plain_change = 0.2;
inline constexpr double plain_significance = 2e-4;

/// May a window that is over be ranked? The part from `begin` on is what will be reported: a `trend` over it, or
/// `warming_up` of the whole series, are turned down where they are plain; else `steady` (or `too_few`). On noise alone,
/// independent or with a correlation of 0.3, fewer than 1 of 200 windows of 10 to 200 steps are turned down (simulated in
/// the tests), so that a sweep on a noisy machine loses none of its trials to it.
SteadyState verdict_at_end(std::span<const double> step_s, std::size_t begin, std::size_t cycle);

}  // namespace feedtune
