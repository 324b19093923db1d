#include <algorithm>

#include "machine/facts.hpp"
#include "machine/mounts.hpp"

namespace feedtune {
namespace {

void add_kernel(const Root& root, FactMap& facts) {
  const std::string source = "/proc/sys/kernel/osrelease";
  const auto release = root.read_line(source);
  facts["kernel"] = text_fact(release, source, "can't be read");
}

void add_os(const Root& root, FactMap& facts) {
  for (const std::string source : {"/etc/os-release", "/usr/lib/os-release"}) {
    const auto text = root.read(source);
    const auto name = text ? find_value(*text, "PRETTY_NAME", '=') : std::nullopt;
    if (!name) continue;
    std::string_view plain = *name;
    if (plain.size() >= 2 && (plain.front() == '"' || plain.front() == '\'') && plain.back() == plain.front())
      plain = plain.substr(1, plain.size() - 2);
    facts["os"] = text_fact(std::string(plain), source, "");
    return;
  }
  facts["os"] = unknown_fact("/etc/os-release", "no PRETTY_NAME");
}

/// By the marks that container engines leave. That there is none is no proof, hence "none seen".
void add_container(const Root& root, FactMap& facts) {
  if (root.exists("/run/.containerenv")) {
    facts["container"] = known(std::string("podman"), "/run/.containerenv");
    return;
  }
  if (root.exists("/.dockerenv")) {
    facts["container"] = known(std::string("docker"), "/.dockerenv");
    return;
  }
  const std::string source = "/proc/self/cgroup";
  const auto groups = root.read(source).value_or("");
  for (const std::string mark : {"kubepods", "docker", "containerd", "libpod", "lxc", "garden"}) {
    if (groups.find(mark) == std::string::npos) continue;
    facts["container"] = known(mark, source);
    return;
  }
  facts["container"] = known(std::string("none seen"), source);
}

/// Of the control groups that hold the process, as the kernel mounts them.
void add_cgroup_version(const Root& root, FactMap& facts) {
  const std::string source = "/proc/self/mountinfo";
  const auto mounts = read_mounts(root);
  const auto mounted = [&](const char* type) {
    return std::any_of(mounts.begin(), mounts.end(), [&](const Mount& mount) { return mount.type == type; });
  };
  const bool v1 = mounted("cgroup"), v2 = mounted("cgroup2");
  if (mounts.empty()) {
    facts["cgroup_version"] = unknown_fact(source, "can't be read");
  } else {
    facts["cgroup_version"] = known(std::string(v1 && v2 ? "hybrid" : v1 ? "v1" : v2 ? "v2" : "none"), source);
  }
}

/// Who built the machine and what it is called; neither is a serial number.
void add_product(const Root& root, FactMap& facts) {
  const std::string folder = "/sys/class/dmi/id/";
  const auto vendor = root.read_line(folder + "sys_vendor"), name = root.read_line(folder + "product_name");
  facts["product"] = text_fact(vendor && name ? std::optional(*vendor + " " + *name) : name, folder + "product_name", "not there");
  facts["bios"] = text_fact(root.read_line(folder + "bios_version"), folder + "bios_version", "not there");
}

}  // namespace

void add_system_facts(const Root& root, FactMap& facts) {
  add_kernel(root, facts);
  add_os(root, facts);
  add_container(root, facts);
  add_cgroup_version(root, facts);
  add_product(root, facts);
  facts["open_files"] = limit_fact(root, "Max open files");
}

}  // namespace feedtune
