#include "calibrate/measure_steps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/counted.hpp"

namespace feedtune {
namespace {

constexpr int rounds = 3, most_rounds = 5;  // the time is planned for so many; more narrow the intervals where there is some left
constexpr double shortest_s = 0.1, longest_s = 1.5;

std::string name_of(const MeasuredStep& step) {
  return fmt::format("{} {} batch_size {}", step.model, to_text(step.precision), step.batch_size);
}

bool same_curve(const MeasuredStep& a, const MeasuredStep& b) { return a.model == b.model && a.precision == b.precision; }

std::vector<MeasuredStep> planned(const StepsRequest& request) {
  std::vector<int> batches = request.batch_sizes;
  const int held_out = held_out_batch(batches);
  if (held_out > 0) batches.insert(std::lower_bound(batches.begin(), batches.end(), held_out), held_out);
  std::vector<MeasuredStep> steps;
  for (const std::string& model : request.models)
    for (const Precision precision : request.precisions)
      for (const int batch : batches) {
        MeasuredStep& step = steps.emplace_back();
        step.model = model;
        step.precision = precision;
        step.image_size = request.image_size;
        step.batch_size = batch;
        step.held_out = batch == held_out;
      }
  return steps;
}

class StepRounds {
 public:
  StepRounds(TrialRunner& runner, const StepsRequest& request, const std::function<void(const std::string&)>& progress)
      : runner_(runner), request_(request), progress_(progress) {
    measured_.steps = planned(request);
  }

  MeasuredSteps run() {
    std::vector<std::size_t> order(measured_.steps.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::size_t left = rounds * order.size();
    for (int round = 0; round < most_rounds; ++round) {
      for (const std::size_t i : order) {
        if (!measure(measured_.steps[i], left)) return std::move(measured_);
        if (left > 0) --left;
      }
      std::reverse(order.begin(), order.end());
    }
    return std::move(measured_);
  }

 private:
  /// False: the time is over, or someone stopped it.
  bool measure(MeasuredStep& step, std::size_t left) {
    if (!step.failure.empty()) return true;  // another try would say the same
    const double remaining = request_.end_s - runner_.now_s();
    if (left == 0 && remaining < longest_s + overhead_s_) return false;
    if (remaining < shortest_s) {
      measured_.notes.push_back(fmt::format("the time ended {} before the last of {} rounds", counted(static_cast<std::int64_t>(left), "trial"), rounds));
      return false;
    }
    TrialRequest request;
    request.id = ++trials_;
    request.purpose = Purpose::step_only;
    request.stage = "component";
    request.setup = step_setup(request_.device, step.model, step.precision, step.image_size, step.batch_size);
    const double each_s = std::clamp(remaining / static_cast<double>(std::max<std::size_t>(left, 1)) - overhead_s_, shortest_s, longest_s);
    request.target = {.min_time_s = each_s, .max_time_s = each_s, .relative_half_width = 0.005, .cache = CachePolicy::as_is};
    request.time_limit_s = remaining;
    const TrialResult result = runner_.run(request, {});
    if (result.stop_reason == "interrupted") return false;
    overhead_s_ = std::max(0.0, result.cost_s - result.measured_s);
    take(step, result);
    return true;
  }

  void take(MeasuredStep& step, const TrialResult& result) {
    const auto part = [&](const char* name) { return result.phases.contains(name) ? result.phases.at(name).mean : 0; };
    if (result.status == TrialStatus::ok) {
      step.forward_ms.push_back(part("forward"));
      step.backward_ms.push_back(part("backward"));
      step.update_ms.push_back(part("update"));
      step.device_bytes = std::max(step.device_bytes, result.memory.device_peak_bytes.value_or(0));
      progress_(fmt::format("{}: {:.3g} ms", name_of(step), step.forward_ms.back() + step.backward_ms.back() + step.update_ms.back()));
      return;
    }
    const std::string why = fmt::format("{}: {}: {}", name_of(step), to_text(result.status), result.reason);
    progress_(why);
    measured_.notes.push_back(why);
    // A window that was too short or not steady may be better the next time; the others would not.
    if (result.status == TrialStatus::too_short || result.status == TrialStatus::no_steady_state) return;
    step.failure = why;
    if (result.status != TrialStatus::out_of_memory && result.status != TrialStatus::unsupported) return;
    for (MeasuredStep& other : measured_.steps) {
      if (!same_curve(other, step) || (result.status == TrialStatus::out_of_memory && other.batch_size < step.batch_size)) continue;
      other.failure = why;
    }
  }

  TrialRunner& runner_;
  const StepsRequest& request_;
  const std::function<void(const std::string&)>& progress_;
  MeasuredSteps measured_;
  std::int64_t trials_ = 0;
  double overhead_s_ = 0.5;  // of a trial, until one has shown it
};

}  // namespace

int held_out_batch(const std::vector<int>& batch_sizes) {
  if (batch_sizes.size() < 2) return 0;
  const std::size_t right = batch_sizes.size() / 2;
  const int middle = (batch_sizes[right - 1] + batch_sizes[right]) / 2;
  return middle > batch_sizes[right - 1] && middle < batch_sizes[right] ? middle : 0;
}

TrialSetup step_setup(const std::string& device, const std::string& model, Precision precision, int image_size, int batch_size) {
  TrialSetup setup;
  setup.device = device;
  setup.data.image_size = image_size;
  setup.loader.batch_size = batch_size;
  setup.loader.input_type = InputType::uint8;
  setup.step.model = model;
  setup.step.precision = precision;
  return setup;
}

MeasuredSteps measure_steps(TrialRunner& runner, const StepsRequest& request, const std::function<void(const std::string&)>& progress) {
  return StepRounds(runner, request, progress).run();
}

}  // namespace feedtune
