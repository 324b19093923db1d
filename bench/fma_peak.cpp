// Compiled once for each instruction set that Highway serves on this architecture.
#include "fma_peak.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fma_peak.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <thread>
#include <vector>

HWY_BEFORE_NAMESPACE();
namespace feedtune {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Operations done. Twelve sums at once: more than latency times throughput of any CPU's multiply-add units.
double MultiplyAdd(std::int64_t rounds, float* out) {
  const hn::ScalableTag<float> d;
  const auto factor = hn::Set(d, 0.999F);
  const auto term = hn::Set(d, 0.001F);
  auto s0 = hn::Set(d, 1.0F), s1 = hn::Set(d, 1.1F), s2 = hn::Set(d, 1.2F), s3 = hn::Set(d, 1.3F);
  auto s4 = hn::Set(d, 1.4F), s5 = hn::Set(d, 1.5F), s6 = hn::Set(d, 1.6F), s7 = hn::Set(d, 1.7F);
  auto s8 = hn::Set(d, 1.8F), s9 = hn::Set(d, 1.9F), s10 = hn::Set(d, 2.0F), s11 = hn::Set(d, 2.1F);
  for (std::int64_t k = 0; k < rounds; ++k) {
    s0 = hn::MulAdd(s0, factor, term), s1 = hn::MulAdd(s1, factor, term), s2 = hn::MulAdd(s2, factor, term);
    s3 = hn::MulAdd(s3, factor, term), s4 = hn::MulAdd(s4, factor, term), s5 = hn::MulAdd(s5, factor, term);
    s6 = hn::MulAdd(s6, factor, term), s7 = hn::MulAdd(s7, factor, term), s8 = hn::MulAdd(s8, factor, term);
    s9 = hn::MulAdd(s9, factor, term), s10 = hn::MulAdd(s10, factor, term), s11 = hn::MulAdd(s11, factor, term);
  }
  const auto sum = hn::Add(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)), hn::Add(hn::Add(s4, s5), hn::Add(s6, s7)));
  *out = hn::GetLane(hn::Add(sum, hn::Add(hn::Add(s8, s9), hn::Add(s10, s11))));
  return 2.0 * 12 * static_cast<double>(hn::Lanes(d)) * static_cast<double>(rounds);
}

}  // namespace HWY_NAMESPACE
}  // namespace feedtune
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace feedtune {
HWY_EXPORT(MultiplyAdd);
namespace {

double run_once(int threads) {
  std::vector<double> operations(static_cast<std::size_t>(threads));
  std::vector<float> sums(operations.size() * 16);  // a cache line each
  std::vector<std::thread> team;
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t k = 0; k < operations.size(); ++k)
    team.emplace_back([&, k] { operations[k] = HWY_DYNAMIC_DISPATCH(MultiplyAdd)(4'000'000, &sums[16 * k]); });
  for (std::thread& thread : team) thread.join();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  double all = 0;
  for (const double one : operations) all += one;
  return all / seconds;
}

}  // namespace

double fma_peak_flops(int threads) {
  static std::map<int, double> known;
  double& best = known[threads];
  if (best == 0)
    for (int k = 0; k < 10; ++k) best = std::max(best, run_once(threads));
  return best;
}

}  // namespace feedtune
#endif
