#include "machine/process_reader.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace feedtune {
namespace {

constexpr std::size_t cpus_looked_at = 16;  // each costs an interrupt of that CPU

double seconds(const timeval& time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6; }

/// State letter of "/proc/self/task/N/stat": after the name in parentheses, which may hold anything.
char thread_state(const std::string& stat) {
  const auto end_of_name = stat.rfind(')');
  return end_of_name != std::string::npos && end_of_name + 2 < stat.size() ? stat[end_of_name + 2] : '?';
}

}  // namespace

ProcessReader::ProcessReader(Root root, Options options) : root_(std::move(root)), options_(options) {
  cpu_groups_ = cgroup_ancestry(root_, "cpu");
  std::vector<std::string> all;
  for (const auto& name : root_.list("/sys/devices/system/cpu")) {
    const auto file = "/sys/devices/system/cpu/" + name + "/cpufreq/scaling_cur_freq";
    if (name.rfind("cpu", 0) == 0 && root_.exists(file)) all.push_back(file);
  }
  const std::size_t stride = std::max<std::size_t>(1, (all.size() + cpus_looked_at - 1) / cpus_looked_at);
  for (std::size_t i = 0; i < all.size(); i += stride) frequency_files_.push_back(all[i]);
  if (!frequency_files_.empty()) return;
  const auto cpuinfo = root_.read("/proc/cpuinfo");
  if (!cpuinfo) {
    frequency_unknown_ = "neither cpufreq nor /proc/cpuinfo can be read";
  } else if (!find_value(*cpuinfo, "cpu MHz", ':')) {
    frequency_unknown_ = "no cpufreq, and /proc/cpuinfo shows no frequency";
  } else {
    // Without these counters the kernel prints the frequency found at boot.
    const auto flags = find_value(*cpuinfo, "flags", ':').value_or("");
    const auto words = split(flags, " ");
    if (std::find(words.begin(), words.end(), "aperfmperf") == words.end())
      frequency_unknown_ = "no cpufreq, and /proc/cpuinfo shows only the nominal frequency (no aperfmperf: a virtual machine?)";
  }
}

HostCounters ProcessReader::counters() const {
  HostCounters counters;
  add_usage(counters);
  add_run_delay(counters);
  add_throttling(counters);
  return counters;
}

void ProcessReader::add_usage(HostCounters& counters) const {
  rusage use{};
  ::getrusage(RUSAGE_SELF, &use);
  counters.cpu_user_s = seconds(use.ru_utime);
  counters.cpu_system_s = seconds(use.ru_stime);
  counters.voluntary_switches = use.ru_nvcsw;
  counters.involuntary_switches = use.ru_nivcsw;
  counters.major_faults = use.ru_majflt;
  if (!options_.children) return;
  ::getrusage(RUSAGE_CHILDREN, &use);
  *counters.cpu_user_s += seconds(use.ru_utime);
  *counters.cpu_system_s += seconds(use.ru_stime);
  *counters.voluntary_switches += use.ru_nvcsw;
  *counters.involuntary_switches += use.ru_nivcsw;
  *counters.major_faults += use.ru_majflt;
}

void ProcessReader::add_run_delay(HostCounters& counters) const {
  for (const auto& thread : root_.list("/proc/self/task")) {
    const auto line = root_.read_line("/proc/self/task/" + thread + "/schedstat");  // "ns_run ns_delay slices"
    const auto number = parse_integer(thread);
    if (!line || !number) continue;
    const auto parts = split(*line, " ");
    const auto delay_ns = parts.size() > 1 ? parse_integer(parts[1]) : std::nullopt;
    if (delay_ns) counters.run_delay_s[*number] = static_cast<double>(*delay_ns) * 1e-9;
  }
  if (counters.run_delay_s.empty())
    counters.unknown["run_delay_s"] = "/proc/self/task/*/schedstat can't be read (a kernel without CONFIG_SCHED_INFO?)";
}

void ProcessReader::add_throttling(HostCounters& counters) const {
  // A group throttled by its ancestor's quota doesn't count it itself.
  for (const auto& group : cpu_groups_) {
    const auto stat = root_.read(group.folder + "/cpu.stat");
    if (!stat) continue;
    const auto value = group.version == 1 ? find_value(*stat, "throttled_time", ' ') : find_value(*stat, "throttled_usec", ' ');
    const auto number = value ? parse_integer(*value) : std::nullopt;
    if (!number) continue;
    counters.throttled_s = counters.throttled_s.value_or(0) + static_cast<double>(*number) * (group.version == 1 ? 1e-9 : 1e-6);
  }
  if (!counters.throttled_s)
    counters.unknown["throttled_s"] = cpu_groups_.empty() ? "this process is in no control group of the cpu controller"
                                                          : "no cpu.stat with throttled time in " + cpu_groups_.front().text() +
                                                                " or its ancestors";
}

HostSample ProcessReader::sample() const {
  HostSample sample;
  const auto self = std::to_string(::gettid());
  int runnable = 0;
  bool read_any = false;
  for (const auto& thread : root_.list("/proc/self/task")) {
    if (thread == self && root_.is_this_machine()) {
      read_any = true;
      continue;
    }
    const auto stat = root_.read("/proc/self/task/" + thread + "/stat");
    if (!stat) continue;
    read_any = true;
    runnable += thread_state(*stat) == 'R';
  }
  if (read_any) {
    sample.runnable_threads = runnable;
  } else {
    sample.unknown["runnable_threads"] = "/proc/self/task can't be read";
  }
  add_frequency(sample);
  return sample;
}

void ProcessReader::add_frequency(HostSample& sample) const {
  double sum = 0;
  int count = 0;
  if (!frequency_unknown_.empty()) {
    sample.unknown["cpu_mhz"] = frequency_unknown_;
    return;
  }
  for (const auto& file : frequency_files_) {
    const auto khz = root_.read_integer(file);
    if (!khz) continue;
    sum += static_cast<double>(*khz) * 1e-3;
    ++count;
  }
  if (frequency_files_.empty()) {
    const auto cpuinfo = root_.read("/proc/cpuinfo").value_or("");
    for (const auto line : split_lines(cpuinfo)) {
      const auto colon = line.find(':');
      if (colon == std::string_view::npos || trim(line.substr(0, colon)) != "cpu MHz") continue;
      // "2445.402": whole MHz are enough, and parsing them needs no locale.
      const auto number = trim(line.substr(colon + 1));
      if (const auto mhz = parse_integer(number.substr(0, number.find('.')))) {
        sum += static_cast<double>(*mhz);
        ++count;
      }
    }
  }
  if (count > 0) {
    sample.cpu_mhz = sum / count;
  } else {
    sample.unknown["cpu_mhz"] = "the frequency files can't be read";
  }
}

std::optional<std::int64_t> ProcessReader::resident_peak_bytes() const {
  const auto status = root_.read("/proc/self/status");
  const auto value = status ? find_value(*status, "VmHWM", ':') : std::nullopt;  // "1604 kB"
  const auto kib = value ? parse_integer(value->substr(0, value->find(' '))) : std::nullopt;
  if (!kib) return std::nullopt;
  return *kib * 1024;
}

bool ProcessReader::reset_resident_peak() const {
  std::ofstream file(root_.path("/proc/self/clear_refs"));  // "5": proc(5)
  file << "5" << std::flush;
  return static_cast<bool>(file);
}

}  // namespace feedtune
