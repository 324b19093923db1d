#include "machine/facts.hpp"

#include <fmt/format.h>

#include "core/single_line.hpp"
#include "machine/cpu_limit.hpp"

namespace feedtune {

Fact known(AxisValue value, std::string source) { return {.value = std::move(value), .source = std::move(source), .reason = ""}; }

Fact unknown_fact(std::string source, std::string reason) {
  return {.value = std::nullopt, .source = std::move(source), .reason = std::move(reason)};
}

Fact integer_fact(std::optional<std::int64_t> value, std::string source, std::string reason) {
  return value ? known(*value, std::move(source)) : unknown_fact(std::move(source), std::move(reason));
}

Fact text_fact(const std::optional<std::string>& text, std::string source, std::string reason) {
  constexpr std::size_t longest = 256;
  if (!text) return unknown_fact(std::move(source), std::move(reason));
  const std::string plain(trim(*text));
  if (plain.empty()) return unknown_fact(std::move(source), "it is empty");
  if (plain.size() > longest)
    return unknown_fact(std::move(source), fmt::format("it holds {} bytes, a name has at most {}", plain.size(), longest));
  if (single_line(plain) != plain) return unknown_fact(std::move(source), "it holds control characters or is no UTF-8");
  return known(plain, std::move(source));
}

Fact list_fact(const std::set<std::string>& values, std::string source, std::string reason) {
  std::optional<std::string> all;
  for (const auto& value : values) all = all ? *all + ", " + value : value;
  return text_fact(all, std::move(source), std::move(reason));
}

Fact limit_fact(const Root& root, std::string_view resource) {
  const std::string source = "/proc/self/limits";
  const auto limits = root.read(source);
  if (!limits) return unknown_fact(source, "can't be read");
  for (const auto line : split_lines(*limits)) {
    if (line.substr(0, resource.size()) != resource) continue;
    const auto values = trim(line.substr(resource.size()));
    const auto soft = values.substr(0, values.find(' '));
    if (const auto number = parse_integer(soft)) return known(*number, source);
    return text_fact(std::string(soft), source, "");
  }
  return unknown_fact(source, "no such limit in this kernel");
}

MachineFacts machine_facts(const std::string& data_path, const Root& root) {
  MachineFacts machine;
  machine.cpus = cpu_limit(root);
  add_cpu_facts(root, machine.facts);
  add_topology_facts(root, machine.facts);
  add_frequency_facts(root, machine.facts);
  add_quota_facts(root, machine.facts);
  add_memory_facts(root, machine.facts);
  add_memory_module_facts(root, machine.facts);
  add_system_facts(root, machine.facts);
  add_storage_facts(root, data_path, machine.facts);
  add_gpu_facts(root, machine.facts);
  return machine;
}

}  // namespace feedtune
