#pragma once
// `feedtune evaluate`: how well strategies search machines whose truth is known.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/search_outcome.hpp"
#include "core/facts.hpp"

namespace feedtune {

/// What was searched.
struct EvaluatedReplay {
  std::string file;
  std::string digest;
  std::int64_t configurations = 0;
  std::int64_t runs = 0;
  double exhaustive_s = 0;          ///< one trial of every configuration
  double fastest_images_per_s = 0;  ///< of the truth
  std::vector<std::string> notes;
};

/// One strategy on one replay.
struct StrategyScore {
  std::string file;
  std::string strategy;
  SearchScore score;
  Average aa_false_positive;  ///< false gains where every configuration was made equal
};

struct Evaluation {
  ToolFacts tool;
  std::uint64_t first_seed = 1;
  std::int64_t seeds = 0;
  std::string budget;  ///< as asked for: "15%", "5m", "200trials"
  std::vector<EvaluatedReplay> replays;
  std::vector<StrategyScore> scores;
};

/// A table, then what each column is. Ends with a newline.
std::string evaluation_text(const Evaluation& evaluation);
/// results/schema/evaluation-0.1.schema.json: fractions; what has no value is null, with the reason in `unknown`.
std::string evaluation_json(const Evaluation& evaluation);

}  // namespace feedtune
