#include "machine/cpu_folders.hpp"

namespace feedtune {

std::vector<std::string> cpu_folders(const Root& root) {
  const std::string parent = "/sys/devices/system/cpu";
  std::vector<std::string> folders;
  for (const auto& name : root.list(parent))
    if (name.rfind("cpu", 0) == 0 && parse_integer(name.substr(3))) folders.push_back(parent + "/" + name);
  return folders;
}

std::set<std::string> cpu_values(const Root& root, const std::string& name) {
  std::set<std::string> values;
  for (const auto& folder : cpu_folders(root))
    if (const auto value = root.read_line(folder + name); value && !value->empty()) values.insert(*value);
  return values;
}

}  // namespace feedtune
