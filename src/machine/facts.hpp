#pragma once
#include <string>

#include "core/facts.hpp"
#include "machine/root.hpp"

namespace feedtune {

/// What is known about the machine without measuring. Every fact of the list is there, with its source and a value or
/// the reason why it has none. No serial numbers, host or user names. `data_path` (absolute) is the folder whose
/// filesystem is looked up; empty: none.
///
///   cpu_facts.cpp      cpu_model, sockets, cores, threads, governor, numa_nodes, hypervisor
///   memory_facts.cpp   memory_bytes, memory_available_bytes, memory_limit_bytes, memlock_bytes, shm_bytes
///   system_facts.cpp   kernel, os, container, open_files
///   storage_facts.cpp  data_filesystem
MachineFacts machine_facts(const std::string& data_path = "", const Root& root = Root());

using FactMap = std::map<std::string, Fact>;
void add_cpu_facts(const Root& root, FactMap& facts);
void add_memory_facts(const Root& root, FactMap& facts);
void add_system_facts(const Root& root, FactMap& facts);
void add_storage_facts(const Root& root, const std::string& data_path, FactMap& facts);

/// The soft limit of a resource of /proc/self/limits ("Max open files") with unit removed; "unlimited" is a text value.
Fact limit_fact(const Root& root, std::string_view resource);

Fact known(AxisValue value, std::string source);
Fact unknown_fact(std::string source, std::string reason);
/// A known integer, or unknown for `reason`.
Fact integer_fact(std::optional<std::int64_t> value, std::string source, std::string reason);

}  // namespace feedtune
