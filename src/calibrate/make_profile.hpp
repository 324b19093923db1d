#pragma once
// From measured times to a virtual device's profile: fits and ranges, no measuring.

#include <span>
#include <string>
#include <vector>

#include "calibrate/measure_steps.hpp"
#include "core/device_profile.hpp"
#include "core/device_rates.hpp"
#include "core/interval.hpp"

namespace feedtune {

struct ProfileInput {
  std::string name;    ///< of the profile
  std::string origin;  ///< what stands in every source: "feedtune 0.1.0 calibrate, 2026-12-03"
  DeviceRates rates;
  MeasuredSteps steps;
  std::vector<StepShape> submitted;  ///< whose submission times rates.submit_ms holds
};

/// Relative misfit at the hold-out beyond which a line is not believed (METHOD.md 2.2).
inline constexpr double line_misfit_limit = 0.03;
/// A curve with fewer points than this is left out.
inline constexpr std::size_t least_curve_points = 3;

/// `notes` gets what was left out and what fits badly. Throws InputError at "calibrate" where a figure that every profile has could
/// not be measured, or no step was.
DeviceProfile make_profile(const ProfileInput& input, std::vector<std::string>& notes);

/// A measured figure whose range holds `value` and every sample.
Figure figure(double value, std::span<const double> samples, const std::string& source);
/// Of the samples' median; at least one.
Figure measured_figure(std::span<const double> samples, const std::string& source);

/// `measured` at a point that no fit has seen, beside what the line, and what the profile, say there.
HoldOut judged(double at, const Interval& measured, double by_line, double used);

}  // namespace feedtune
