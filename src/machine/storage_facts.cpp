#include "machine/facts.hpp"
#include "machine/mounts.hpp"

namespace feedtune {

void add_storage_facts(const Root& root, const std::string& data_path, FactMap& facts) {
  const std::string source = "/proc/self/mountinfo";
  if (data_path.empty()) {
    facts["data_filesystem"] = unknown_fact(source, "no data folder was given");
    return;
  }
  const auto mount = mount_of(read_mounts(root), data_path);
  facts["data_filesystem"] = mount ? known(mount->type, source) : unknown_fact(source, "no mount holds the data folder");
}

}  // namespace feedtune
