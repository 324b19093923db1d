#pragma once
#include <set>
#include <string>
#include <vector>

#include "machine/root.hpp"

namespace feedtune {

/// Folders "/sys/devices/system/cpu/cpu0", ... of the CPUs that the kernel lists, offline ones too.
std::vector<std::string> cpu_folders(const Root& root);

/// What the files `name` in the CPUs' folders say, each once: "/topology/core_id" -> {"0", "1"}. Missing files are left out.
std::set<std::string> cpu_values(const Root& root, const std::string& name);

}  // namespace feedtune
