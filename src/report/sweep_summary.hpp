#pragma once
// What a sweep shows when it ends, and what --dry-run lists.

#include <string>
#include <vector>

#include "core/run.hpp"
#include "report/table.hpp"

namespace feedtune {

/// One line without a newline: the headline's images/s, settings, gain, what binds, and how sure it is.
std::string sweep_summary_line(const Run& run, const Recommendation& recommendation);

/// The fastest `most` configurations with their images/s (confirmed figures where there are any), the axes in which
/// they differ, and a last line that counts the trials without a result by status. Empty where the run has no trial.
std::string trials_table(const Run& run, std::size_t most, TableStyle style = TableStyle::text);

/// Configurations one a row, by the axes in which they differ; a first line says what they share.
std::string configurations_table(const std::vector<Configuration>& configurations, TableStyle style = TableStyle::text);

}  // namespace feedtune
