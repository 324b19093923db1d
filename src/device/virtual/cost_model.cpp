#include "device/virtual/cost_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"

namespace feedtune {
namespace {

double bytes_of(Element element) { return static_cast<double>(modelled_element_bytes(element)); }

Nanoseconds rounded(double nanoseconds) { return Nanoseconds{std::llround(nanoseconds)}; }

std::string where(const DeviceProfile& profile, std::string_view member) {
  return fmt::format("device profile {}: {}", profile.name, member);
}

double above_zero(const DeviceProfile& profile, std::string_view member, double value) {
  if (!std::isfinite(value) || value <= 0)
    throw InputError(where(profile, member), fmt::format("got {}, want a number above 0", value));
  return value;
}

Nanoseconds microseconds(const DeviceProfile& profile, std::string_view member, double value) {
  if (!std::isfinite(value) || value < 0)
    throw InputError(where(profile, member), fmt::format("got {}, want 0 or more microseconds", value));
  return rounded(value * 1e3);
}

std::map<Precision, double> peaks(const DeviceProfile& profile) {
  std::map<Precision, double> result;
  for (const auto& [text, figure] : profile.peak_tflops) {
    const auto precision = enum_from_text<Precision>(text);
    const std::string member = fmt::format("peak_tflops.{}", text);
    if (!precision)
      throw InputError(where(profile, member), fmt::format("unknown precision; known: {}", accepted_names<Precision>()));
    result[*precision] = above_zero(profile, member, figure.value) * 1e12;
  }
  if (result.empty()) throw InputError(where(profile, "peak_tflops"), "is empty, want at least one precision");
  return result;
}

std::vector<EfficiencyPoint> efficiency(const DeviceProfile& profile, const std::string& name, const std::vector<EfficiencyPoint>& points) {
  if (points.empty()) throw InputError(where(profile, name), "is empty, want at least one point");
  double previous = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string member = fmt::format("{}[{}]", name, i);
    if (!std::isfinite(points[i].flops) || points[i].flops <= previous)
      throw InputError(where(profile, member), fmt::format("got flops {}, want them above 0 and ascending", points[i].flops));
    if (!(points[i].share > 0 && points[i].share <= 1))
      throw InputError(where(profile, member), fmt::format("got share {}, want above 0 and at most 1", points[i].share));
    previous = points[i].flops;
  }
  return points;
}

/// Of each precision its own, or what stands for all.
std::map<Precision, std::vector<EfficiencyPoint>> efficiencies(const DeviceProfile& profile) {
  std::map<Precision, std::vector<EfficiencyPoint>> result;
  const auto common = efficiency(profile, "gemm_efficiency", profile.gemm_efficiency);
  for (const auto& [precision, peak] : peaks(profile)) {
    const std::string name(to_text(precision));
    const auto own = profile.gemm_efficiency_by_precision.find(name);
    result[precision] = own == profile.gemm_efficiency_by_precision.end() ? common : efficiency(profile, "gemm_efficiency_by_precision." + name, own->second.points);
  }
  return result;
}

}  // namespace

// 1e9 bytes/s are one byte a nanosecond.
ProfileCosts::ProfileCosts(const DeviceProfile& profile)
    : name_(profile.name),
      peak_flops_(peaks(profile)),
      efficiency_(efficiencies(profile)),
      memory_bytes_per_ns_(above_zero(profile, "memory_bandwidth_gb_s", profile.memory_bandwidth_gb_s.value)),
      pinned_bytes_per_ns_(profile.pinned_h2d_gb_s ? std::optional(above_zero(profile, "pinned_h2d_gb_s", profile.pinned_h2d_gb_s->value)) : std::nullopt),
      pageable_bytes_per_ns_(above_zero(profile, "pageable_h2d_gb_s", profile.pageable_h2d_gb_s.value)),
      launch_(microseconds(profile, "launch_us", profile.launch_us.value)),
      gap_(microseconds(profile, "kernel_gap_us", profile.kernel_gap_us.value)),
      copy_latency_(microseconds(profile, "copy_latency_us", profile.copy_latency_us.value)) {}

double ProfileCosts::gemm_share(double flops, Precision precision) const {
  const auto& points = efficiency_.at(precision);
  if (flops <= points.front().flops) return points.front().share;
  if (flops >= points.back().flops) return points.back().share;
  const auto above = std::find_if(points.begin(), points.end(), [&](const auto& p) { return p.flops >= flops; });
  const auto below = above - 1;
  const double position = std::log(flops / below->flops) / std::log(above->flops / below->flops);
  return below->share + position * (above->share - below->share);
}

Nanoseconds ProfileCosts::gemm(const Gemm& gemm) const {
  const auto peak = peak_flops_.find(gemm.precision);
  if (peak == peak_flops_.end())
    throw TrialFailure(TrialStatus::unsupported, fmt::format("virtual:{} has no {}", name_, to_text(gemm.precision)));
  const double flops = gemm.flops();
  const double compute_ns = flops / (peak->second * gemm_share(flops, gemm.precision)) * 1e9;
  const auto m = static_cast<double>(gemm.m), n = static_cast<double>(gemm.n), k = static_cast<double>(gemm.k);
  const double bytes = m * k * bytes_of(gemm.a.element) + k * n * bytes_of(gemm.b.element) +
                       (gemm.accumulate ? 2 : 1) * m * n * bytes_of(gemm.c.element);
  return gap_ + rounded(std::max(compute_ns, bytes / memory_bytes_per_ns_));
}

Nanoseconds ProfileCosts::streaming(double bytes) const { return gap_ + rounded(bytes / memory_bytes_per_ns_); }

Nanoseconds ProfileCosts::link(double bytes, HostMemory kind) const {
  if (kind == HostMemory::pageable) return rounded(bytes / pageable_bytes_per_ns_);
  if (!pinned_bytes_per_ns_)
    throw TrialFailure(TrialStatus::unsupported, fmt::format("virtual:{} has no copies from pinned memory: it was refused where the profile was measured", name_));
  return rounded(bytes / *pinned_bytes_per_ns_);
}

}  // namespace feedtune
