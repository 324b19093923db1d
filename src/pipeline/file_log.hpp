#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/trial.hpp"
#include "measure/clock.hpp"

namespace feedtune {

/// Files that failed, were damaged, or took longest. Shared by all workers of a trial; safe from many threads. An image
/// that is none of these costs one relaxed load.
class FileLog {
 public:
  static constexpr std::size_t most_bad = 20;
  static constexpr std::size_t most_slow = 5;

  void failed(std::string_view name, std::string_view reason, Nanoseconds total);
  void damaged(std::string_view name, std::string_view reason, Nanoseconds total);
  /// Every image that was decoded.
  void took(std::string_view name, Nanoseconds total) {
    if (total.count() > slow_enough_.load(std::memory_order_relaxed)) keep_slow(name, total);
  }

  /// Failed and damaged files, the first 20 of them and each once, then the slowest 5 with the slowest first.
  std::vector<FileNote> notes() const;
  /// Events since the start or the last clear(), a file that fails in each epoch counted each time.
  ImageCounts counts() const;
  /// Different files that failed since then, counted up to 20.
  std::int64_t failed_files() const;
  /// Forgets everything: the end of warm-up.
  void clear();

 private:
  void keep_bad(std::string_view kind, std::string_view name, std::string_view reason, Nanoseconds total);
  void keep_slow(std::string_view name, Nanoseconds total);

  mutable std::mutex mutex_;
  std::vector<FileNote> bad_;
  std::vector<FileNote> slow_;  ///< slowest first
  std::set<std::string, std::less<>> failed_names_;  ///< at most 20; apart from bad_, which damaged files may fill
  std::atomic<std::int64_t> slow_enough_{-1};  ///< nanoseconds that a file must exceed to be among the slowest
  std::atomic<std::int64_t> failed_{0};
  std::atomic<std::int64_t> damaged_{0};
};

}  // namespace feedtune
