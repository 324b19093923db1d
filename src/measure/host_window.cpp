#include "measure/host_window.hpp"

#include <algorithm>

namespace feedtune {
namespace {

constexpr std::chrono::milliseconds sample_period{50};

/// Counters never run backwards; where one seems to (a cgroup that was left), nothing was spent.
template <class T>
std::optional<T> difference(const std::optional<T>& start, const std::optional<T>& end) {
  if (!start || !end) return std::nullopt;
  return std::max<T>(*end - *start, 0);
}

}  // namespace

HostUse host_use_between(const HostCounters& start, const HostCounters& end, std::map<std::string, std::string>& unknown) {
  HostUse use;
  use.cpu_user_s = difference(start.cpu_user_s, end.cpu_user_s);
  use.cpu_system_s = difference(start.cpu_system_s, end.cpu_system_s);
  use.voluntary_switches = difference(start.voluntary_switches, end.voluntary_switches);
  use.involuntary_switches = difference(start.involuntary_switches, end.involuntary_switches);
  use.major_faults = difference(start.major_faults, end.major_faults);
  use.throttled_s = difference(start.throttled_s, end.throttled_s);
  if (!end.run_delay_s.empty()) {
    double sum = 0;
    for (const auto& [thread, delay] : end.run_delay_s) {
      const auto before = start.run_delay_s.find(thread);
      // A thread number that was used again starts from zero.
      const double already = before == start.run_delay_s.end() || before->second > delay ? 0 : before->second;
      sum += delay - already;
    }
    use.run_delay_s = sum;
  }
  for (const auto* counters : {&start, &end}) unknown.insert(counters->unknown.begin(), counters->unknown.end());
  return use;
}

void HostWindow::start() {
  sampler_.reset();
  runnable_ = mhz_ = {};
  sample_unknown_.clear();
  at_start_ = source_.counters();
  if (source_.sample) sampler_ = std::make_unique<BackgroundSampler>([this] { take_sample(); }, sample_period);
}

void HostWindow::take_sample() {
  const HostSample sample = source_.sample();
  const std::lock_guard lock(mutex_);
  if (sample.runnable_threads) runnable_.add(*sample.runnable_threads);
  if (sample.cpu_mhz) mhz_.add(*sample.cpu_mhz);
  sample_unknown_.insert(sample.unknown.begin(), sample.unknown.end());
}

HostUse HostWindow::stop(std::int64_t images, std::map<std::string, std::string>& unknown) {
  HostUse use = host_use_between(at_start_, source_.counters(), unknown);
  sampler_.reset();
  if (use.cpu_user_s && use.cpu_system_s && images > 0)
    use.cpu_s_per_image = (*use.cpu_user_s + *use.cpu_system_s) / static_cast<double>(images);
  else if (images <= 0)
    unknown.emplace("cpu_s_per_image", "no image was counted");
  const std::lock_guard lock(mutex_);
  if (runnable_.count() > 0) use.runnable_threads = runnable_.mean();
  if (mhz_.count() > 0) use.cpu_mhz = mhz_.mean();
  if (!use.runnable_threads && !sample_unknown_.contains("runnable_threads"))
    unknown.emplace("runnable_threads", "no sample was taken");
  if (!use.cpu_mhz && !sample_unknown_.contains("cpu_mhz")) unknown.emplace("cpu_mhz", "no sample was taken");
  for (const auto& [field, reason] : sample_unknown_)
    if ((field == "runnable_threads" && !use.runnable_threads) || (field == "cpu_mhz" && !use.cpu_mhz))
      unknown.emplace(field, reason);
  return use;
}

}  // namespace feedtune
