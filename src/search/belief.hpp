#pragma once
// What is believed of every configuration of a space after some trials: the predictor, what it does not know, and who fails.

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "predict/gaussian_process.hpp"
#include "predict/memory_law.hpp"
#include "predict/pipeline_predictor.hpp"
#include "search/coordinates.hpp"
#include "search/memory_dominance.hpp"
#include "search/strategy.hpp"

namespace feedtune {

/// Log images/s of some configurations together: rows of draws from their joint belief.
struct Draws {
  std::vector<std::size_t> members;            ///< indices into the space
  std::vector<std::vector<double>> values;     ///< each as long as `members`
};

class Belief {
 public:
  /// Only results of `space` may be told. `problem.space` is not used.
  Belief(std::vector<Configuration> space, const SearchProblem& problem);

  void tell(std::span<const TrialResult> results);
  /// Fits everything to what has been told; O(n^3) in the trials that worked.
  void update();

  const std::vector<Configuration>& space() const { return space_; }
  const Coordinates& coordinates() const { return coordinates_; }
  /// Log images/s without the machine's drift. Before the first trial that worked: all alike, or what the components say.
  double mean(std::size_t i) const { return beliefs_[i].mean; }
  double sd(std::size_t i) const { return beliefs_[i].sd; }
  /// Trials that worked.
  int measured(std::size_t i) const { return measured_[i]; }
  /// May be asked for: not failed for good, not known or planned to run out of memory, nor to leave less than a tenth of it.
  bool allowed(std::size_t i) const { return allowed_[i]; }
  /// Chance that a trial fails, from those nearby.
  double failure_odds(std::size_t i) const { return failure_odds_[i]; }
  /// Seconds that a trial takes: until it has seen enough images, and as much more as those nearby took;
  /// what isn't allowed fails soon.
  double cost_s(std::size_t i) const { return costs_[i]; }

  Draws draw(std::vector<std::size_t> members, int count, std::mt19937_64& random) const;

 private:
  struct Told {
    std::size_t index;
    bool worked;
    double cost_s;
  };
  void judge_allowed();
  double planned_cost_s(std::size_t i) const;
  void weigh_neighbours();
  void fit_values();

  std::vector<Configuration> space_;
  Coordinates coordinates_;
  SpaceContext context_;
  double target_s_;
  PipelinePredictor predictor_;
  GaussianProcess with_predictor_, alone_;
  MemoryDominance dominance_;
  MemoryLaw memory_law_;
  std::vector<TrialResult> worked_;
  std::vector<GpObservation> observations_;  ///< value: log images/s
  std::vector<Told> told_;
  std::vector<int> measured_, unsettled_;
  std::vector<bool> failed_, allowed_;
  std::vector<double> failure_odds_, costs_, expected_;
  std::vector<GaussianProcess::Belief> beliefs_;
  bool predicted_ = false;
};

}  // namespace feedtune
