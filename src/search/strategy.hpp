#pragma once
// A strategy proposes blocks of trials and is told what came of them. It is a function of its seed and of what it was
// told: it reads no clock, no file and no environment. One file in strategies/ each.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/configuration.hpp"
#include "core/spec.hpp"
#include "core/trial.hpp"
#include "space/axis.hpp"

namespace feedtune {

/// One trial to run. The sweep adds the set-up, the id and the deadline.
struct TrialPlan {
  Configuration configuration;
  Purpose purpose = Purpose::trial;
  int block = 0;
  TrialTarget target;
};

/// Of a budget, what the sweep keeps for confirmation; a strategy has the rest, less the components' cost.
inline constexpr double confirm_share = 0.35;

/// What a strategy may know before it starts.
struct SearchProblem {
  std::vector<Configuration> space;  ///< every valid configuration, in the space's order
  Configuration reference;           ///< repeated through the sweep to see drift
  Budget budget;
  TrialTarget target;
  std::uint64_t seed = 1;
  SpaceContext context{};  ///< the machine, the device and the data
  int image_size = 224;    ///< side of the step's input, pixels
  /// Usable cores with hyper-threads counted once; absent: not known.
  std::optional<double> physical_cores{};
  /// What the loader, the copies and the step did alone (purposes loader_only, copy_only, step_only), in the order of
  /// measurement, failed ones among them; empty where nothing was measured.
  std::vector<TrialResult> components{};
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  /// The next block, in the order of measurement; empty: nothing more to explore. Its block number is higher than any
  /// before; a configuration comes twice in a block only if it is the reference.
  virtual std::vector<TrialPlan> ask() = 0;
  /// Results of the block asked for last, in order; possibly fewer when the budget ended.
  virtual void tell(std::span<const TrialResult> results) = 0;
};

struct StrategyEntry {
  std::string name;
  std::string summary;
  std::function<std::unique_ptr<Strategy>(SearchProblem)> make;
  bool measures_all = false;  ///< goes on until the space or the budget ends: how many trials that takes is known before
};

/// Every strategy, from the files in strategies/ (generated table, alphabetical).
std::vector<StrategyEntry> all_strategies();
/// Throws SpecError("strategy", ...) with the nearest and all known names.
StrategyEntry strategy_named(const std::string& name);

}  // namespace feedtune
