#include "device/virtual/virtual_device.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/error.hpp"
#include "device/virtual/modelled_device.hpp"

namespace feedtune {
namespace {

std::uint64_t memory_bytes(const DeviceProfile& profile) {
  const double gb = profile.memory_gb.value;
  if (!std::isfinite(gb) || gb <= 0 || gb > 1e6)
    throw InputError(fmt::format("device profile {}: memory_gb", profile.name),
                     fmt::format("got {}, want a number above 0 and at most 1e6", gb));
  return static_cast<std::uint64_t>(std::llround(gb * 1e9));
}

}  // namespace

std::unique_ptr<Device> make_virtual_device(const DeviceProfile& profile, std::shared_ptr<Clock> clock, HostMemoryLeft left) {
  auto costs = std::make_unique<ProfileCosts>(profile);
  const std::uint64_t memory = memory_bytes(profile);
  DeviceFacts facts;
  facts.name = "virtual:" + profile.name;
  facts.title = profile.title;
  facts.modelled = true;
  facts.copies = true;
  facts.fake = profile.fake.has_value();
  facts.memory_bytes = static_cast<std::int64_t>(memory);
  for (const auto& [precision, peak] : costs->peak_flops()) facts.precisions.emplace_back(to_text(precision));
  return std::make_unique<ModelledDevice>(std::move(facts), memory, std::move(costs), profile.host_wait, std::move(clock),
                                          std::move(left));
}

}  // namespace feedtune
