#include "core/kernel_text.hpp"
#include "machine/cgroup.hpp"
#include "machine/facts.hpp"

namespace feedtune {
namespace {

struct Throttling {
  std::int64_t periods = 0, throttled_periods = 0, throttled_ms = 0;
};

std::optional<std::int64_t> counter(const std::optional<std::string>& stat, std::string_view name) {
  const auto text = stat ? find_value(*stat, name, ' ') : std::nullopt;
  const auto value = text ? parse_integer(*text) : std::nullopt;
  return value && *value >= 0 ? value : std::nullopt;
}

std::optional<Throttling> throttling_of(const Root& root, const CgroupFolder& group) {
  const auto stat = root.read(group.folder + "/cpu.stat");
  const auto periods = counter(stat, "nr_periods");
  const auto throttled = counter(stat, "nr_throttled");
  const auto time = counter(stat, group.version == 1 ? "throttled_time" : "throttled_usec");
  if (!periods || !throttled || !time) return std::nullopt;
  return Throttling{*periods, *throttled, *time / (group.version == 1 ? 1'000'000 : 1'000)};
}

void add_mask(const Root& root, FactMap& facts) {
  const std::string source = "/proc/self/status";
  const auto status = root.read(source);
  const auto list = status ? find_value(*status, "Cpus_allowed_list", ':') : std::nullopt;
  const bool sound = list && parse_cpu_list(*list);
  facts["cpus_allowed"] = text_fact(sound ? std::optional(std::string(*list)) : std::nullopt, source, "no list of CPUs in it");
}

/// Counters since the control group was made: of the group (own or ancestor) that was held back most often.
void add_throttling(const Root& root, FactMap& facts) {
  const auto groups = cgroup_ancestry(root, "cpu");
  std::optional<Throttling> worst;
  std::string source = "cpu.stat of the control groups";
  for (const auto& group : groups) {
    const auto found = throttling_of(root, group);
    if (!found || (worst && found->throttled_periods <= worst->throttled_periods)) continue;
    worst = found;
    source = group.text() + " cpu.stat";
  }
  const std::string reason = groups.empty() ? "this process is in no control group of the cpu controller" : "no group counts them";
  const auto fact = [&](std::int64_t Throttling::* field) {
    return integer_fact(worst ? std::optional((*worst).*field) : std::nullopt, source, reason);
  };
  facts["quota_periods"] = fact(&Throttling::periods);
  facts["quota_throttled_periods"] = fact(&Throttling::throttled_periods);
  facts["quota_throttled_ms"] = fact(&Throttling::throttled_ms);
}

}  // namespace

void add_quota_facts(const Root& root, FactMap& facts) {
  add_mask(root, facts);
  add_throttling(root, facts);
}

}  // namespace feedtune
