#include "device/step_curve.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "device/step_times.hpp"

namespace feedtune {
namespace {

Nanoseconds part_at(const StepCurve& curve, double StepPoint::* part, const Line& line, int batch_size) {
  std::vector<StepTime> times;
  if (!curve.interpolated) {
    times = {{line.at(1), 1}, {line.at(2), 2}};  // any two points of the line
    return step_time_at(times, batch_size);
  }
  const StepPoint& first = curve.points.front();
  const StepPoint& last = curve.points.back();
  times.reserve(curve.points.size() + 2);
  if (first.batch_size > 1) {
    const double in_proportion = first.*part / first.batch_size;
    times.push_back({std::max(first.*part - line.slope * (first.batch_size - 1), in_proportion), 1});
  }
  for (const StepPoint& point : curve.points) times.push_back({point.*part, point.batch_size});
  times.push_back({last.*part + line.slope, last.batch_size + 1});
  return step_time_at(times, batch_size);
}

}  // namespace

StepParts step_parts_at(const StepCurve& curve, int batch_size) {
  return {.forward = part_at(curve, &StepPoint::forward_ms, curve.forward, batch_size),
          .backward = part_at(curve, &StepPoint::backward_ms, curve.backward, batch_size),
          .update = part_at(curve, &StepPoint::update_ms, curve.update, batch_size)};
}

StepParts step_parts_of(const TrialSetup& setup, const StepCurve& curve) {
  StepParts parts = step_parts_at(curve, setup.loader.batch_size);
  const double values = 3.0 * setup.data.image_size * setup.data.image_size * setup.loader.batch_size;
  const double more_bytes = values * static_cast<double>(bytes_per_value(setup.loader.input_type) - bytes_per_value(InputType::uint8));
  parts.forward += Nanoseconds{std::llround(more_bytes / setup.profile->memory_bandwidth_gb_s.value)};  // 1e9 bytes/s: one byte a nanosecond
  return parts;
}

const StepCurve* measured_step(const TrialSetup& setup) {
  if (!setup.profile || !setup.step.times.empty()) return nullptr;
  const auto found = std::ranges::find_if(setup.profile->steps, [&](const StepCurve& curve) {
    return curve.model == setup.step.model && curve.precision == setup.step.precision && curve.image_size == setup.data.image_size;
  });
  return found == setup.profile->steps.end() ? nullptr : &*found;
}

}  // namespace feedtune
