#include "calibrate/fit_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/nearest.hpp"
#include "device/step_curve.hpp"
#include "measure/statistics.hpp"
#include "model/model.hpp"
#include "predict/affine.hpp"
#include "trial/training_loop.hpp"

namespace feedtune {
namespace {

Interval step_interval(const MeasuredStep& step) {
  std::vector<double> sums;
  sums.reserve(step.forward_ms.size());
  for (std::size_t i = 0; i < step.forward_ms.size(); ++i) sums.push_back(step.forward_ms[i] + step.backward_ms[i] + step.update_ms[i]);
  return interval_of_mean(sums);
}

StepPoint point_of(const MeasuredStep& step) {
  const Interval interval = step_interval(step);
  return {.batch_size = step.batch_size,
          .forward_ms = mean(step.forward_ms),
          .backward_ms = mean(step.backward_ms),
          .update_ms = mean(step.update_ms),
          .low_ms = std::max(0.0, interval.low),
          .high_ms = interval.high,
          .device_bytes = step.device_bytes};
}

/// A part that takes no time at some batch size has no relative error to fit; its line is then zero.
Line line_of(const std::vector<StepPoint>& points, double StepPoint::* part) {
  std::vector<double> x, y;
  for (const StepPoint& point : points) {
    if (!(point.*part > 0)) return {};
    x.push_back(point.batch_size);
    y.push_back(point.*part);
  }
  return fit_line(x, y);
}

void fit_memory(StepCurve& curve, const std::vector<MeasuredStep>& measured) {
  std::vector<double> x, y;
  for (const MeasuredStep& step : measured) {
    if (step.device_bytes <= 0) continue;
    x.push_back(step.batch_size);
    y.push_back(static_cast<double>(step.device_bytes));
    const TrialSetup setup = step_setup("", step.model, step.precision, step.image_size, step.batch_size);
    const auto planned = static_cast<double>(planned_device_bytes(model_preset(step.model), step.image_size, step.batch_size, step.precision,
                                                                  setup.loader.input_type, input_buffers(setup.step.transfer)));
    const double misfit = (planned - y.back()) / y.back();
    if (std::abs(misfit) > std::abs(curve.memory_misfit)) curve.memory_misfit = misfit;
  }
  if (!x.empty()) curve.memory = fit_line(x, y);
}

Figure host_figure(const ProfileInput& input, const StepCurve& curve) {
  for (std::size_t i = 0; i < input.submitted.size() && i < input.rates.submit_ms.size(); ++i) {
    const StepShape& shape = input.submitted[i];
    const std::vector<double>& ms = input.rates.submit_ms[i];
    if (shape.model != curve.model || shape.precision != curve.precision || shape.image_size != curve.image_size || ms.empty()) continue;
    return measured_figure(ms, fmt::format("{}: host time of submitting one step, the device idle; median of {}", input.origin, ms.size()));
  }
  // The step could be measured and its submission alone could not (memory, time): one launch is the least it can be.
  return measured_figure(std::vector<double>{median(input.rates.launch_us) * 1e-3}, input.origin + ": one submission; the step's own was not measured");
}

/// The points for the lines. Where the device has done a step as soon as the host has queued it, the time between its events is that
/// host's, which another host doesn't have.
std::vector<StepPoint> device_bound(const StepCurve& curve, const std::string& name, std::vector<std::string>& notes) {
  constexpr double margin = 1.2;
  std::vector<StepPoint> bound;
  std::vector<std::string> left_out;
  for (const StepPoint& point : curve.points)
    if (point.step_ms() > margin * curve.host_ms.value) bound.push_back(point);
    else left_out.push_back(std::to_string(point.batch_size));
  if (left_out.empty()) return bound;
  const bool enough = bound.size() >= least_curve_points;
  notes.push_back(fmt::format("{}: at batch size {} the step takes no longer than this host needs to submit it ({:.3g} ms), so its time is the host's; {}", name,
                              joined(left_out), curve.host_ms.value, enough ? "left out of the line" : "too few others are left for a line; give larger ones (--batch)"));
  return enough ? bound : curve.points;
}

void judge(StepCurve& curve, const MeasuredStep& held_out) {
  const Interval measured = step_interval(held_out);
  const auto at = [&] { return to_ms(step_parts_at(curve, held_out.batch_size).total()); };
  const double by_line = at();
  curve.interpolated = std::abs(by_line / measured.mean - 1) > line_misfit_limit;
  curve.hold_out = judged(held_out.batch_size, measured, by_line, at());
}

}  // namespace

std::vector<StepCurve> fit_steps(const ProfileInput& input, std::vector<std::string>& notes) {
  std::vector<StepCurve> curves;
  const auto& steps = input.steps.steps;
  for (auto begin = steps.begin(); begin != steps.end();) {
    const auto end = std::find_if(begin, steps.end(), [&](const MeasuredStep& s) { return s.model != begin->model || s.precision != begin->precision; });
    StepCurve curve;
    curve.model = begin->model;
    curve.precision = begin->precision;
    curve.image_size = begin->image_size;
    std::vector<MeasuredStep> measured;
    const MeasuredStep* held_out = nullptr;
    std::size_t rounds = 0;
    for (auto step = begin; step != end; ++step) {
      if (step->forward_ms.empty()) continue;
      measured.push_back(*step);
      rounds = std::max(rounds, step->forward_ms.size());
      if (step->held_out) held_out = &*step;
      else curve.points.push_back(point_of(*step));
    }
    begin = end;
    const std::string name = fmt::format("{} in {}", curve.model, to_text(curve.precision));
    if (curve.points.size() < least_curve_points) {
      notes.push_back(fmt::format("{}: left out: {} of its batch sizes could be measured, want {} at least", name, curve.points.size(), least_curve_points));
      continue;
    }
    curve.host_ms = host_figure(input, curve);
    const std::vector<StepPoint> fitted = device_bound(curve, name, notes);
    curve.forward = line_of(fitted, &StepPoint::forward_ms);
    curve.backward = line_of(fitted, &StepPoint::backward_ms);
    curve.update = line_of(fitted, &StepPoint::update_ms);
    if (held_out != nullptr) {
      judge(curve, *held_out);
    } else {
      curve.interpolated = true;  // nothing says that a line will do
      notes.push_back(fmt::format("{}: no batch size could be held out, so nothing judges its fit", name));
    }
    fit_memory(curve, measured);
    const StepPoint& largest = curve.points.back();
    curve.provenance = {.kind = Provenance::Kind::measured,
                        .source = fmt::format("{}: steps alone, input uint8 on the device, by the device's events; mean of up to {} trials a batch size",
                                              input.origin, rounds),
                        .low = largest.low_ms,
                        .high = largest.high_ms};
    curves.push_back(std::move(curve));
  }
  return curves;
}

}  // namespace feedtune
