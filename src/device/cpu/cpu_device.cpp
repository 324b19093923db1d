#include "device/cpu/cpu_device.hpp"

#include <dnnl.h>
#include <fmt/format.h>

#include <cassert>
#include <cstring>

#include "device/cpu/cpu_math.hpp"
#include "device/cpu/cpu_memory.hpp"

namespace feedtune {

namespace {

class CpuEvent final : public Event {
 public:
  bool done() const override { return recorded_; }
  Nanoseconds synchronize() override {
    assert(recorded_);
    return Nanoseconds{0};
  }
  Nanoseconds time() const override { return time_; }
  void stamp(Nanoseconds now) {
    time_ = now;
    recorded_ = true;
  }

 private:
  bool recorded_ = false;
  Nanoseconds time_{0};
};

class CpuStream final : public Stream {
 public:
  explicit CpuStream(std::shared_ptr<Clock> clock) : clock_(std::move(clock)) {}
  void copy_to_device(std::byte* destination, std::span<const std::byte> source, HostMemory) override {
    if (!source.empty()) std::memcpy(destination, source.data(), source.size());
  }
  void record(Event& event) override { static_cast<CpuEvent&>(event).stamp(clock_->now()); }
  void wait(const Event&) override {}  // what was submitted before is done

 private:
  std::shared_ptr<Clock> clock_;
};

class CpuDevice final : public Device {
 public:
  CpuDevice(std::shared_ptr<Clock> clock, int threads, const HostMemoryLeft& left)
      : clock_(std::move(clock)), memory_(left), math_(threads) {
    const dnnl_version_t* version = dnnl_version();
    facts_.name = "cpu";
    facts_.title = fmt::format("CPU, {} thread{}, oneDNN {}.{}.{}", threads, threads == 1 ? "" : "s", version->major,
                               version->minor, version->patch);
    facts_.precisions = {std::string(to_text(Precision::fp32))};
  }
  const DeviceFacts& facts() const override { return facts_; }
  DeviceMemory& memory() override { return memory_; }
  std::unique_ptr<Stream> create_stream() override { return std::make_unique<CpuStream>(clock_); }
  std::unique_ptr<Event> create_event() override { return std::make_unique<CpuEvent>(); }
  DeviceMath& math() override { return math_; }

 private:
  std::shared_ptr<Clock> clock_;
  DeviceFacts facts_;
  CpuMemory memory_;
  CpuMath math_;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device(std::shared_ptr<Clock> clock, int threads, HostMemoryLeft left) {
  assert(clock != nullptr && threads >= 1);
  return std::make_unique<CpuDevice>(std::move(clock), threads, left);
}

}  // namespace feedtune
