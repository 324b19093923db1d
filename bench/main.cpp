// feedtune-bench: the micro-benchmarks with Google Benchmark's usual flags (--benchmark_filter=decode, ...).

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <iostream>

#include "benchmarks.hpp"

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const fs::path scratch = fs::temp_directory_path() / fmt::format("feedtune-bench-{}", ::getpid());
  int code = 0;
  try {
    fs::create_directories(scratch);
    const auto images = feedtune::sample_images((scratch / "images").string());
    feedtune::register_decode(images);
    feedtune::register_transform();
    feedtune::register_collate();
    feedtune::register_memory();
    feedtune::register_gemm();
    feedtune::register_queue();
    feedtune::register_journal((scratch / "run").string());
    benchmark::RunSpecifiedBenchmarks();
  } catch (const std::exception& error) {
    std::cerr << "feedtune-bench: " << error.what() << '\n';
    code = 1;
  }
  benchmark::Shutdown();
  std::error_code ignored;
  fs::remove_all(scratch, ignored);
  return code;
}
