#include "machine/facts.hpp"

namespace feedtune {
namespace {

void add_kernel(const Root& root, FactMap& facts) {
  const std::string source = "/proc/sys/kernel/osrelease";
  const auto release = root.read_line(source);
  facts["kernel"] = release ? known(*release, source) : unknown_fact(source, "can't be read");
}

void add_os(const Root& root, FactMap& facts) {
  for (const std::string source : {"/etc/os-release", "/usr/lib/os-release"}) {
    const auto text = root.read(source);
    const auto name = text ? find_value(*text, "PRETTY_NAME", '=') : std::nullopt;
    if (!name) continue;
    std::string_view plain = *name;
    if (plain.size() >= 2 && (plain.front() == '"' || plain.front() == '\'') && plain.back() == plain.front())
      plain = plain.substr(1, plain.size() - 2);
    facts["os"] = known(std::string(plain), source);
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

}  // namespace

void add_system_facts(const Root& root, FactMap& facts) {
  add_kernel(root, facts);
  add_os(root, facts);
  add_container(root, facts);
  facts["open_files"] = limit_fact(root, "Max open files");
}

}  // namespace feedtune
