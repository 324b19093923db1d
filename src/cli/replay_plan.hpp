#pragma once
// From a recorded grid to a plan: the space is what was recorded, and nothing is looked at on this machine.

#include <string>

#include "core/spec.hpp"
#include "replay/recorded_machine.hpp"
#include "sweep/sweep.hpp"

namespace feedtune {

/// A file named *.csv (recorded_grid.hpp), else a run folder, result.json or journal. Throws InputError with the place of
/// the fault, IoError.
RecordedGrid read_grid(const std::string& path);

/// Of `asked` counts how to search: current, strategy, budget, seed, within. What was measured, and for how long, is the
/// record's. Gains are over feedtune's own baseline where the record has it at every batch size, else over the reference
/// that drift is watched by. `file`: as the user named it. Throws SpecError for a `current` that was not recorded.
SweepPlan make_replay_plan(const Spec& asked, const std::string& file, const RecordedMachine& machine);

}  // namespace feedtune
