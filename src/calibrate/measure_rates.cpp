#include "calibrate/measure_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calibrate/measure_copies.hpp"
#include "calibrate/stopwatch.hpp"
#include "core/error.hpp"
#include "measure/statistics.hpp"
#include "model/layout.hpp"
#include "model/model.hpp"
#include "model/random.hpp"

namespace feedtune {
namespace {

constexpr int rounds = 3;             // over all figures, so that a slow minute does not hit one of them alone
constexpr int repetitions = 3;        // in each round
constexpr int launches = 64;          // of one burst: far fewer than a stream takes
constexpr double gemm_share = 0.4;    // of the time
constexpr double copy_share = 0.4;
constexpr double train_us = 500;      // short GEMMs are timed in trains of about this length
constexpr int longest_train = 50;
constexpr double warm_up_s = 0.5, warm_up_share = 0.1;
constexpr double wait_us = 20'000;    // long beside the clocks' resolution

void measure_kernels(Stopwatch& watch, const ThreadCpuTime& cpu_time, DeviceRates& rates) {
  for (int i = 0; i < repetitions; ++i) {
    const double us = watch.device_us([&] { watch.queue_streaming(); }, 0);
    if (us > 0) rates.streaming_gb_s.push_back(watch.streaming_bytes() / us * 1e-3);
  }
  const auto burst = [&] {
    for (int i = 0; i < launches; ++i) watch.queue_tiny();
  };
  for (int i = 0; i < repetitions; ++i) {
    watch.drain();
    const Nanoseconds begin = watch.clock().now();
    burst();
    rates.launch_us.push_back(to_ms(watch.clock().now() - begin) * 1e3 / launches);
  }
  const double submitting_us = 2 * launches * median(rates.launch_us);
  for (int i = 0; i < repetitions; ++i) {
    watch.drain();
    rates.kernel_gap_us.push_back(watch.device_us(burst, submitting_us) / launches);
  }
  {
    watch.drain();
    watch.keep_busy(wait_us);
    const Nanoseconds wall = watch.clock().now(), cpu = cpu_time();
    watch.drain();
    const auto waited = static_cast<double>((watch.clock().now() - wall).count());
    if (waited > 0) rates.wait_cpu_share.push_back(static_cast<double>((cpu_time() - cpu).count()) / waited);
  }
}

/// Products of zeros draw less power, and a GPU then clocks higher than in any training.
void fill_randomly(Device& device, const Gemm& gemm) {
  constexpr std::size_t period = (1 << 20) - 1;  // enough to tell power by, and drawn in no time; no side is a multiple of it
  UniformNumbers numbers(1);
  std::vector<float> values(gemm.a.count);
  std::generate_n(values.begin(), std::min(period, values.size()), [&] { return numbers.next(1); });
  for (std::size_t i = period; i < values.size(); ++i) values[i] = values[i - period];
  for (const Tensor& factor : {gemm.a, gemm.b}) device.math().upload(factor, values);
}

/// Keeps the device at work until its clocks have come down, or up, to what they are under load: they follow its power and temperature
/// within some hundred milliseconds, and what is measured before that is no training's rate.
void warm_up(Stopwatch& watch, Precision precision, double seconds) {
  Device& device = watch.device();
  const Element element = compute_element(precision);
  const Nanoseconds begin = watch.clock().now();
  constexpr std::int64_t n = 1024;
  constexpr std::size_t count = n * n;
  DeviceBuffer buffers[3];
  try {
    for (DeviceBuffer& buffer : buffers) buffer = device.memory().allocate(count * device.math().element_bytes(element));
  } catch (const OutOfMemory&) {
    return;
  }
  Gemm gemm{.m = n, .n = n, .k = n, .a = {}, .b = {}, .c = {}, .precision = precision};
  gemm.a = {buffers[0].address(), count, element};
  gemm.b = {buffers[1].address(), count, element};
  gemm.c = {buffers[2].address(), count, element};
  fill_randomly(device, gemm);
  do {
    for (int i = 0; i < 8; ++i) device.math().gemm(watch.stream(), gemm);
    watch.drain();
  } while (to_s(watch.clock().now() - begin) < seconds);
}

/// Adds times of square products, each size twice the side of the one before; where there are none yet, until the next would take too long.
void measure_gemms(Stopwatch& watch, Precision precision, double launch_us, double seconds, std::vector<SizeTimes>& sizes) {
  const bool first = sizes.empty();
  Device& device = watch.device();
  const Element element = compute_element(precision);
  const Nanoseconds begin = watch.clock().now();
  std::size_t at = 0;
  for (std::int64_t n = 128; n <= 8192; n *= 2, ++at) {
    if (!first && at == sizes.size()) return;
    const auto count = static_cast<std::size_t>(n * n);
    DeviceBuffer buffers[3];
    try {
      for (DeviceBuffer& buffer : buffers) buffer = device.memory().allocate(count * device.math().element_bytes(element));
    } catch (const OutOfMemory&) {
      return;
    }
    Gemm gemm{.m = n, .n = n, .k = n, .a = {}, .b = {}, .c = {}, .precision = precision};
    gemm.a = {buffers[0].address(), count, element};
    gemm.b = {buffers[1].address(), count, element};
    gemm.c = {buffers[2].address(), count, element};
    fill_randomly(device, gemm);
    const auto train = [&](int length) {
      return watch.device_us([&] { for (int i = 0; i < length; ++i) device.math().gemm(watch.stream(), gemm); }, 2 * length * launch_us) / length;
    };
    train(1);  // loads the kernel
    const double once = train(1);
    const int length = std::clamp(static_cast<int>(train_us / std::max(once, 0.1)), 1, longest_train);
    if (first) sizes.push_back({.size = gemm.flops(), .us = {}});
    sizes[at].us.push_back(std::max(train(length), 1e-3));
    const double next_s = 3 * 8 * once * 1e-6;  // eight times the work, three times over
    if (first && to_s(watch.clock().now() - begin) + next_s > seconds) return;
  }
}

/// Adds host times of submitting a step, the device being idle. False: it could not be built, which is noted.
bool measure_submission(Stopwatch& watch, const StepShape& shape, std::vector<double>& ms, std::vector<std::string>& notes) {
  try {
    Device& device = watch.device();
    const auto step = make_mixer(device, model_preset(shape.model),
                                 {.batch_size = shape.batch_size, .image_size = shape.image_size, .precision = shape.precision});
    const std::uint64_t bytes = input_image_bytes(shape.image_size, shape.batch_size, InputType::uint8);
    const DeviceBuffer input = device.memory().allocate(bytes);
    const DeviceBuffer labels = device.memory().allocate(input_label_bytes(shape.batch_size));
    device.math().fill_zero(watch.stream(), {input.address(), bytes, Element::u8});
    device.math().fill_zero(watch.stream(), {labels.address(), static_cast<std::size_t>(shape.batch_size), Element::f32});
    for (int i = 0; i <= repetitions; ++i) {
      watch.drain();
      const Nanoseconds begin = watch.clock().now();
      step->forward(watch.stream(), {input.address(), bytes, Element::u8});
      step->backward(watch.stream(), labels.address());
      step->update(watch.stream());
      if (i > 0) ms.push_back(to_ms(watch.clock().now() - begin));  // the first one loads the kernels
    }
    watch.drain();
  } catch (const TrialFailure& failure) {
    notes.push_back(fmt::format("{} {} batch_size {}: {}", shape.model, to_text(shape.precision), shape.batch_size, failure.what()));
    return false;
  }
  return true;
}

}  // namespace

DeviceRates measure_rates(Device& device, Clock& clock, const RatesRequest& request, const ThreadCpuTime& cpu_time) {
  DeviceRates rates;
  rates.facts = device.facts();
  rates.memory_bytes = static_cast<std::int64_t>(device.memory().available_bytes() + device.memory().used_bytes());
  Stopwatch watch(device, clock);
  const auto known = [](const std::string& name) { return enum_from_text<Precision>(name); };
  if (!rates.facts.precisions.empty())
    if (const auto precision = known(rates.facts.precisions.back())) warm_up(watch, *precision, std::min(warm_up_s, warm_up_share * request.seconds));
  const auto precisions = static_cast<double>(std::max<std::size_t>(1, rates.facts.precisions.size()));
  const double round_s = request.seconds / rounds;
  const double longest_step_s = (1 - gemm_share - copy_share) * round_s / static_cast<double>(std::max<std::size_t>(1, request.steps.size()));
  CopyRounds copies;
  rates.submit_ms.resize(request.steps.size());
  std::vector<bool> again(request.steps.size(), true);
  for (int round = 0; round < rounds; ++round) {
    measure_kernels(watch, cpu_time, rates);
    const double launch_us = median(rates.launch_us);
    for (const std::string& name : rates.facts.precisions)
      if (const auto precision = known(name)) measure_gemms(watch, *precision, launch_us, gemm_share * round_s / precisions, rates.gemms[name]);
    measure_copies(watch, launch_us, copy_share * round_s, copies, rates.notes);
    for (std::size_t i = 0; i < request.steps.size(); ++i) {
      if (!again[i]) continue;
      const Nanoseconds begin = clock.now();
      // A large model takes seconds to build: once is enough then.
      again[i] = measure_submission(watch, request.steps[i], rates.submit_ms[i], rates.notes) && to_s(clock.now() - begin) < longest_step_s;
    }
  }
  rates.copies = std::move(copies.times);
  return rates;
}

}  // namespace feedtune
