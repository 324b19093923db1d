#pragma once
// How long a modelled device takes for what it is asked to do. All of it arithmetic on a profile: nothing is measured.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/device_profile.hpp"
#include "core/enums.hpp"
#include "device/math.hpp"
#include "measure/clock.hpp"

namespace feedtune {

constexpr std::size_t modelled_element_bytes(Element element) {
  return element == Element::u8 ? 1 : element == Element::f32 ? 4 : 2;
}

class CostModel {
 public:
  virtual ~CostModel() = default;
  /// Host time to submit one kernel or copy.
  virtual Nanoseconds launch() const = 0;
  /// Throws TrialFailure{unsupported} for a precision that the device lacks.
  virtual Nanoseconds gemm(const Gemm& gemm) const = 0;
  /// A kernel bound by memory that reads and writes that many bytes in total.
  virtual Nanoseconds streaming(double bytes) const = 0;
  /// A block of compute of a given length.
  virtual Nanoseconds block(Nanoseconds duration) const = 0;
  virtual Nanoseconds copy_latency() const = 0;
  /// The link alone, without the latency. Throws TrialFailure{unsupported} for a kind of memory that the profile has no rate for.
  virtual Nanoseconds link(double bytes, HostMemory kind) const = 0;
  /// Whether the host really copies pageable memory through a staging buffer.
  virtual bool stages() const = 0;
};

/// Costs of the profile's device (configs/devices/README.md states the formulas). Throws InputError for a profile with
/// a figure that can't be.
class ProfileCosts final : public CostModel {
 public:
  explicit ProfileCosts(const DeviceProfile& profile);
  Nanoseconds launch() const override { return launch_; }
  Nanoseconds gemm(const Gemm& gemm) const override;
  Nanoseconds streaming(double bytes) const override;
  Nanoseconds block(Nanoseconds duration) const override { return gap_ + duration; }
  Nanoseconds copy_latency() const override { return copy_latency_; }
  Nanoseconds link(double bytes, HostMemory kind) const override;
  bool stages() const override { return true; }

  /// Share of its precision's peak that a GEMM of that many FLOPs reaches.
  double gemm_share(double flops, Precision precision) const;
  const std::map<Precision, double>& peak_flops() const { return peak_flops_; }

 private:
  std::string name_;
  std::map<Precision, double> peak_flops_;
  std::map<Precision, std::vector<EfficiencyPoint>> efficiency_;
  double memory_bytes_per_ns_;
  std::optional<double> pinned_bytes_per_ns_;
  double pageable_bytes_per_ns_;
  Nanoseconds launch_;
  Nanoseconds gap_;
  Nanoseconds copy_latency_;
};

}  // namespace feedtune
