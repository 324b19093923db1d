#include "pipeline/file_log.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace feedtune {
namespace {

auto named(std::vector<FileNote>& notes, std::string_view name) {
  return std::find_if(notes.begin(), notes.end(), [name](const FileNote& note) { return note.path == name; });
}

}  // namespace

void FileLog::failed(std::string_view name, std::string_view reason, Nanoseconds total) {
  failed_.fetch_add(1, std::memory_order_relaxed);
  keep_bad("failed", name, reason, total);
  const std::lock_guard lock(mutex_);
  if (failed_names_.size() < most_bad && !failed_names_.contains(name)) failed_names_.emplace(name);
}

void FileLog::damaged(std::string_view name, std::string_view reason, Nanoseconds total) {
  damaged_.fetch_add(1, std::memory_order_relaxed);
  keep_bad("damaged", name, reason, total);
}

void FileLog::keep_bad(std::string_view kind, std::string_view name, std::string_view reason, Nanoseconds total) {
  const std::lock_guard lock(mutex_);
  if (bad_.size() >= most_bad || named(bad_, name) != bad_.end()) return;
  bad_.push_back({std::string(name), fmt::format("{}: {}", kind, reason), to_ms(total)});
}

void FileLog::keep_slow(std::string_view name, Nanoseconds total) {
  const std::lock_guard lock(mutex_);
  const double ms = to_ms(total);
  if (const auto known = named(slow_, name); known != slow_.end()) {
    if (known->ms >= ms) return;
    slow_.erase(known);
  } else if (slow_.size() >= most_slow) {
    if (slow_.back().ms >= ms) return;  // another thread was faster
    slow_.pop_back();
  }
  const auto place = std::find_if(slow_.begin(), slow_.end(), [ms](const FileNote& note) { return note.ms < ms; });
  slow_.insert(place, {std::string(name), "slow", ms});
  if (slow_.size() == most_slow)
    slow_enough_.store(static_cast<std::int64_t>(slow_.back().ms * 1e6), std::memory_order_relaxed);
}

std::vector<FileNote> FileLog::notes() const {
  const std::lock_guard lock(mutex_);
  std::vector<FileNote> notes = bad_;
  notes.insert(notes.end(), slow_.begin(), slow_.end());
  return notes;
}

ImageCounts FileLog::counts() const {
  ImageCounts counts;
  counts.failed = failed_.load(std::memory_order_relaxed);
  counts.damaged = damaged_.load(std::memory_order_relaxed);
  return counts;
}

std::int64_t FileLog::failed_files() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::int64_t>(failed_names_.size());
}

void FileLog::clear() {
  const std::lock_guard lock(mutex_);
  bad_.clear();
  failed_names_.clear();
  slow_.clear();
  slow_enough_.store(-1, std::memory_order_relaxed);
  failed_.store(0, std::memory_order_relaxed);
  damaged_.store(0, std::memory_order_relaxed);
}

}  // namespace feedtune
