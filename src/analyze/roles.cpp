#include "analyze/roles.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "analyze/measurements.hpp"

namespace feedtune {
namespace {

using Setting = std::pair<const char*, AxisValue>;

const std::vector<Setting>& baseline_settings() {
  static const std::vector<Setting> settings = {{"loader", std::string("batch_per_worker")},
                                                {"num_workers", std::int64_t{0}},
                                                {"host_memory", std::string("pageable")},
                                                {"decoder", std::string("turbo_full")},
                                                {"input_type", std::string("float32")},
                                                {"transfer", std::string("blocking")},
                                                {"sync", std::string("none")}};
  return settings;
}

/// What the remaining axes are where nobody says otherwise.
const std::vector<Setting>& default_settings() {
  static const std::vector<Setting> settings = {{"loader", std::string("batch_per_worker")},
                                                {"prefetch", std::int64_t{2}},
                                                {"worker_threads", std::int64_t{1}},
                                                {"resize", std::string("antialias")},
                                                {"storage", std::string("files")},
                                                {"affinity", std::string("none")},
                                                {"sync", std::string("none")},
                                                {"pinning", std::string("alloc")},
                                                {"ready_batches", std::int64_t{4}}};
  return settings;
}

bool has_or_lacks(const Configuration& c, const std::string& axis, const AxisValue& value) {
  const auto found = c.values().find(axis);
  return found == c.values().end() || found->second == value;
}

int away_from_defaults(const Configuration& c) {
  int away = 0;
  for (const auto& [axis, value] : default_settings()) away += has_or_lacks(c, axis, value) ? 0 : 1;
  return away;
}

/// Of several configurations the one nearest to the defaults; then by key.
std::optional<Configuration> plainest(const std::vector<Configuration>& found) {
  const auto order = [](const Configuration& c) { return std::pair(away_from_defaults(c), c.key()); };
  const auto best =
      std::min_element(found.begin(), found.end(), [&](const auto& a, const auto& b) { return order(a) < order(b); });
  if (best == found.end()) return std::nullopt;
  return *best;
}

std::vector<Configuration> configurations_of(const Run& run) {
  std::vector<Configuration> found;
  std::set<std::string> seen;
  for (const TrialResult& t : run.trials)
    if (is_of_the_search(t) && seen.insert(t.configuration.key()).second) found.push_back(t.configuration);
  return found;
}

}  // namespace

bool pytorch_can(const Configuration& c) {
  const auto loader = c.text("loader");
  if (!has_or_lacks(c, "input_type", std::string("float32"))) return false;
  if (loader == "external") return true;
  return loader == "batch_per_worker" && has_or_lacks(c, "decoder", std::string("turbo_full"));
}

bool is_baseline(const Configuration& c, int batch_size) {
  if (!c.has("num_workers") || !c.has("loader")) return false;  // never collapsed: a grid of somebody else's axes
  if (!has_or_lacks(c, "batch_size", std::int64_t{batch_size})) return false;
  return std::all_of(baseline_settings().begin(), baseline_settings().end(),
                     [&](const Setting& s) { return has_or_lacks(c, s.first, s.second); });
}

bool matches_current(const Configuration& c, const Configuration& current) {
  return std::all_of(current.values().begin(), current.values().end(),
                     [&](const auto& given) { return has_or_lacks(c, given.first, given.second); });
}

std::optional<Configuration> find_baseline(const Run& run, int batch_size) {
  if (run.spec.baseline) return run.spec.baseline;
  const std::vector<Configuration> all = configurations_of(run);
  std::vector<Configuration> found;
  for (const Configuration& c : all)
    if (is_baseline(c, batch_size)) found.push_back(c);
  if (!found.empty()) return plainest(found);

  // Nobody measured it: take the likest configuration and set what makes it the baseline.
  for (const Configuration& c : all)
    if (c.integer("batch_size") == batch_size && c.text("loader") != "external") found.push_back(c);
  std::optional<Configuration> built = plainest(found);
  if (!built) return std::nullopt;
  for (const auto& [axis, value] : baseline_settings())
    if (built->has(axis) || std::string_view(axis) == "num_workers") built->set(axis, value);
  // With no workers nothing is fetched ahead.
  for (const char* axis : {"prefetch", "ready_batches", "affinity", "worker_threads"}) built->erase(axis);
  return built;
}

std::optional<Configuration> find_current(const Run& run, int batch_size) {
  if (!run.spec.current) return std::nullopt;
  const std::vector<Configuration> all = configurations_of(run);
  Configuration current = *run.spec.current;
  const bool has_batches = std::any_of(all.begin(), all.end(), [](const Configuration& c) { return c.has("batch_size"); });
  if (has_batches && !current.has("batch_size")) current.set("batch_size", std::int64_t{batch_size});
  std::vector<Configuration> found;
  for (const Configuration& c : all)
    if (matches_current(c, current)) found.push_back(c);
  return found.empty() ? std::optional(current) : plainest(found);
}

}  // namespace feedtune
