#include "cli/gpu_check_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <functional>
#include <map>
#include <sstream>

#include "core/counted.hpp"
#include "core/error.hpp"
#include "core/read_file.hpp"
#include "core/single_line.hpp"
#include "core/split.hpp"
#include "json/outcomes.hpp"
#include "store/run_folder.hpp"

namespace feedtune {
namespace {

namespace fs = std::filesystem;

void add_fault(std::string& faults, const std::string& fault) { faults.append(faults.empty() ? "" : "; ").append(fault); }

std::optional<double> number(const BenchmarkOutcome& outcome, const char* name) {
  const auto found = outcome.numbers.find(name);
  return found == outcome.numbers.end() ? std::nullopt : std::optional(found->second);
}

/// Of an address as nvidia-smi writes it, "00000000:65:00.0", whether it is the tested device's, "0000:65:00.0".
std::string tested(const std::map<std::string, std::string>& gpu, const DeviceFacts& device) {
  const auto found = gpu.find("pci.bus_id");
  if (found == gpu.end() || !device.pci_address) return "unknown";
  std::string address = found->second;
  std::transform(address.begin(), address.end(), address.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return address.ends_with(*device.pci_address) ? "yes" : "no";
}

/// nvidia-smi --format=csv: a line of fields, then a line a GPU.
std::string take_environment(const std::string& path, GpuCheck& check) {
  std::istringstream lines(read_file(path));
  std::string header, line;
  std::getline(lines, header);
  const auto names = split(header, ", ");
  while (std::getline(lines, line)) {
    const auto values = split(line, ", ");
    auto& gpu = check.nvidia_smi.emplace_back();
    for (std::size_t k = 0; k < std::min(names.size(), values.size()); ++k) gpu[single_line(names[k])] = single_line(values[k]);
    gpu["tested"] = tested(gpu, check.device);
  }
  return check.nvidia_smi.empty() ? "nvidia-smi listed no GPU" : "";
}

/// GoogleTest writes its file at its end; what it has printed of each test until then is "[       OK ] Suite.Test (3 ms)".
std::vector<TestOutcome> printed_tests(const std::string& log) {
  const std::pair<const char*, TestOutcome::Result> marks[] = {
      {"[       OK ] ", TestOutcome::Result::passed}, {"[  FAILED  ] ", TestOutcome::Result::failed}, {"[  SKIPPED ] ", TestOutcome::Result::skipped}};
  std::vector<TestOutcome> tests;
  std::istringstream lines(read_file(log));
  for (std::string line; std::getline(lines, line) && (tests.empty() || !line.starts_with("[==========] "));)
    for (const auto& [mark, result] : marks)
      if (line.starts_with(mark)) {
        const std::string rest = line.substr(std::string_view(mark).size());
        const std::size_t end = rest.find(" (");
        tests.push_back({single_line(rest.substr(0, std::min(end, rest.find(", where")))), result, {}});
      }
  return tests;
}

std::string take_tests(const std::string& path, std::optional<TestCounts>& counts) {
  std::vector<TestOutcome> tests;
  std::string faults;
  try {
    tests = read_test_outcomes(read_file(path), path);
  } catch (const Error& error) {
    tests = printed_tests(fs::path(path).replace_extension(".log").string());
    if (tests.empty()) throw;
    add_fault(faults, fmt::format("it did not get to its end: {} in its log", counted(std::ssize(tests), "test")));
  }
  counts.emplace();
  for (const auto& test : tests) {
    switch (test.result) {
      case TestOutcome::Result::passed: ++counts->passed; break;
      case TestOutcome::Result::failed: counts->failed.push_back(test.name); break;
      case TestOutcome::Result::skipped: counts->skipped.push_back(test.name); break;
    }
  }
  for (const auto& name : counts->failed) add_fault(faults, name + " failed");
  return faults.empty() && counts->passed == 0 ? "no test ran" : faults;
}

std::string take_memcheck(const std::string& path, GpuCheck& check) {
  std::string faults = take_tests(path, check.memcheck);
  // Without this line the tests ran, but not under its eyes.
  if (read_file(fs::path(path).replace_extension(".log").string()).find("ERROR SUMMARY: 0 errors") == std::string::npos)
    add_fault(faults, "compute-sanitizer did not end with 0 errors");
  return faults;
}

/// The files of a part whose items ran in processes of their own: NAME.json, NAME.ITEM.json. One that was cut off is a fault, and the
/// others count.
template <class Read>
auto read_items(const std::string& path, const Read& read, std::string& faults) {
  std::vector<std::string> files;
  const std::string stem = fs::path(path).stem().string() + ".";
  for (const auto& entry : fs::directory_iterator(fs::path(path).parent_path()))
    if (entry.path().extension() == ".json" && entry.path().filename().string().starts_with(stem)) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  decltype(read(std::string(), std::string())) outcomes;
  for (const std::string& file : files) {
    try {
      const auto more = read(read_file(file), file);
      outcomes.insert(outcomes.end(), more.begin(), more.end());
    } catch (const Error&) {
      add_fault(faults, fs::path(file).stem().string().substr(stem.size()) + " did not get to its end");
    }
  }
  return outcomes;
}

std::string take_gradients(const std::string& path, GpuCheck& check) {
  std::string faults;
  for (const auto& test : read_items(path, read_test_outcomes, faults)) {
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
  for (const auto& outcome : read_items(path, read_benchmark_outcomes, faults)) {
    const auto words = split(outcome.name, "/");
    if (words.size() < 3) continue;
    copy_rate(check, std::string(words[1]), std::stoll(std::string(words[2]))).gb_per_s = number(outcome, "GB/s");
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
  for (const auto& outcome : read_items(path, read_benchmark_outcomes, faults)) {
    const auto words = split(outcome.name, "/");
    if (words.size() < 2) continue;
    const GemmRate rate{std::string(words[1]), number(outcome, "TFLOP/s"), number(outcome, "peak_TFLOP/s"), number(outcome, "share_of_peak")};
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

/// "step_memory/mixer-s16/fp16/128/iterations:1/real_time"
std::string take_memory_law(const std::string& path, GpuCheck& check) {
  // Weights, gradients and momenta don't grow with the batch; everything else does.
  constexpr double least = 1.8, most = 2.0;
  // A pool takes memory in blocks of some MiB, and kernels are loaded into it; other programs must not run meanwhile.
  constexpr double driver_share = 0.05, driver_fixed = 256e6;
  std::string faults;
  MemoryLaw law;
  for (const auto& outcome : read_items(path, read_benchmark_outcomes, faults)) {
    if (!outcome.error.empty()) {
      add_fault(faults, outcome.error);
      continue;
    }
    const auto words = split(outcome.name, "/");
    const auto bytes = number(outcome, "bytes"), by_driver = number(outcome, "driver_bytes");
    if (words.size() < 4 || !bytes) continue;
    const bool small = words[3] == "128";
    (small ? law.bytes_at_128 : law.bytes_at_256) = *bytes;
    (small ? law.driver_bytes_at_128 : law.driver_bytes_at_256) = by_driver;
    if (by_driver && (*by_driver < (1 - driver_share) * *bytes || *by_driver > (1 + driver_share) * *bytes + driver_fixed))
      add_fault(faults, fmt::format("batch {}: the driver says that {:.0f} bytes are gone, we took {:.0f} (does another program use the GPU?)", words[3], *by_driver, *bytes));
  }
  if (law.bytes_at_128 <= 0 || law.bytes_at_256 <= 0) {
    add_fault(faults, "memory was not measured at both batch sizes");
    return faults;
  }
  law.ratio = law.bytes_at_256 / law.bytes_at_128;
  check.memory_law = law;
  if (law.ratio < least || law.ratio > most) add_fault(faults, fmt::format("memory grows {:.3f}-fold from batch 128 to 256, not {} to {}", law.ratio, least, most));
  return faults;
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
  // The recommended may hardly use the link, which then rests.
  for (const auto& trial : run.trials) {
    if (!trial.gpu || !sweep.gpu) continue;
    sweep.gpu->pcie_generation = std::max(sweep.gpu->pcie_generation, trial.gpu->pcie_generation);
    sweep.gpu->pcie_width = std::max(sweep.gpu->pcie_width, trial.gpu->pcie_width);
  }
  return failed == 0 ? "" : fmt::format("{} of {} trials failed", failed, sweep.trials);
}

}  // namespace

std::string take_figures(const std::string& folder, const std::string& name, GpuCheck& check) {
  struct Source {
    std::string file;
    std::function<std::string(const std::string& path, GpuCheck& check)> take;
  };
  const std::map<std::string, Source> sources = {
      {"environment", {"environment.csv", take_environment}},
      {"tests", {"tests.json", [](const std::string& file, GpuCheck& to) { return take_tests(file, to.tests); }}},
      {"memcheck", {"memcheck.json", take_memcheck}},
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
