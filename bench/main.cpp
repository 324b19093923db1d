// feedtune-bench: the micro-benchmarks with Google Benchmark's usual flags (--benchmark_filter=decode, ...); with --device D those of
// a device.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string_view>
#include <thread>

#include "benchmarks.hpp"
#include "cli/commands.hpp"
#include "cli/devices.hpp"
#include "cli/exit_codes.hpp"
#include "core/error.hpp"
#include "device/make_device.hpp"
#include "fma_peak.hpp"
#include "machine/cpu_limit.hpp"

namespace {

using namespace feedtune;

/// Takes `--device D` or `--device=D` out of the arguments.
std::optional<std::string> take_device(int& argc, char** argv) {
  constexpr std::string_view flag = "--device";
  for (int k = 1; k < argc; ++k) {
    const std::string_view word = argv[k];
    if (word != flag && !word.starts_with("--device=")) continue;
    const bool apart = word == flag;
    if (apart ? k + 1 == argc : word.size() == flag.size() + 1) throw UsageError("--device needs a name (see `feedtune devices`)");
    const std::string name(apart ? std::string_view(argv[k + 1]) : word.substr(flag.size() + 1));
    const int used = apart ? 2 : 1;
    std::move(argv + k + used, argv + argc + 1, argv + k);  // with the null at the end
    argc -= used;
    return name;
  }
  return std::nullopt;
}

BenchDevice open_device(const std::string& name) {
  if (name == "null") throw UsageError("--device null takes no time: there is nothing to measure");
  const int threads = std::max(1, static_cast<int>(cpu_limit().effective));
  std::string note;
  const ChosenDevice chosen = choose_device(name, threads, note);
  if (!note.empty()) std::cerr << note << '\n';
  TrialSetup setup;
  setup.device = chosen.name;
  setup.profile = chosen.profile;
  setup.step.model_threads = threads;
  BenchDevice opened{make_device(setup, std::make_shared<SteadyClock>()), peak_tflops_of(chosen), 0};
  opened.available_bytes = opened.device->memory().available_bytes();
  if (chosen.name == "cpu") opened.peak_tflops["fp32"] = fma_peak_flops(threads) * 1e-12;
  benchmark::AddCustomContext("device", chosen.facts.title);
  if (chosen.facts.modelled) benchmark::AddCustomContext("modelled", "its times are computed from a profile, not measured");
  return opened;
}

void bench_device(const BenchDevice& on) {
  register_copies(on);
  register_channel_gemm(on);
  const auto& precisions = on.device->facts().precisions;
  if (std::find(precisions.begin(), precisions.end(), "fp16") != precisions.end()) register_step_memory(on);
  benchmark::RunSpecifiedBenchmarks();
}

void bench_host() {
  namespace fs = std::filesystem;
  const struct Scratch {
    fs::path path = fs::temp_directory_path() / fmt::format("feedtune-bench-{}", ::getpid());
    ~Scratch() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
  } scratch;
  fs::create_directories(scratch.path);
  const auto images = sample_images((scratch.path / "images").string());
  register_decode(images);
  register_transform();
  register_collate();
  register_memory({.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()))});
  register_memory_latency(std::size_t{256} << 20);
  register_gemm();
  register_queue();
  register_journal((scratch.path / "run").string());
  benchmark::RunSpecifiedBenchmarks();
}

int run(int argc, char** argv) {
  // choose_device() asks for cuda in a child of this program's path, as `feedtune` does.
  if (argc == 2 && std::string_view(argv[1]) == "__cuda") return run_command(CudaProbeArguments{});
  const auto device = take_device(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return exit_code::usage;
  if (device)
    bench_device(open_device(*device));
  else
    bench_host();
  benchmark::Shutdown();
  return exit_code::ok;
}

}  // namespace

int main(int argc, char** argv) {
  const auto fail = [](const std::exception& error, int code) {
    std::cerr << "feedtune-bench: " << error.what() << '\n';
    return code;
  };
  try {
    return run(argc, argv);
  } catch (const UsageError& error) {
    return fail(error, exit_code::usage);
  } catch (const InputError& error) {
    return fail(error, exit_code::bad_input);
  } catch (const DeviceUnavailableError& error) {
    return fail(error, exit_code::device_unavailable);
  } catch (const std::exception& error) {
    return fail(error, exit_code::io);  // as `feedtune` has it
  }
}
