#include "pipeline/make_data.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "pipeline/synthetic_encoder.hpp"
#include "pipeline/synthetic_folder.hpp"
#include "pipeline/synthetic_picture.hpp"
#include "pipeline/synthetic_plan.hpp"

namespace feedtune {
namespace {

void check_options(const MakeDataOptions& options) {
  const auto at_least_one = [](const char* option, int value) {
    if (value < 1) throw InputError(option, fmt::format("got {}, want an integer >= 1", value));
  };
  at_least_one("--images", options.images);
  at_least_one("--classes", options.classes);
  at_least_one("--threads", options.threads);
  if (options.folder.empty()) throw InputError("make-data", "no folder given");
}

SyntheticColour colour_of(SyntheticKind kind) {
  switch (kind) {
    case SyntheticKind::grey: return SyntheticColour::none;
    case SyntheticKind::s444:
    case SyntheticKind::cmyk: return SyntheticColour::full;
    case SyntheticKind::s420:
    case SyntheticKind::s422:
    case SyntheticKind::progressive: break;
  }
  return SyntheticColour::half;
}

/// Draws and writes the files of a plan with several threads, the caller's among them.
class Production {
 public:
  Production(const std::vector<SyntheticPlan>& plans, const SyntheticFolder& folder) : plans_(plans), folder_(folder) {}

  void run(int threads, const MakeDataProgress& progress) {
    std::vector<std::thread> helpers;
    const int helper_count = std::min<int>(threads, static_cast<int>(plans_.size())) - 1;
    try {
      for (int i = 0; i < helper_count; ++i) helpers.emplace_back([this] { work({}); });
    } catch (const std::system_error&) {
      // No more threads to be had: those there are do it too.
    }
    work(progress);
    for (std::thread& helper : helpers) helper.join();
    if (error_) std::rethrow_exception(error_);
    if (progress) progress(done_, static_cast<int>(plans_.size()));
  }

 private:
  void work(const MakeDataProgress& progress) {
    try {
      SyntheticPainter painter;
      SyntheticEncoder encoder;
      for (std::size_t i = next_++; i < plans_.size() && !stop_; i = next_++) {
        const SyntheticPlan& plan = plans_[i];
        const SyntheticPicture& picture =
            painter.paint(plan.seed, plan.width, plan.height, plan.detail, colour_of(plan.kind));
        folder_.write(plan.name, encoder.encode(picture, plan.kind, plan.target_bytes));
        const int done = ++done_;
        if (progress) progress(done, static_cast<int>(plans_.size()));
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      stop_ = true;
    }
  }

  const std::vector<SyntheticPlan>& plans_;
  const SyntheticFolder& folder_;
  std::atomic<std::size_t> next_{0};
  std::atomic<int> done_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

MakeDataSummary make_data(const MakeDataOptions& options, const MakeDataProgress& progress) {
  check_options(options);
  MakeDataSummary summary;
  summary.images = options.images;
  std::vector<SyntheticPlan> plans;
  std::set<std::string> names;
  for (int i = 0; i < options.images; ++i) {
    plans.push_back(synthetic_plan(options.seed, i, options.classes));
    names.insert(plans.back().name);
    ++summary.kinds[to_text(plans.back().kind)];
    summary.mean_pixels += static_cast<double>(plans.back().width) * plans.back().height / options.images;
  }
  SyntheticFolder folder(options, names);
  summary.reused = folder.complete();
  if (!summary.reused) {
    folder.begin();
    Production(plans, folder).run(options.threads, progress);
    folder.finish();
  }
  summary.digest = folder.digest();
  summary.bytes = folder.bytes();
  return summary;
}

}  // namespace feedtune
