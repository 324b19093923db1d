#include "measure/phase_recorder.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

#include "measure/statistics.hpp"

namespace feedtune {
namespace {

constexpr std::uint64_t seed = 0x9e3779b97f4a7c15;

/// splitmix64 (Steele, Lea and Flood 2014): a few cycles, no table.
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

int phase_bucket(Nanoseconds duration) {
  const double us = static_cast<double>(duration.count()) * 1e-3;
  return us <= 1 ? 0 : static_cast<int>(std::floor(8 * std::log2(us)));
}

PhaseRecorder::PhaseRecorder(std::size_t capacity) : capacity_(std::max<std::size_t>(capacity, 1)) {
  kept_.resize(capacity_);  // touches the pages now, not while measuring
  clear();
}

void PhaseRecorder::clear() {
  kept_.clear();
  count_ = total_ = longest_ = 0;
  random_ = seed;
  buckets_.fill(0);
}

void PhaseRecorder::record(Nanoseconds duration) {
  const std::int64_t ns = std::max<std::int64_t>(duration.count(), 0);
  ++count_;
  total_ += ns;
  longest_ = std::max(longest_, ns);
  ++buckets_[static_cast<std::size_t>(std::min(phase_bucket(Nanoseconds{ns}), bucket_count - 1))];
  if (kept_.size() < capacity_) {
    kept_.push_back(ns);
  } else {
    const std::uint64_t place = next_random(random_) % static_cast<std::uint64_t>(count_);
    if (place < capacity_) kept_[static_cast<std::size_t>(place)] = ns;
  }
}

PhaseSummary PhaseRecorder::summary() const {
  PhaseSummary summary;
  if (count_ == 0) return summary;
  std::vector<double> sorted_ms;
  sorted_ms.reserve(kept_.size());
  for (const std::int64_t ns : kept_) sorted_ms.push_back(static_cast<double>(ns) * 1e-6);
  std::sort(sorted_ms.begin(), sorted_ms.end());
  summary.count = count_;
  summary.mean = static_cast<double>(total_) * 1e-6 / static_cast<double>(count_);
  summary.p50 = sorted_quantile(sorted_ms, 0.50);
  summary.p95 = sorted_quantile(sorted_ms, 0.95);
  summary.p99 = sorted_quantile(sorted_ms, 0.99);
  summary.max = static_cast<double>(longest_) * 1e-6;
  for (int bucket = 0; bucket < bucket_count; ++bucket) {
    const std::int64_t in_bucket = buckets_[static_cast<std::size_t>(bucket)];
    if (in_bucket > 0) summary.histogram.emplace_back(bucket, in_bucket);
  }
  return summary;
}

PhaseRecorders::PhaseRecorders(std::vector<std::string> names, std::size_t capacity) : names_(std::move(names)) {
  recorders_.reserve(names_.size());
  // Each in place: a copy of an empty vector does not copy its capacity.
  for (std::size_t i = 0; i < names_.size(); ++i) recorders_.emplace_back(capacity);
}

PhaseRecorders::PhaseRecorders(std::size_t capacity)
    : PhaseRecorders(std::vector<std::string>(std::begin(phase_names), std::end(phase_names)), capacity) {}

PhaseRecorder& PhaseRecorders::at(const std::string& name) {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) throw std::out_of_range("no phase named " + name);
  return recorders_[static_cast<std::size_t>(found - names_.begin())];
}

void PhaseRecorders::clear() {
  for (auto& recorder : recorders_) recorder.clear();
}

PhaseSummaries PhaseRecorders::summaries() const {
  PhaseSummaries summaries;
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (recorders_[i].count() > 0) summaries[names_[i]] = recorders_[i].summary();
  return summaries;
}

}  // namespace feedtune
