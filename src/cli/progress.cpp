#include "cli/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <string_view>

#include "core/enums.hpp"
#include "report/ceilings_text.hpp"
#include "report/format.hpp"

namespace feedtune {
namespace {

constexpr std::chrono::milliseconds redraw_every{100};

/// The axes that tell trials of one kind apart.
std::vector<std::string> telling_axes(Purpose purpose) {
  switch (purpose) {
    case Purpose::loader_only: return {"loader", "num_workers", "decoder"};
    case Purpose::copy_only: return {"batch_size", "host_memory", "input_type"};
    case Purpose::step_only: return {"batch_size", "precision"};
    case Purpose::trial: break;
  }
  return {"batch_size", "num_workers", "loader", "host_memory"};
}

/// The axes that mean anything for a part alone (sweep/components); of a whole trial all do.
bool concerns(Purpose purpose, const std::string& axis) {
  static const std::map<Purpose, std::set<std::string>> of_part = {
      {Purpose::loader_only, {"loader", "num_workers", "decoder", "input_type", "resize", "storage"}},
      {Purpose::copy_only, {"batch_size", "host_memory", "pinning", "input_type"}},
      {Purpose::step_only, {"batch_size", "precision", "model_threads"}}};
  const auto found = of_part.find(purpose);
  return found == of_part.end() || found->second.contains(axis);
}

std::string what(const Configuration& configuration, Purpose purpose, std::vector<std::string> swept) {
  std::erase_if(swept, [&](const std::string& axis) { return !concerns(purpose, axis); });
  const std::string settings = settings_text(configuration, joined_axes(telling_axes(purpose), swept));
  return purpose == Purpose::trial ? settings : fmt::format("{}: {}", to_text(purpose), settings);
}

std::string count(const SweepStatus& status) {
  return status.planned ? fmt::format("{} {}/{}", status.stage, status.done, *status.planned)
                        : fmt::format("{} {}", status.stage, status.done);
}

std::string left(const SweepStatus& status) {
  if (status.budget.seconds) return fmt::format(", {:.0f} of {:.0f} s", status.spent_s, *status.budget.seconds);
  if (status.budget.trials) return fmt::format(", {} of {} trials", status.trials, *status.budget.trials);
  return fmt::format(", {:.0f} s", status.spent_s);
}

}  // namespace

Progress::Progress(bool live, int columns) : live_(live), columns_(columns) {}

Progress::~Progress() { clear_live(); }

void Progress::clear_live() {
  if (!shown_) return;
  std::cerr << "\r\033[K" << std::flush;
  shown_ = false;
}

void Progress::line(const std::string& text) {
  clear_live();
  std::cerr << text << '\n' << std::flush;
}

void Progress::live_line(const std::string& text) {
  const std::size_t width = columns_ > 1 ? static_cast<std::size_t>(columns_ - 1) : 79;
  std::cerr << '\r' << text.substr(0, width) << "\033[K" << std::flush;
  shown_ = true;
}

void Progress::stage_started(const SweepStatus& status, const Run& so_far) {
  swept_ = swept_axes(so_far.spec);
  if (status.stage == "explore") {
    const std::string ceilings = ceilings_text(so_far);
    if (!ceilings.empty()) line('\n' + ceilings);
  }
  line(fmt::format("{}{}", status.stage, status.planned ? ": " + counted(*status.planned, "trial") : ""));
}

void Progress::trial_started(const TrialRequest& request, const SweepStatus& status) {
  if (!live_) return;
  live_line(fmt::format("[{}{}] {}: starting", count(status), left(status), what(request.configuration, request.purpose, swept_)));
  last_redraw_ = std::chrono::steady_clock::now();
}

void Progress::trial_progress(const TrialRequest& request, const TrialProgress& progress, const SweepStatus& status) {
  if (!live_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_redraw_ < redraw_every) return;
  last_redraw_ = now;
  live_line(fmt::format("[{}{}] {}: {} {} images/s{}", count(status), left(status), what(request.configuration, request.purpose, swept_),
                        progress.phase, rate_text(progress.images_per_s),
                        best_ > 0 ? fmt::format("; best so far {}", rate_text(best_)) : ""));
}

void Progress::trial_finished(const TrialResult& result, const SweepStatus& status) {
  std::string text;
  if (result.status == TrialStatus::ok && result.images_per_s) {
    if (result.purpose == Purpose::trial && result.stage != "anchor") best_ = std::max(best_, result.images_per_s->mean);
    text = fmt::format("{} images/s", rate_text(*result.images_per_s));
  } else {
    text = fmt::format("{}: {}", to_text(result.status), single_line(result.reason));
  }
  line(fmt::format("[{}{}] {}: {}", count(status), left(status), what(result.configuration, result.purpose, swept_), text));
}

void Progress::noted(const RunNote& note) { line(fmt::format("note ({}): {}", note.kind, single_line(note.text))); }

Progress make_progress() {
  const char* term = std::getenv("TERM");
  const bool live = ::isatty(STDERR_FILENO) == 1 && term != nullptr && std::string_view(term) != "dumb";
  winsize size{};
  const int columns = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
  return {live, columns};
}

}  // namespace feedtune
