#pragma once
// Durations of phases, kept while measuring without allocating.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/phases.hpp"
#include "measure/clock.hpp"

namespace feedtune {

/// Durations of one phase. Mean, maximum, count and histogram are of every duration. Percentiles are exact up to
/// `capacity` durations; beyond, they are of a uniform random sample of that size (reservoir sampling, Vitter 1985;
/// fixed seed). Written by one thread at a time; read when it has stopped.
class PhaseRecorder {
 public:
  explicit PhaseRecorder(std::size_t capacity);
  PhaseRecorder(PhaseRecorder&&) = default;
  PhaseRecorder& operator=(PhaseRecorder&&) = default;

  /// Constant time, no allocation. Negative durations count as 0.
  void record(Nanoseconds duration);
  /// Forgets everything (the warm-up), keeps the memory.
  void clear();

  std::int64_t count() const { return count_; }
  Nanoseconds total() const { return Nanoseconds{total_}; }
  /// In milliseconds. Percentiles interpolate linearly at (n - 1) * share, as numpy.percentile's default.
  PhaseSummary summary() const;

 private:
  static constexpr int bucket_count = 8 * 45;  ///< to 2^45 us, a year

  std::vector<std::int64_t> kept_;
  std::size_t capacity_;
  std::int64_t count_ = 0;
  std::int64_t total_ = 0;
  std::int64_t longest_ = 0;
  std::uint64_t random_ = 0;
  std::array<std::int64_t, bucket_count> buckets_{};
};

/// The histogram bucket of a duration: core/phases.hpp.
int phase_bucket(Nanoseconds duration);

/// One recorder for each of core/phases.hpp's phase_names, or for other names. Different phases may be recorded by
/// different threads at the same time.
class PhaseRecorders {
 public:
  PhaseRecorders(std::vector<std::string> names, std::size_t capacity);
  /// All of phase_names.
  explicit PhaseRecorders(std::size_t capacity);

  /// Throws std::out_of_range for an unknown name: look it up before measuring.
  PhaseRecorder& at(const std::string& name);
  void clear();
  /// Phases that have no duration are left out.
  PhaseSummaries summaries() const;

 private:
  std::vector<std::string> names_;
  std::vector<PhaseRecorder> recorders_;
};

}  // namespace feedtune
