#pragma once
#include <string>

#include "sweep/dry_run.hpp"

namespace feedtune {

/// The trials of a dry run with their estimated time and memory, then the totals.
std::string dry_run_text(const Run& header, const DryRun& plan);

}  // namespace feedtune
