#pragma once
// What was measured of a search space on some machine, many runs a configuration: the material of a replay.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/run.hpp"

namespace feedtune {

/// Runs of each configuration. Of a CSV a run holds status, memory_kind, images_per_s (n = 1) and cost_s alone.
using RecordedRuns = std::map<Configuration, std::vector<TrialResult>>;

struct RecordedGrid {
  /// By purpose: `trial` always; the components where the record has them. Costs are above 0, and so are the images/s of
  /// what is ok.
  std::map<Purpose, RecordedRuns> runs;
  Run origin;  ///< the recorded run's machine, data, device, model and spec; no trials. Empty for a CSV.

  const RecordedRuns& trials() const { return runs.at(Purpose::trial); }
};

/// From a run: its search's and confirmation's trials, and its components. Anchors are other data and left out. Throws
/// InputError(where, ...) where a trial has no cost or no rate, or where none worked.
RecordedGrid grid_of(const Run& run, const std::string& where);

/// From CSV (csv.hpp): a header line, then a run a line. Columns `status` (ok, out_of_memory, ...), `images_per_s` (above 0;
/// empty unless ok), `cost_s` (above 0) and, where wanted, `memory_kind` (device, host, pinned; of out_of_memory); every
/// other column is an axis: an integer or a name, empty where the axis means nothing. Throws InputError at "where:line".
RecordedGrid parse_grid_csv(std::string_view text, const std::string& where);

/// What a replay takes for a configuration's images/s without noise: the geometric mean of the runs that are ok (the mean
/// of their logarithms, as the analysis estimates it). Absent where none is.
std::optional<double> recorded_rate(const std::vector<TrialResult>& runs);

/// Images/s of the fastest configuration; 0 where none works.
double fastest_recorded_rate(const RecordedGrid& grid);
/// Seconds that one trial of every configuration costs, by the mean of its runs.
double exhaustive_cost_s(const RecordedGrid& grid);

/// Of everything that an answer depends on, so that a replay is resumed on the same record only.
std::string digest_of(const RecordedGrid& grid);

/// The same grid with every configuration's runs scaled to one common images/s: what is then found better than something
/// else is a false alarm.
RecordedGrid all_equal(RecordedGrid grid);

}  // namespace feedtune
