#include "sweep/spending.hpp"

#include <algorithm>
#include <cmath>

#include "search/strategy.hpp"

namespace feedtune {
namespace {

std::int64_t explore_limit(std::int64_t trials) {
  return trials - static_cast<std::int64_t>(confirm_share * static_cast<double>(trials));
}

}  // namespace

void Spending::charge(const std::string& stage, double cost_s) {
  if (stage == "anchor") return;
  seconds_ += cost_s;
  if (stage == "component") component_seconds_ += cost_s;
  else ++trials_;
}

bool Spending::allows(const std::string& stage) const {
  const bool exploring = stage == "explore";
  if (budget_.trials && stage != "component" && trials_ >= (exploring ? explore_limit(*budget_.trials) : *budget_.trials))
    return false;
  if (!budget_.seconds) return true;
  const double searching = *budget_.seconds - component_seconds_;
  return seconds_ < (exploring ? component_seconds_ + (1 - confirm_share) * searching : *budget_.seconds);
}

std::size_t Spending::affordable(std::size_t wanted) const {
  if (budget_.trials) wanted = std::min(wanted, static_cast<std::size_t>(std::max<std::int64_t>(0, *budget_.trials - trials_)));
  if (budget_.seconds && trials_ > 0) {
    const double mean_cost = (seconds_ - component_seconds_) / static_cast<double>(trials_);
    const double left = *budget_.seconds - seconds_;
    if (mean_cost > 0 && left < mean_cost * static_cast<double>(wanted))
      wanted = static_cast<std::size_t>(std::max(1.0, std::ceil(left / mean_cost)));
  }
  return wanted;
}

std::int64_t Spending::explore_trials_left(std::int64_t wanted) const {
  if (!budget_.trials) return wanted;
  return std::clamp<std::int64_t>(explore_limit(*budget_.trials) - trials_, 0, wanted);
}

}  // namespace feedtune
