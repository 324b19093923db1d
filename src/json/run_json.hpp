#pragma once
// result.json and the answer alone. The format is described in results/README.md.

#include <string>
#include <string_view>
#include <vector>

#include "core/run.hpp"

namespace feedtune {

inline constexpr const char* result_schema = "feedtune.result";
inline constexpr const char* result_schema_version = "0.1";

/// The whole result.json, indented, with a final newline.
std::string encode(const Run& run);
/// Throws InputError naming `where`, line and field; also for another schema or a newer major version.
Run decode_run(std::string_view text, const std::string& where);

/// `recommend --format json`: the recommendation with its ceilings, indented.
std::string encode(const Recommendation& recommendation);

/// What is wrong with a result file, one line each; empty: nothing. A document that does not decode gives its one
/// error; one that does is also checked for contradictions (intervals upside down, quantiles out of order, an id
/// twice, a rank without a measurement). Never throws InputError.
std::vector<std::string> validate_result(std::string_view text, const std::string& where);

}  // namespace feedtune
