#pragma once
// A check of `feedtune doctor`: one file in checks/ each, with one factory named after the file.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/doctor.hpp"

namespace feedtune {

/// What is known before anything is measured.
struct CheckInput {
  const MachineFacts& machine;
  const DeviceProbe& cuda;
  const ToolFacts& tool;
  const DoctorSetting& setting;
  const std::map<std::string, std::string>& environment;  ///< variables that libraries look at, of those that are set

  /// A fact's value; nothing where it is unknown or of the other type.
  std::optional<std::int64_t> integer(const std::string& name) const;
  std::optional<std::string> text(const std::string& name) const;
  /// "swap_bytes is not known: can't be read (/proc/meminfo)".
  std::string why_unknown(const std::string& name) const;
};

struct CheckVerdict {
  CheckStatus status = CheckStatus::unknown;
  std::string evidence;
  std::string advice{};
};

struct Check {
  std::string name;
  /// Pure; needs no fact to be there.
  std::function<CheckVerdict(const CheckInput&)> judge;
};

/// Every check, from the files in checks/ (generated table, alphabetical).
std::vector<Check> all_checks();

/// What each check finds, the worst first: bad, warn, unknown, ok; equals in alphabetical order.
std::vector<CheckFinding> run_checks(const CheckInput& input);

}  // namespace feedtune
