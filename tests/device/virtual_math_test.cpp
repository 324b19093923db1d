// What each kernel costs on the modelled device, against the formulas of configs/devices/README.md.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "core/error.hpp"
#include "device/virtual/cost_model.hpp"
#include "virtual_fixture.hpp"

using namespace feedtune;
using feedtune::testing::round_profile;
using feedtune::testing::us;
using feedtune::testing::VirtualFixture;

namespace {

Tensor tensor(std::size_t count, Element element) { return {reinterpret_cast<std::byte*>(4096), count, element}; }

Gemm square(std::int64_t n, Precision precision = Precision::fp16) {
  const auto count = static_cast<std::size_t>(n * n);
  return {.m = n, .n = n, .k = n, .a = tensor(count, Element::f16), .b = tensor(count, Element::f16),
          .c = tensor(count, Element::f16), .precision = precision};
}

}  // namespace

TEST(VirtualMath, AGemmBoundByArithmeticTakesItsFlopsOverTheReachedPeak) {
  VirtualFixture f;
  f.device->math().gemm(*f.stream, square(1000));  // 2e9 FLOPs at 5e12/s: 400 us; 6 MB at 100 GB/s: 60 us
  EXPECT_EQ(f.end_of(*f.stream), us(5 + 1 + 400));
}

TEST(VirtualMath, AGemmBoundByMemoryTakesItsBytesOverTheBandwidth) {
  VirtualFixture f;
  Gemm thin = {.m = 1'000'000, .n = 1, .k = 1, .a = tensor(1'000'000, Element::f16), .b = tensor(1, Element::f16),
               .c = tensor(1'000'000, Element::f32), .precision = Precision::fp16};
  f.device->math().gemm(*f.stream, thin);
  EXPECT_EQ(f.end_of(*f.stream), us(5 + 1) + Nanoseconds{(2'000'000 + 2 + 4'000'000 + 50) / 100});
  thin.accumulate = true;  // reads C too
  EXPECT_EQ(ProfileCosts(round_profile()).gemm(thin), us(1) + Nanoseconds{(2'000'000 + 2 + 8'000'000 + 50) / 100});
}

TEST(VirtualMath, EfficiencyIsInterpolatedInTheLogarithmOfTheFlopsAndClamped) {
  DeviceProfile profile = round_profile();
  profile.gemm_efficiency = {{1e6, 0.1}, {1e8, 0.5}, {1e10, 0.8}};
  const ProfileCosts costs(profile);
  EXPECT_DOUBLE_EQ(costs.gemm_share(1, Precision::fp16), 0.1);
  EXPECT_DOUBLE_EQ(costs.gemm_share(1e6, Precision::fp16), 0.1);
  EXPECT_NEAR(costs.gemm_share(1e7, Precision::fp16), 0.3, 1e-12);
  EXPECT_DOUBLE_EQ(costs.gemm_share(1e8, Precision::fp16), 0.5);
  EXPECT_NEAR(costs.gemm_share(1e9, Precision::fp16), 0.65, 1e-12);
  EXPECT_DOUBLE_EQ(costs.gemm_share(1e15, Precision::fp16), 0.8);
}

TEST(VirtualMath, APrecisionsOwnSharesCountForItAlone) {
  DeviceProfile profile = round_profile();
  profile.gemm_efficiency_by_precision["fp16"] = {.points = {{1e6, 0.25}}, .provenance = {}};
  const ProfileCosts costs(profile);
  EXPECT_EQ(costs.gemm_share(1e9, Precision::fp16), 0.25);
  EXPECT_EQ(costs.gemm_share(1e9, Precision::fp32), 0.5) << "what stands for all";
}

TEST(VirtualMath, APrecisionThatTheCardLacksIsUnsupported) {
  VirtualFixture f;
  try {
    f.device->math().gemm(*f.stream, square(16, Precision::bf16));
    FAIL() << "bf16 must not run at another precision's speed";
  } catch (const TrialFailure& failure) {
    EXPECT_EQ(failure.status(), TrialStatus::unsupported);
    EXPECT_STREQ(failure.what(), "virtual:round has no bf16");
  }
  f.device->math().gemm(*f.stream, square(1000, Precision::fp32));
  EXPECT_EQ(f.end_of(*f.stream), us(5 + 1 + 2000));
}

TEST(VirtualMath, EveryOtherKernelTakesTheTrafficThatItsDeclarationNames) {
  const Tensor a = tensor(1'000'000, Element::f16), b = tensor(500'000, Element::f32), none{};
  const Tensor bytes = tensor(3'000'000, Element::u8);
  struct Case {
    const char* name;
    std::function<void(DeviceMath&, Stream&)> queue;
    double megabytes;
  };
  const Case cases[] = {
      {"extract_patches", [&](auto& m, auto& s) { m.extract_patches(s, bytes, a, 1, 1000, 10); }, 3 + 2},
      {"bias_gelu", [&](auto& m, auto& s) { m.bias_gelu(s, a, none, b, 1, 1); }, 2 * 2 + 2},
      {"bias_gelu_backward", [&](auto& m, auto& s) { m.bias_gelu_backward(s, a, bytes, none, 1, 1); }, 2 + 2 * 3},
      {"bias_residual", [&](auto& m, auto& s) { m.bias_residual(s, a, none, bytes, b, 1, 1); }, 2 + 3 + 2},
      {"bias_residual without residual", [&](auto& m, auto& s) { m.bias_residual(s, bytes, a, none, b, 1, 1); }, 3 + 2},
      {"bias_backward", [&](auto& m, auto& s) { m.bias_backward(s, bytes, a, 1, 1); }, 3},
      {"transpose", [&](auto& m, auto& s) { m.transpose(s, a, none, bytes, b, 1, 1, 1); }, 2 + 3 + 2},
      {"transpose without residual", [&](auto& m, auto& s) { m.transpose(s, bytes, a, none, b, 1, 1, 1); }, 3 + 2},
      {"mean_pool", [&](auto& m, auto& s) { m.mean_pool(s, bytes, a, 1, 1, 1); }, 3 + 2},
      {"mean_pool_backward", [&](auto& m, auto& s) { m.mean_pool_backward(s, a, bytes, 1, 1, 1); }, 2 + 3},
      {"softmax_cross_entropy", [&](auto& m, auto& s) { m.softmax_cross_entropy(s, a, nullptr, bytes, 1, 1, 1); }, 2 * 2},
      {"sgd_momentum", [&](auto& m, auto& s) { m.sgd_momentum(s, b, bytes, a, bytes, 1, 1, 1); }, 2 * 2 + 2 * 3 + 2 + 3},
      {"sgd_momentum without copy", [&](auto& m, auto& s) { m.sgd_momentum(s, b, b, b, none, 1, 1, 1); }, 5 * 2},
      {"fill_zero", [&](auto& m, auto& s) { m.fill_zero(s, bytes); }, 3},
  };
  for (const Case& c : cases) {
    VirtualFixture f;
    c.queue(f.device->math(), *f.stream);
    EXPECT_EQ(f.end_of(*f.stream), us(5 + 1 + c.megabytes * 10)) << c.name;  // 10 us a megabyte
  }
}

TEST(VirtualMath, NoValueIsInvented) {
  VirtualFixture f;
  float values[4] = {};
  f.device->math().upload(tensor(4, Element::f32), values);
  EXPECT_EQ(f.clock->now(), us(0));
  EXPECT_THROW(f.device->math().download(tensor(4, Element::f32), values), TrialFailure);
}

TEST(VirtualMath, AProfileThatCannotBeIsRefusedWithItsPlace) {
  const auto refused = [](const std::function<void(DeviceProfile&)>& spoil) -> std::string {
    DeviceProfile profile = round_profile();
    spoil(profile);
    try {
      make_virtual_device(profile, std::make_shared<ManualClock>());
    } catch (const InputError& error) {
      return error.where();
    }
    return "accepted";
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refused([](auto&) {}), "accepted");
  EXPECT_EQ(refused([](auto& p) { p.peak_tflops.clear(); }), "device profile round: peak_tflops");
  EXPECT_EQ(refused([](auto& p) { p.peak_tflops["fp8"].value = 1; }), "device profile round: peak_tflops.fp8");
  EXPECT_EQ(refused([](auto& p) { p.peak_tflops["fp16"].value = 0; }), "device profile round: peak_tflops.fp16");
  EXPECT_EQ(refused([](auto& p) { p.gemm_efficiency.clear(); }), "device profile round: gemm_efficiency");
  EXPECT_EQ(refused([](auto& p) { p.gemm_efficiency.push_back({1e5, 0.5}); }), "device profile round: gemm_efficiency[1]");
  EXPECT_EQ(refused([](auto& p) { p.gemm_efficiency[0].share = 1.01; }), "device profile round: gemm_efficiency[0]");
  EXPECT_EQ(refused([&](auto& p) { p.gemm_efficiency[0].share = nan; }), "device profile round: gemm_efficiency[0]");
  EXPECT_EQ(refused([](auto& p) { p.memory_gb.value = 0; }), "device profile round: memory_gb");
  EXPECT_EQ(refused([&](auto& p) { p.memory_bandwidth_gb_s.value = nan; }), "device profile round: memory_bandwidth_gb_s");
  EXPECT_EQ(refused([](auto& p) { p.pinned_h2d_gb_s->value = -1; }), "device profile round: pinned_h2d_gb_s");
  EXPECT_EQ(refused([](auto& p) { p.pageable_h2d_gb_s.value = 0; }), "device profile round: pageable_h2d_gb_s");
  EXPECT_EQ(refused([](auto& p) { p.launch_us.value = -1; }), "device profile round: launch_us");
  EXPECT_EQ(refused([&](auto& p) { p.kernel_gap_us.value = nan; }), "device profile round: kernel_gap_us");
  EXPECT_EQ(refused([](auto& p) { p.copy_latency_us.value = -1; }), "device profile round: copy_latency_us");
}
