#pragma once
#include <set>
#include <string>

#include "core/facts.hpp"
#include "machine/root.hpp"

namespace feedtune {

/// What is known about the machine without measuring. Every fact of the list (results/README.md says what each means) is
/// there, with its source and a value or the reason why it has none. No serial numbers, host or user names.
/// `data_path` (absolute) is the folder whose filesystem is looked up; empty: none.
MachineFacts machine_facts(const std::string& data_path = "", const Root& root = Root());

using FactMap = std::map<std::string, Fact>;
// Each in the file of its name.
void add_cpu_facts(const Root& root, FactMap& facts);
void add_topology_facts(const Root& root, FactMap& facts);
void add_frequency_facts(const Root& root, FactMap& facts);
void add_quota_facts(const Root& root, FactMap& facts);
void add_memory_facts(const Root& root, FactMap& facts);
void add_memory_module_facts(const Root& root, FactMap& facts);
void add_system_facts(const Root& root, FactMap& facts);
void add_storage_facts(const Root& root, const std::string& data_path, FactMap& facts);
void add_gpu_facts(const Root& root, FactMap& facts);
/// What tells whose machine it is: host name, serial number, UUID, network addresses. Only for those who ask for it.
void add_identity_facts(const Root& root, FactMap& facts);

/// The soft limit of a resource of /proc/self/limits ("Max open files") with unit removed; "unlimited" is a text value.
Fact limit_fact(const Root& root, std::string_view resource);

Fact known(AxisValue value, std::string source);
Fact unknown_fact(std::string source, std::string reason);
/// Text from a file: one line of printable UTF-8, at most 256 bytes, or unknown: for `reason` where there is none, else with
/// what is wrong with it.
Fact text_fact(const std::optional<std::string>& text, std::string source, std::string reason);
/// "a, b" of a set's members; unknown for `reason` where it is empty.
Fact list_fact(const std::set<std::string>& values, std::string source, std::string reason);
/// A known integer, or unknown for `reason`.
Fact integer_fact(std::optional<std::int64_t> value, std::string source, std::string reason);

}  // namespace feedtune
