#include "sweep/drift.hpp"

#include <fmt/format.h>

#include <cmath>

namespace feedtune {

std::optional<std::string> DriftMonitor::tell(const TrialResult& reference) {
  if (reference.status != TrialStatus::ok || !reference.images_per_s || !(reference.images_per_s->mean > 0))
    return std::nullopt;
  const Interval& rate = *reference.images_per_s;
  orders_.push_back(reference.order);
  // 95 % interval: 1.96 standard errors to each side.
  const auto shift = watch_.tell(std::log(rate.mean), (rate.high - rate.low) / 2 / 1.96 / rate.mean);
  if (!shift) return std::nullopt;
  return fmt::format(
      "from trial {} on the reference runs at {:.1f} images/s, {:+.1f} % against the {:.1f} before (noise {:.1f} %): the "
      "machine changed; the search's trials are corrected for it",
      orders_[shift->begin], std::exp(shift->after), 100 * std::expm1(shift->after - shift->before), std::exp(shift->before),
      100 * shift->sd);
}

}  // namespace feedtune
