#include "machine/facts.hpp"

namespace feedtune {

void add_identity_facts(const Root& root, FactMap& facts) {
  const auto line = [&](const char* name, const std::string& source) {
    facts[name] = text_fact(root.read_line(source), source, root.exists(source) ? "only root may read it" : "not there");
  };
  line("host_name", "/proc/sys/kernel/hostname");
  line("product_serial", "/sys/class/dmi/id/product_serial");
  line("product_uuid", "/sys/class/dmi/id/product_uuid");
  std::set<std::string> addresses;
  const std::string folder = "/sys/class/net";
  for (const auto& interface : root.list(folder)) {
    const auto address = root.read_line(folder + "/" + interface + "/address");
    if (address && !address->empty() && *address != "00:00:00:00:00:00") addresses.insert(*address);
  }
  facts["mac_addresses"] = list_fact(addresses, folder + "/*/address", "no network interface shows one");
}

}  // namespace feedtune
