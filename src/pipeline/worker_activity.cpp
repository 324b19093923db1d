#include "pipeline/worker_activity.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace feedtune {

const char* to_text(WorkerPhase phase) {
  static constexpr const char* names[] = {"idle", "read", "decode", "transform"};
  return names[static_cast<std::size_t>(phase)];
}

WorkerActivity& ActivityBoard::join(int worker) {
  const std::lock_guard lock(mutex_);
  WorkerActivity& cell = cells_.emplace_back();
  cell.worker = worker;
  return cell;
}

std::vector<ActivityBoard::Line> ActivityBoard::busy(const ImageList& list) const {
  const Nanoseconds now = SteadyClock().now();
  std::vector<Line> lines;
  const std::lock_guard lock(mutex_);
  for (const WorkerActivity& cell : cells_) {
    const WorkerPhase phase = cell.phase.load(std::memory_order_relaxed);
    const std::int64_t image = cell.image.load(std::memory_order_relaxed);
    if (phase == WorkerPhase::idle || image < 0) continue;
    lines.push_back({cell.worker, phase, std::string(list.name(static_cast<std::size_t>(image))),
                     now - Nanoseconds{cell.since.load(std::memory_order_relaxed)}});
  }
  std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.since > b.since; });
  return lines;
}

std::string ActivityBoard::longest(const ImageList& list) const {
  const std::vector<Line> lines = busy(list);
  if (lines.empty()) return "workers idle";
  const Line& line = lines.front();
  return fmt::format("worker {}: {} {} for {:.1f} s", line.worker, to_text(line.phase), line.file, to_s(line.since));
}

}  // namespace feedtune
