#pragma once
// Flag > FEEDTUNE_* environment > spec file > default, for every option of `sweep`.

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "cli/arguments.hpp"
#include "core/spec.hpp"

namespace feedtune {

struct Settings {
  Spec spec;                       ///< device as asked for ("auto"), model perhaps empty (by device); the rest resolved
  std::optional<std::string> replay;  ///< recorded file that answers instead of this machine
  std::optional<std::string> out;  ///< run folder; absent: a new one
};

/// Reads one environment variable; absent when it is not set or empty.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;
Environment process_environment();

/// Throws UsageError for a flag, InputError for an environment variable or the spec file, each with its place.
Settings resolve_settings(const SweepArguments& arguments, const Environment& environment);

/// --print-config: one line an option, "name = value  (flag)".
std::string describe(const Settings& settings);

}  // namespace feedtune
