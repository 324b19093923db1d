#pragma once
// Configurations with a part to play in the answer whatever their speed: feedtune's baseline, the user's own settings,
// and what PyTorch's DataLoader can be set to.

#include <optional>
#include <vector>

#include "core/run.hpp"

namespace feedtune {

/// Loader batch_per_worker (or a user's own, external) with float32 and, unless external, the whole-image decoder.
bool pytorch_can(const Configuration& configuration);

/// feedtune's baseline, at one batch size: has the axes loader and num_workers, with batch_per_worker, 0 workers, pageable, turbo_full, float32, blocking, sync
/// none. Other axes that a configuration lacks have collapsed and don't count; the rest are free.
bool is_baseline(const Configuration& configuration, int batch_size);

/// Matches what the user gave as current: each given axis has that value or has collapsed.
bool matches_current(const Configuration& configuration, const Configuration& current);

/// The baseline's configuration: spec.baseline where it is given; else the one among the run's trials (of any status; the nearest to the defaults), else
/// built from a trial's configuration at that batch. Absent where the run has no trial to build from, or is of a user's
/// own loader.
std::optional<Configuration> find_baseline(const Run& run, int batch_size);

/// The current configuration as the run measured it (of any status; the one nearest to the defaults where several
/// match), else spec.current as given; at `batch_size` where the user gave none. Absent without spec.current.
std::optional<Configuration> find_current(const Run& run, int batch_size);

}  // namespace feedtune
