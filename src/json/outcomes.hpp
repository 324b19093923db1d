#pragma once
// What GoogleTest and Google Benchmark write as JSON, as far as scripts/gpu_check.sh needs it.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace feedtune {

struct TestOutcome {
  enum class Result { passed, failed, skipped };
  std::string name;  ///< "Suite.Test"
  Result result = Result::passed;
  std::map<std::string, std::string> properties;  ///< what the test recorded, and GoogleTest's own texts
};

/// --gtest_output=json:FILE. Throws InputError for what is no such document.
std::vector<TestOutcome> read_test_outcomes(std::string_view text, const std::string& where);

struct BenchmarkOutcome {
  std::string name;   ///< as registered, with what Google Benchmark appends
  std::string error;  ///< empty: it ran
  std::map<std::string, double> numbers;  ///< times and counters
};

/// --benchmark_out=FILE --benchmark_out_format=json. Throws InputError for what is no such document.
std::vector<BenchmarkOutcome> read_benchmark_outcomes(std::string_view text, const std::string& where);

}  // namespace feedtune
