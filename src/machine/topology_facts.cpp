// By the kernel's own files rather than by hwloc, which takes another root folder only from the environment; the tests hold
// what is found here against hwloc.
#include <set>
#include <utility>

#include "core/kernel_text.hpp"
#include "machine/cpu_folders.hpp"
#include "machine/facts.hpp"

namespace feedtune {
namespace {

const std::string cpu_folder = "/sys/devices/system/cpu";

void add_counts(const Root& root, FactMap& facts) {
  std::set<std::int64_t> sockets;
  std::set<std::pair<std::int64_t, std::int64_t>> cores;
  std::size_t threads = 0;
  for (const auto& folder : cpu_folders(root)) {  // an offline one has no topology folder
    const auto socket = root.read_integer(folder + "/topology/physical_package_id");
    const auto core = root.read_integer(folder + "/topology/core_id");
    if (!socket || !core) continue;
    sockets.insert(*socket);
    cores.emplace(*socket, *core);
    ++threads;
  }
  const auto count = [](std::size_t n) {
    return integer_fact(n > 0 ? std::optional<std::int64_t>(n) : std::nullopt, cpu_folder + "/cpu*/topology", "can't be read");
  };
  facts["sockets"] = count(sockets.size());
  facts["cores"] = count(cores.size());
  facts["threads"] = count(threads);
}

void add_smt(const Root& root, FactMap& facts) {
  const std::string source = cpu_folder + "/smt/active";
  const auto active = root.read_integer(source);
  facts["smt"] = active ? known(std::string(*active != 0 ? "on" : "off"), source) : unknown_fact(source, "can't be read");
}

/// "32K" in bytes; the kernel prints no other unit.
std::optional<std::int64_t> cache_bytes(const std::optional<std::string>& text) {
  if (!text || text->empty() || text->back() != 'K') return std::nullopt;
  const auto kib = parse_integer(std::string_view(*text).substr(0, text->size() - 1));
  if (!kib || *kib <= 0 || *kib > (std::int64_t{1} << 40)) return std::nullopt;
  return *kib * 1024;
}

/// The size of one cache (of the first CPU), and for the last level how many there are.
void add_caches(const Root& root, FactMap& facts) {
  const std::string source = cpu_folder + "/cpu*/cache";
  for (const char* name : {"l1d_bytes", "l2_bytes", "l3_bytes"}) facts[name] = unknown_fact(source, "no such cache is shown");
  std::set<std::string> l3_sharers;
  for (const auto& folder : cpu_folders(root)) {
    for (const auto& index : root.list(folder + "/cache")) {
      const auto cache = folder + "/cache/" + index;
      const auto level = root.read_integer(cache + "/level");
      if (!level || root.read_line(cache + "/type") == "Instruction") continue;
      if (*level == 3) l3_sharers.insert(root.read_line(cache + "/shared_cpu_list").value_or(""));
      const char* name = *level == 1 ? "l1d_bytes" : *level == 2 ? "l2_bytes" : *level == 3 ? "l3_bytes" : nullptr;
      if (name == nullptr || facts[name].value) continue;
      if (const auto bytes = cache_bytes(root.read_line(cache + "/size"))) facts[name] = known(*bytes, source);
    }
  }
  facts["l3_caches"] = integer_fact(l3_sharers.empty() ? std::nullopt : std::optional<std::int64_t>(l3_sharers.size()), source,
                                    "no such cache is shown");
}

void add_numa(const Root& root, FactMap& facts) {
  const std::string source = "/sys/devices/system/node/online";
  const auto text = root.read_line(source);
  const auto nodes = text ? parse_cpu_list(*text) : std::nullopt;
  facts["numa_nodes"] = integer_fact(nodes ? std::optional<std::int64_t>(nodes->size()) : std::nullopt, source,
                                     "can't be read (a kernel without NUMA)");
}

}  // namespace

void add_topology_facts(const Root& root, FactMap& facts) {
  add_counts(root, facts);
  add_smt(root, facts);
  add_caches(root, facts);
  add_numa(root, facts);
}

}  // namespace feedtune
