#include "hill_climb.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "search/shuffle.hpp"

namespace feedtune {
namespace {

class HillClimb final : public Strategy {
 public:
  explicit HillClimb(SearchProblem problem) : problem_(std::move(problem)), random_(mixed(problem_.seed, 2)), starts_(problem_.space) {
    shuffle(starts_, random_);
    for (const Configuration& c : problem_.space)
      for (const auto& [axis, value] : c.values()) values_[axis].insert(value);
  }

  std::vector<TrialPlan> ask() override {
    for (;;) {
      if (next_.empty()) {
        while (!starts_.empty() && measured_.contains(starts_.back())) starts_.pop_back();
        if (starts_.empty()) return {};
        next_ = {starts_.back()};
        height_ = 0;
      }
      asked_ = next_.back();
      next_.pop_back();
      if (measured_.insert(asked_).second) return {{.configuration = asked_, .purpose = Purpose::trial, .block = ++block_, .target = problem_.target}};
    }
  }

  void tell(std::span<const TrialResult> results) override {
    for (const TrialResult& result : results) {
      if (!result.images_per_s || result.images_per_s->mean <= height_) continue;
      height_ = result.images_per_s->mean;
      next_ = neighbours(asked_);
      shuffle(next_, random_);
    }
  }

 private:
  std::vector<Configuration> neighbours(const Configuration& c) const {
    std::vector<Configuration> near;
    for (const Configuration& other : problem_.space)
      if (is_neighbour(c, other)) near.push_back(other);
    return near;
  }
  /// Axes that one of them lacks have collapsed and come with the one that differs; what its default sets does too.
  bool is_neighbour(const Configuration& a, const Configuration& b) const {
    int different = 0;
    for (const auto& [axis, value] : a.values()) {
      const auto other = b.values().find(axis);
      if (other == b.values().end() || other->second == value || axis == "transfer") continue;
      if (++different > 1 || (std::holds_alternative<std::int64_t>(value) && !adjacent(axis, value, other->second))) return false;
    }
    return different == 1;
  }
  bool adjacent(const std::string& axis, const AxisValue& a, const AxisValue& b) const {
    const std::set<AxisValue>& all = values_.at(axis);
    const auto low = all.find(std::min(a, b));
    return std::next(low) != all.end() && *std::next(low) == std::max(a, b);
  }

  SearchProblem problem_;
  std::mt19937_64 random_;
  std::vector<Configuration> starts_, next_;
  std::map<std::string, std::set<AxisValue>> values_;
  std::set<Configuration> measured_;
  Configuration asked_;
  double height_ = 0;
  int block_ = 0;
};

}  // namespace

StrategyEntry hill_climb() {
  return {"hill_climb", "first improvement among neighbours, with restarts", [](SearchProblem problem) { return std::make_unique<HillClimb>(std::move(problem)); }};
}

}  // namespace feedtune
