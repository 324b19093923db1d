#include "device/step_times.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace feedtune {
namespace {

double on_line(const StepTime& a, const StepTime& b, double batch) {
  const double slope = (b.step_ms - a.step_ms) / (b.batch_size - a.batch_size);
  return a.step_ms + slope * (batch - a.batch_size);
}

double step_ms_at(std::span<const StepTime> times, int batch_size) {
  const double batch = batch_size;
  const StepTime& first = times.front();
  const StepTime& last = times.back();
  if (times.size() == 1) return first.step_ms * batch / first.batch_size;
  if (batch_size <= first.batch_size)
    return std::max(on_line(first, times[1], batch), first.step_ms * batch / first.batch_size);
  if (batch_size >= last.batch_size) return std::max(on_line(times[times.size() - 2], last, batch), last.step_ms);
  const auto above = std::find_if(times.begin(), times.end(), [&](const StepTime& t) { return t.batch_size >= batch_size; });
  return on_line(*(above - 1), *above, batch);
}

}  // namespace

Nanoseconds step_time_at(std::span<const StepTime> times, int batch_size) {
  assert(!times.empty() && batch_size >= 1);
  return Nanoseconds{std::llround(step_ms_at(times, batch_size) * 1e6)};
}

}  // namespace feedtune
