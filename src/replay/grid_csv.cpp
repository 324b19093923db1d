#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <set>

#include "core/error.hpp"
#include "core/nearest.hpp"
#include "core/parse.hpp"
#include "core/single_line.hpp"
#include "replay/csv.hpp"
#include "replay/recorded_grid.hpp"

namespace feedtune {
namespace {

/// Beyond these no machine is; they keep sums and clocks in range.
constexpr double largest_rate = 1e12, longest_cost_s = 1e6;

const std::vector<std::string> needed = {"status", "images_per_s", "cost_s"};

std::string shown(const std::string& field) {
  constexpr std::size_t longest = 60;
  return fmt::format("\"{}{}\"", single_line(std::string_view(field).substr(0, longest)), field.size() > longest ? "..." : "");
}

class GridReader {
 public:
  GridReader(std::string_view text, const std::string& where) : where_(where), records_(parse_csv(text, where)) {}

  RecordedGrid read() {
    read_header();
    RecordedGrid grid;
    RecordedRuns& runs = grid.runs[Purpose::trial];
    bool any = false;
    for (std::size_t i = 1; i < records_.size(); ++i) {
      TrialResult run = run_of(records_[i]);
      run.id = static_cast<std::int64_t>(i);
      any = any || run.status == TrialStatus::ok;
      runs[run.configuration].push_back(std::move(run));
    }
    if (runs.empty()) throw InputError(where_, "no run below the header line: nothing to replay");
    if (!any) throw InputError(where_, "no run is ok: nothing to replay");
    return grid;
  }

 private:
  [[noreturn]] void fail(const CsvRecord& record, const std::string& what) const {
    throw InputError(fmt::format("{}:{}", where_, record.line), what);
  }

  void read_header() {
    if (records_.empty()) throw InputError(where_, "is empty, want a header line: axes, status, images_per_s, cost_s");
    const CsvRecord& header = records_.front();
    std::set<std::string> seen;
    for (const std::string& name : header.fields) {
      if (name.empty()) fail(header, fmt::format("column {} has no name", seen.size() + 1));
      if (!seen.insert(name).second) fail(header, fmt::format("column {} twice", shown(name)));
    }
    for (const std::string& name : needed)
      if (!seen.contains(name))
        fail(header, fmt::format("no column {}, want one column an axis, then {}", name, joined(needed)));
    if (seen.size() == needed.size() + seen.count("memory_kind")) fail(header, "no axis: every column but " + joined(needed) + " and memory_kind is one");
  }

  TrialResult run_of(const CsvRecord& record) const {
    const std::vector<std::string>& names = records_.front().fields;
    if (record.fields.size() != names.size())
      fail(record, fmt::format("{} fields, want {} as in the header line", record.fields.size(), names.size()));
    TrialResult run;
    std::string rate, memory_kind;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string& field = record.fields[i];
      if (names[i] == "status") run.status = status_of(record, field);
      else if (names[i] == "images_per_s") rate = field;
      else if (names[i] == "cost_s") run.cost_s = number(record, names[i], field, longest_cost_s);
      else if (names[i] == "memory_kind") memory_kind = field;
      else if (!field.empty()) run.configuration.set(names[i], axis_value(record, names[i], field));
    }
    if (run.configuration.values().empty()) fail(record, "no axis has a value");
    if (run.status == TrialStatus::ok) {
      const double mean = number(record, "images_per_s", rate, largest_rate);
      run.images_per_s = Interval{mean, mean, mean, 1};
    } else {
      if (!rate.empty()) fail(record, fmt::format("images_per_s: got {}, want nothing where the status is not ok", shown(rate)));
      run.reason = "recorded so";
    }
    set_memory_kind(record, memory_kind, run);
    return run;
  }

  TrialStatus status_of(const CsvRecord& record, const std::string& field) const {
    const auto status = enum_from_text<TrialStatus>(field);
    if (!status) fail(record, fmt::format("status: got {}, want one of {}", shown(field), accepted_names<TrialStatus>()));
    return *status;
  }

  void set_memory_kind(const CsvRecord& record, const std::string& field, TrialResult& run) const {
    if (field.empty()) {
      if (run.status == TrialStatus::out_of_memory) run.unknown["memory_kind"] = "not recorded";
      return;
    }
    run.memory_kind = enum_from_text<MemoryKind>(field);
    if (!run.memory_kind) fail(record, fmt::format("memory_kind: got {}, want one of {}", shown(field), accepted_names<MemoryKind>()));
    if (run.status != TrialStatus::out_of_memory) fail(record, "memory_kind: want nothing where the status is not out_of_memory");
  }

  double number(const CsvRecord& record, const std::string& column, const std::string& field, double most) const {
    double value = 0;
    const char* const end = field.data() + field.size();
    const auto [stopped, error] = std::from_chars(field.data(), end, value);
    if (error != std::errc() || stopped != end || !(value > 0) || value > most)
      fail(record, fmt::format("{}: got {}, want a number above 0 and up to {:g}", column, shown(field), most));
    return value;
  }

  /// As on the command line: "64" is an integer, "pinned" a name. Two axes are numbers wherever they are read.
  AxisValue axis_value(const CsvRecord& record, const std::string& axis, const std::string& field) const {
    const AxisValue value = parse_axis_value(field, fmt::format("{}:{}: {}", where_, record.line, axis));
    const bool is_batch = axis == "batch_size";
    if (!is_batch && axis != "num_workers") return value;
    const auto* integer = std::get_if<std::int64_t>(&value);
    const std::int64_t least = is_batch ? 1 : 0;
    if (integer == nullptr || *integer < least || *integer > std::numeric_limits<int>::max())
      fail(record, fmt::format("{}: got {}, want an integer from {} to {}", axis, shown(field), least, std::numeric_limits<int>::max()));
    return value;
  }

  const std::string& where_;
  std::vector<CsvRecord> records_;
};

}  // namespace

RecordedGrid parse_grid_csv(std::string_view text, const std::string& where) { return GridReader(text, where).read(); }

}  // namespace feedtune
