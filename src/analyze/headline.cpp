#include "analyze/headline.hpp"

#include <algorithm>

namespace feedtune {

Headline find_headline(const Run& run, const Measurements& data) {
  Headline headline;
  headline.members = [](const Measured&) { return true; };
  const auto batch = run.spec.current ? run.spec.current->integer("batch_size") : std::nullopt;
  if (!batch) return headline;
  const auto at_batch = [size = static_cast<int>(*batch)](const Measured& m) { return m.batch_size == size; };
  if (std::none_of(data.all.begin(), data.all.end(), [&](const Measured& m) { return m.usable() && at_batch(m); })) {
    headline.current_batch_failed = true;
    return headline;
  }
  headline.batch_size = static_cast<int>(*batch);
  headline.members = at_batch;
  return headline;
}

}  // namespace feedtune
