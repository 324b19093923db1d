#pragma once
// Lines of trials.jsonl: each is one JSON object whose "type" says what it holds.

#include <string>
#include <string_view>
#include <variant>

#include "core/run.hpp"

namespace feedtune {

inline constexpr const char* journal_schema = "feedtune.journal";
inline constexpr const char* journal_schema_version = "0.1";

/// What a line holds. `Run` is the first line's: everything but trials, notes and recommendation.
using JournalRecord = std::variant<Run, TrialResult, RunNote>;

/// Without the final newline, and none inside.
std::string journal_line(const Run& header);
std::string journal_line(const TrialResult& trial);
std::string journal_line(const RunNote& note);

/// Throws InputError at "where:line_number", also for another schema or a newer major version.
JournalRecord decode_journal_line(std::string_view line, const std::string& where, int line_number);

}  // namespace feedtune
