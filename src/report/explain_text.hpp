#pragma once
#include <string>

#include "core/explanation.hpp"

namespace feedtune {

/// A paragraph a trial: its settings and rate, then Verdict, Why and Next of the primary finding, then what else was found.
/// Ends with a newline.
std::string explain_text(const Explanation& explanation);

}  // namespace feedtune
