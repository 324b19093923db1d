#include "cli/gpu_check_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <sstream>

#include "core/error.hpp"
#include "core/read_file.hpp"
#include "core/single_line.hpp"
#include "json/check_outputs.hpp"
#include "store/run_folder.hpp"

namespace feedtune {
namespace {

namespace fs = std::filesystem;

void add_fault(std::string& faults, const std::string& fault) { faults.append(faults.empty() ? "" : "; ").append(fault); }

std::vector<std::string> split(const std::string& text, const std::string& by) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(by, begin)) != std::string::npos; begin = end + by.size()) parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

std::optional<double> number(const BenchmarkOutcome& outcome, const char* name) {
  const auto found = outcome.numbers.find(name);
  return found == outcome.numbers.end() ? std::nullopt : std::optional(found->second);
}

/// nvidia-smi --format=csv: a line of fields, then a line a GPU.
std::string take_environment(const std::string& path, GpuCheck& check) {
  std::istringstream lines(read_file(path));
  std::string line;
  std::getline(lines, line);
  const auto names = split(line, ", ");
  while (std::getline(lines, line)) {
    const auto values = split(line, ", ");
    auto& gpu = check.nvidia_smi.emplace_back();
    for (std::size_t k = 0; k < std::min(names.size(), values.size()); ++k) gpu[single_line(names[k])] = single_line(values[k]);
  }
  return check.nvidia_smi.empty() ? "nvidia-smi listed no GPU" : "";
}

std::string take_tests(const std::string& path, std::optional<TestCounts>& counts) {
  counts.emplace();
  for (const auto& test : read_test_outcomes(read_file(path), path)) {
    switch (test.result) {
      case TestOutcome::Result::passed: ++counts->passed; break;
      case TestOutcome::Result::failed: counts->failed.push_back(test.name); break;
      case TestOutcome::Result::skipped: counts->skipped.push_back(test.name); break;
    }
  }
  std::string faults;
  for (const auto& name : counts->failed) add_fault(faults, name + " failed");
  return faults.empty() && counts->passed == 0 ? "no test ran" : faults;
}

std::string take_gradients(const std::string& path, GpuCheck& check) {
  std::string faults;
  for (const auto& test : read_test_outcomes(read_file(path), path)) {
    const auto& recorded = test.properties;
    if (recorded.contains("gradient_error"))
      check.gradients.push_back({recorded.at("precision"), std::stod(recorded.at("gradient_error")), std::stod(recorded.at("tolerance"))});
    if (test.result == TestOutcome::Result::failed) add_fault(faults, test.name + " failed");
  }
  return faults.empty() && check.gradients.empty() ? "no gradient was compared" : faults;
}

CopyRate& copy_rate(GpuCheck& check, const std::string& host_memory, std::int64_t mebibytes) {
  const std::int64_t bytes = mebibytes << 20;
  for (CopyRate& rate : check.copies)
    if (rate.host_memory == host_memory && rate.bytes == bytes) return rate;
  return check.copies.emplace_back(CopyRate{host_memory, bytes, std::nullopt, std::nullopt});
}

/// "copy/pinned/16MiB/manual_time"
std::string take_copies(const std::string& path, GpuCheck& check) {
  std::string faults;
  for (const auto& outcome : read_benchmark_outcomes(read_file(path), path)) {
    const auto words = split(outcome.name, "/");
    if (words.size() < 3) continue;
    copy_rate(check, words[1], std::stoll(words[2])).gb_per_s = number(outcome, "GB/s");
    if (outcome.error.empty()) continue;
    check.unknown[fmt::format("copies.{}.{}.gb_per_s", words[1], words[2])] = outcome.error;
    add_fault(faults, fmt::format("{} {}: {}", words[1], words[2], outcome.error));
  }
  return faults.empty() && check.copies.empty() ? "no copy was measured" : faults;
}

/// Lines of "pinned 16 23.4": host memory, MiB, GB/s.
std::string take_nvidia_copies(const std::string& path, GpuCheck& check) {
  std::istringstream lines(read_file(path));
  std::string host_memory;
  std::int64_t mebibytes = 0;
  double rate = 0;
  bool any = false;
  for (; lines >> host_memory >> mebibytes >> rate; any = true) copy_rate(check, host_memory, mebibytes).nvidia_gb_per_s = rate;
  return any ? "" : "its tool gave no rate";
}

/// "channel_gemm/fp16/manual_time"
std::string take_gemm(const std::string& path, GpuCheck& check) {
  std::string faults;
  for (const auto& outcome : read_benchmark_outcomes(read_file(path), path)) {
    const auto words = split(outcome.name, "/");
    if (words.size() < 2) continue;
    const GemmRate rate{words[1], number(outcome, "TFLOP/s"), number(outcome, "peak_TFLOP/s"), number(outcome, "share_of_peak")};
    if (!outcome.error.empty()) {
      check.unknown["gemm." + rate.precision + ".tflops"] = outcome.error;
      add_fault(faults, rate.precision + ": " + outcome.error);
    } else if (!rate.peak_tflops) {
      check.unknown["gemm." + rate.precision + ".share_of_peak"] = "no profile of configs/devices gives this GPU's peak";
    }
    check.gemm.push_back(rate);
  }
  return faults.empty() && check.gemm.empty() ? "no product was measured" : faults;
}

std::string take_memory_law(const std::string& path, GpuCheck& check) {
  // Weights, gradients and momenta don't grow with the batch; everything else does.
  constexpr double least = 1.8, most = 2.0;
  for (const auto& outcome : read_benchmark_outcomes(read_file(path), path)) {
    if (!outcome.error.empty()) return outcome.error;
    const auto small = number(outcome, "bytes_at_128"), large = number(outcome, "bytes_at_256"), ratio = number(outcome, "ratio");
    if (!small || !large || !ratio) continue;
    check.memory_law = MemoryLaw{*small, *large, *ratio};
    if (*ratio < least || *ratio > most) return fmt::format("memory grows {:.3f}-fold from batch 128 to 256, not {} to {}", *ratio, least, most);
    return "";
  }
  return "no memory was measured";
}

std::string take_sweep(const std::string& path, GpuCheck& check) {
  const Run run = load_run(path);
  ShortSweep& sweep = check.sweep.emplace();
  std::int64_t failed = 0;
  for (const auto& trial : run.trials) {
    ++sweep.trials;
    if (trial.status == TrialStatus::ok) ++sweep.trials_ok;
    if (is_failure(trial.status)) ++failed;
  }
  if (!run.recommendation || !run.recommendation->recommended) return "no recommendation";
  sweep.recommended = run.recommendation->recommended->configuration;
  sweep.images_per_s = run.recommendation->recommended->images_per_s;
  sweep.bound_by = run.recommendation->bound_by;
  for (const auto& trial : run.trials) {
    if (trial.status != TrialStatus::ok || trial.purpose != Purpose::trial || trial.configuration != sweep.recommended || !trial.gpu) continue;
    sweep.gpu = trial.gpu;
    for (const auto& [field, reason] : trial.unknown)
      if (field.starts_with("gpu.")) check.unknown["sweep." + field] = reason;
    break;
  }
  return failed == 0 ? "" : fmt::format("{} of {} trials failed", failed, sweep.trials);
}

}  // namespace

std::string take_figures(const std::string& folder, const std::string& name, GpuCheck& check) {
  const auto tests_into = [](std::optional<TestCounts> GpuCheck::*counts) {
    return [counts](const std::string& path, GpuCheck& to) { return take_tests(path, to.*counts); };
  };
  struct Source {
    std::string file;
    std::function<std::string(const std::string& path, GpuCheck& check)> take;
  };
  const std::map<std::string, Source> sources = {
      {"environment", {"environment.csv", take_environment}},
      {"tests", {"tests.json", tests_into(&GpuCheck::tests)}},
      {"memcheck", {"memcheck.json", tests_into(&GpuCheck::memcheck)}},
      {"gradients", {"gradients.json", take_gradients}},
      {"copies", {"copies.json", take_copies}},
      {"nvidia_copies", {"nvidia_copies.txt", take_nvidia_copies}},
      {"gemm", {"gemm.json", take_gemm}},
      {"memory_law", {"memory_law.json", take_memory_law}},
      {"sweep", {"sweep", take_sweep}},
  };
  const auto found = sources.find(name);
  if (found == sources.end()) return "no such part is known";
  try {
    return found->second.take((fs::path(folder) / found->second.file).string(), check);
  } catch (const std::exception& error) {
    return fmt::format("left no figures: {}", single_line(error.what()));
  }
}

}  // namespace feedtune
