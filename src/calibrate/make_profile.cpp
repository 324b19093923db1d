#include "calibrate/make_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calibrate/fit_steps.hpp"
#include "calibrate/measure_rates.hpp"
#include "core/error.hpp"
#include "measure/statistics.hpp"
#include "predict/affine.hpp"

namespace feedtune {
namespace {

constexpr double clock_us = 1e-3;  // the clocks count nanoseconds; a profile's figures are above 0

[[noreturn]] void missing(const std::string& what) { throw InputError("calibrate", what + " could not be measured"); }

/// A GEMM's rate, FLOP/s, without the gap to the next kernel.
double gemm_rate(double flops, double us, double gap_us) { return flops / std::max(us - gap_us, us / 2) * 1e6; }

void fit_gemms(DeviceProfile& profile, const ProfileInput& input, const std::string& shares_of) {
  const double gap_us = profile.kernel_gap_us.value;
  for (const auto& [precision, sizes] : input.rates.gemms) {
    std::vector<double> rates;  // FLOP/s of each size
    std::vector<double> best;
    for (const SizeTimes& size : sizes) {
      const double rate = gemm_rate(size.size, median(size.us), gap_us);
      if (best.empty() || rate > median(best)) {
        best.clear();
        for (const double us : size.us) best.push_back(gemm_rate(size.size, us, gap_us));
      }
      rates.push_back(rate);
    }
    if (best.empty()) continue;
    const double peak = median(best);
    for (double& rate : best) rate *= 1e-12;
    profile.peak_tflops[precision] = measured_figure(best, input.origin + ": the fastest of square GEMMs of random numbers, from 128 upwards");
    EfficiencyCurve curve;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      curve.points.push_back({.flops = sizes[i].size, .share = std::min(1.0, rates[i] / peak)});
    curve.provenance = {.kind = Provenance::Kind::measured,
                        .source = fmt::format("{}: square GEMMs in {}, share of the fastest", input.origin, precision),
                        .low = profile.peak_tflops[precision].provenance.low * 1e12 / peak,
                        .high = profile.peak_tflops[precision].provenance.high * 1e12 / peak};
    if (precision == shares_of) {
      profile.gemm_efficiency = curve.points;
      profile.gemm_efficiency_provenance = curve.provenance;
    } else {
      profile.gemm_efficiency_by_precision[precision] = std::move(curve);
    }
  }
  if (profile.peak_tflops.empty() || profile.gemm_efficiency.empty()) missing("a GEMM's rate");
}

Line copy_line(const std::vector<CopyPoint>& points) {
  std::vector<double> x, y;
  for (const CopyPoint& point : points) {
    x.push_back(point.bytes);
    y.push_back(point.us);
  }
  return fit_line(x, y);
}

/// Of each round its own line, for the ranges.
std::vector<Line> round_lines(const std::vector<SizeTimes>& sizes) {
  std::size_t rounds = 0;
  for (const SizeTimes& size : sizes) rounds = std::max(rounds, size.us.size());
  std::vector<Line> lines;
  for (std::size_t round = 0; round < rounds; ++round) {
    std::vector<CopyPoint> points;
    for (const SizeTimes& size : sizes)
      if (size.size != held_out_copy_bytes && round < size.us.size()) points.push_back({.bytes = size.size, .us = size.us[round], .low_us = 0, .high_us = 0});
    if (points.size() >= 2) lines.push_back(copy_line(points));
  }
  return lines;
}

double gb_s(const Line& line) { return 1e-3 / std::max(line.slope, 1e-9); }

void fit_copies(DeviceProfile& profile, const ProfileInput& input, std::vector<std::string>& notes) {
  for (const HostMemory kind : {HostMemory::pinned, HostMemory::pageable}) {  // pinned first: a modelled copy of either kind takes its latency
    const auto found = input.rates.copies.find(std::string(to_text(kind)));
    if (found == input.rates.copies.end()) {
      if (kind == HostMemory::pageable) missing("copies from pageable memory");
      continue;  // refused, as the notes say: such copies are then unsupported on the profile
    }
    CopyCurve curve;
    curve.host_memory = kind;
    std::optional<Interval> held_out;
    for (const SizeTimes& size : found->second) {
      if (size.us.empty()) continue;
      if (size.size == held_out_copy_bytes)
        held_out = interval_of_mean(size.us);
      else
        curve.points.push_back({.bytes = size.size,
                                .us = median(size.us),  // a disturbed round of a small copy would make the line flatter
                                .low_us = *std::min_element(size.us.begin(), size.us.end()),
                                .high_us = *std::max_element(size.us.begin(), size.us.end())});
    }
    if (curve.points.size() < 2) missing(fmt::format("copies from {} memory at two sizes", to_text(kind)));
    const Line line = copy_line(curve.points);
    curve.latency_us = line.fixed;
    curve.gb_s = gb_s(line);
    if (held_out) {
      curve.hold_out = judged(held_out_copy_bytes, *held_out, line.at(held_out_copy_bytes),
                              line.at(held_out_copy_bytes) - line.fixed + (profile.pinned_h2d_gb_s ? profile.copy_latency_us.value : curve.latency_us));
      if (std::abs(curve.hold_out->misfit) > line_misfit_limit)
        notes.push_back(fmt::format("copies from {} memory: latency and rate miss the copy of 32 MiB by {:+.1f} %", to_text(kind), 100 * curve.hold_out->misfit));
    }
    std::vector<double> rates, latencies;
    for (const Line& round : round_lines(found->second)) {
      rates.push_back(gb_s(round));
      latencies.push_back(std::max(round.fixed, clock_us));
    }
    const std::string source = fmt::format("{}: latency + bytes / rate, fitted to copies of {:.0f} KiB to {:.0f} MiB, {} rounds, by the device's events",
                                           input.origin, curve.points.front().bytes / 1024, curve.points.back().bytes / 1048576, rates.size());
    if (!profile.pinned_h2d_gb_s) profile.copy_latency_us = figure(std::max(curve.latency_us, clock_us), latencies, source);
    if (kind == HostMemory::pinned) profile.pinned_h2d_gb_s = figure(curve.gb_s, rates, source);
    else profile.pageable_h2d_gb_s = figure(curve.gb_s, rates, source);
    profile.copies.push_back(std::move(curve));
  }
}

}  // namespace

Figure figure(double value, std::span<const double> samples, const std::string& source) {
  Figure made{.value = value, .provenance = {.kind = Provenance::Kind::measured, .source = source, .low = value, .high = value}};
  for (const double sample : samples) {
    made.provenance.low = std::min(made.provenance.low, sample);
    made.provenance.high = std::max(made.provenance.high, sample);
  }
  return made;
}

Figure measured_figure(std::span<const double> samples, const std::string& source) { return figure(median(samples), samples, source); }

HoldOut judged(double at, const Interval& measured, double by_line, double used) {
  return {.at = at,
          .measured = measured.mean,
          .low = measured.low,
          .high = measured.high,
          .line_misfit = by_line / measured.mean - 1,
          .misfit = used / measured.mean - 1};
}

DeviceProfile make_profile(const ProfileInput& input, std::vector<std::string>& notes) {
  const DeviceRates& rates = input.rates;
  DeviceProfile profile;
  profile.name = input.name;
  profile.title = rates.facts.title;
  if (rates.facts.fake) profile.fake = rates.facts.title;
  const auto kernels = [&](const std::vector<double>& samples, const char* what) {
    if (samples.empty() || !(median(samples) > 0)) missing(what);
    return measured_figure(samples, fmt::format("{}: {}; median of {}", input.origin, what, samples.size()));
  };
  if (rates.memory_bytes <= 0) missing("the device's memory");
  const double memory_gb = static_cast<double>(rates.memory_bytes) * 1e-9;
  profile.memory_gb = figure(memory_gb, {}, input.origin + ": what was to be had when nothing was taken yet");
  profile.memory_bandwidth_gb_s = kernels(rates.streaming_gb_s, "a kernel that reads two buffers and writes a third");
  profile.launch_us = kernels(rates.launch_us, "host time of one submission, in bursts of 64");
  profile.kernel_gap_us = kernels(rates.kernel_gap_us, "device time of a kernel over 256 values");
  profile.host_wait = !rates.wait_cpu_share.empty() && median(rates.wait_cpu_share) > 0.5 ? HostWait::spin : HostWait::block;
  fit_copies(profile, input, notes);
  profile.steps = fit_steps(input, notes);
  if (profile.steps.empty()) throw InputError("calibrate", notes.empty() ? "no step could be measured" : "no step could be measured: " + notes.back());
  std::string shares_of(to_text(profile.steps.front().precision));
  if (!rates.gemms.contains(shares_of) && !rates.gemms.empty()) shares_of = rates.gemms.begin()->first;
  fit_gemms(profile, input, shares_of);
  return profile;
}

}  // namespace feedtune
