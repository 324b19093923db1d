#pragma once
// `feedtune recommend`: the answer for someone who has never seen the tool.

#include <string>

#include "core/run.hpp"

namespace feedtune {

/// Verdict, Why and Next first, then the settings, the gains, the ceilings, the best of each batch, the phases, what is
/// equal and what is undecided, and the warnings. Up to 100 columns, no colour; ends with a newline.
std::string recommend_text(const Run& run, const Recommendation& recommendation);

/// The three lines alone; a line that wraps goes on indented.
std::string verdict_text(const Run& run, const Recommendation& recommendation);

/// "replayed: ...", "modelled: ...", "fake: ..." or empty: stands on every output that shows such a figure.
std::string modelled_text(const Run& run, const Recommendation& recommendation);

/// What "no difference" rules out: "; a gain of 3.1 % would have shown" (with 80 % probability); empty where not known.
std::string detectable_text(const Gain& gain);

/// data load, h2d, forward, loss+backward, update and step in ms, for the baseline, the current and the recommended.
/// Empty where no trial recorded phases.
std::string phase_table(const Run& run, const Recommendation& recommendation);

}  // namespace feedtune
