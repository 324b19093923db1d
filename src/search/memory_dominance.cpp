#include "search/memory_dominance.hpp"

#include <map>
#include <set>
#include <string>

namespace feedtune {
namespace {

/// How much memory a value of an axis takes, as ranks: a higher one takes at least as much.
using Ranks = std::map<std::string, int>;

struct Rule {
  std::set<std::string> amounts;       ///< integer axes: more takes more
  std::map<std::string, Ranks> ranks;  ///< text axes with an order
  std::set<std::string> ignored;
};

const Ranks input_type_ranks = {{"uint8", 1}, {"float16", 2}, {"float32", 4}};

const Rule device_rule = {
    .amounts = {"batch_size"},
    .ranks = {{"input_type", input_type_ranks}, {"transfer", {{"blocking", 1}, {"overlapped", 2}}}},
    .ignored = {"num_workers", "host_memory", "pinning", "loader", "prefetch", "ready_batches", "decoder", "worker_threads", "resize",
                "sync", "model_threads", "storage", "affinity"}};

const Rule host_rule = {.amounts = {"batch_size", "num_workers", "prefetch", "ready_batches"},
                        .ranks = {{"input_type", input_type_ranks}},
                        .ignored = {"decoder", "resize", "sync", "precision", "model_threads", "affinity", "worker_threads"}};

std::optional<int> rank_of(const Ranks& ranks, const AxisValue& value) {
  const auto found = ranks.find(to_text(value));
  return found == ranks.end() ? std::nullopt : std::optional(found->second);
}

/// `value` takes at least the memory of `failed`.
bool takes_as_much(const Rule& rule, const std::string& axis, const AxisValue& failed, const AxisValue& value) {
  if (failed == value) return true;
  if (rule.amounts.contains(axis)) {
    const auto* least = std::get_if<std::int64_t>(&failed);
    const auto* number = std::get_if<std::int64_t>(&value);
    return least != nullptr && number != nullptr && *number >= *least;
  }
  const auto ranks = rule.ranks.find(axis);
  if (ranks == rule.ranks.end()) return false;
  const auto least = rank_of(ranks->second, failed);
  const auto rank = rank_of(ranks->second, value);
  return least && rank && *rank >= *least;
}

bool dominates(const Rule& rule, const Configuration& failed, const Configuration& configuration) {
  for (const auto& [axis, value] : configuration.values())
    if (!rule.ignored.contains(axis) && !failed.has(axis)) return false;
  for (const auto& [axis, value] : failed.values()) {
    if (rule.ignored.contains(axis)) continue;
    const auto other = configuration.values().find(axis);
    if (other == configuration.values().end() || !takes_as_much(rule, axis, value, other->second)) return false;
  }
  return true;
}

}  // namespace

void MemoryDominance::tell(const TrialResult& result) {
  if (result.status != TrialStatus::out_of_memory || !result.memory_kind || result.purpose != Purpose::trial) return;
  failures_.push_back({result.configuration, *result.memory_kind == MemoryKind::device});
}

std::optional<Configuration> MemoryDominance::ran_out(const Configuration& configuration) const {
  for (const Failure& failure : failures_)
    if (dominates(failure.device ? device_rule : host_rule, failure.configuration, configuration))
      return failure.configuration;
  return std::nullopt;
}

}  // namespace feedtune
