#pragma once
// "Is the loader worth fixing?": what each part alone can give.

#include <optional>
#include <string>

#include "core/run.hpp"

namespace feedtune {

/// The table of ceilings, and what they say of the loader; `measured` (the recommended configuration's images/s) is set
/// against the lowest. Empty where no part was measured alone.
std::string ceilings_table(const Ceilings& ceilings, const std::optional<Interval>& measured);

/// The same before a sweep, from a run that has only its component trials: at the batch size in use today where it was
/// given, else at the one that the step is fastest at.
std::string ceilings_text(const Run& run);

}  // namespace feedtune
