#include "device/null/null_device.hpp"

#include "device/virtual/modelled_device.hpp"

namespace feedtune {
namespace {

class NoCosts final : public CostModel {
 public:
  Nanoseconds launch() const override { return {}; }
  Nanoseconds gemm(const Gemm&) const override { return {}; }
  Nanoseconds streaming(double) const override { return {}; }
  Nanoseconds block(Nanoseconds) const override { return {}; }
  Nanoseconds copy_latency() const override { return {}; }
  Nanoseconds link(double, HostMemory) const override { return {}; }
  bool stages() const override { return false; }
};

}  // namespace

std::unique_ptr<Device> make_null_device(std::shared_ptr<Clock> clock, HostMemoryLeft left) {
  DeviceFacts facts;
  facts.name = "null";
  facts.title = "null device: everything takes no time";
  facts.modelled = true;
  facts.copies = true;
  for (const auto& [precision, name] : enum_names<Precision>()) facts.precisions.emplace_back(name);
  return std::make_unique<ModelledDevice>(std::move(facts), 0, std::make_unique<NoCosts>(), HostWait::spin,
                                          std::move(clock), std::move(left));
}

}  // namespace feedtune
