#include "process/process_tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "process/descriptor.hpp"

namespace feedtune {
namespace {

std::mutex leaders_mutex;
std::set<pid_t> leaders;  // guarded by leaders_mutex

/// "PID (name) S PPID PGRP ...": the name may hold anything, a ')' included.
std::optional<ProcessEntry> read_entry(const char* pid_text) {
  const std::string path = std::string("/proc/") + pid_text + "/stat";
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  char text[512];
  const ssize_t size = ::read(file.get(), text, sizeof text - 1);
  if (size <= 0) return std::nullopt;
  text[size] = '\0';
  const char* after_name = std::strrchr(text, ')');
  if (after_name == nullptr || after_name[1] != ' ' || after_name[2] == '\0') return std::nullopt;
  ProcessEntry entry;
  entry.pid = static_cast<pid_t>(std::strtol(pid_text, nullptr, 10));
  entry.state = after_name[2];
  char* end = nullptr;
  entry.parent = static_cast<pid_t>(std::strtol(after_name + 3, &end, 10));
  entry.group = static_cast<pid_t>(std::strtol(end, nullptr, 10));
  return entry;
}

std::vector<pid_t> leaders_but(pid_t leader) {
  const std::lock_guard lock(leaders_mutex);
  std::vector<pid_t> others;
  std::copy_if(leaders.begin(), leaders.end(), std::back_inserter(others), [&](pid_t pid) { return pid != leader; });
  return others;
}

}  // namespace

std::vector<ProcessEntry> list_processes() {
  std::vector<ProcessEntry> entries;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), ::closedir);
  if (!folder) return entries;
  while (const dirent* item = ::readdir(folder.get())) {
    if (item->d_name[0] < '1' || item->d_name[0] > '9') continue;
    if (const auto entry = read_entry(item->d_name)) entries.push_back(*entry);
  }
  return entries;
}

std::vector<ProcessEntry> members_of(const std::vector<ProcessEntry>& all, pid_t leader, pid_t self, pid_t own_group,
                                     const std::vector<pid_t>& other_groups) {
  const auto is_other = [&](pid_t pid) {
    return std::find(other_groups.begin(), other_groups.end(), pid) != other_groups.end();
  };
  std::set<pid_t> found{leader};
  std::vector<ProcessEntry> members;
  const auto belongs = [&](const ProcessEntry& entry) {
    if (entry.pid == self || is_other(entry.pid) || is_other(entry.group)) return false;
    if (entry.group == leader || found.contains(entry.parent)) return true;
    return other_groups.empty() && entry.parent == self && entry.group != own_group;
  };
  // A child may be listed before its parent: until nothing new is found.
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& entry : all) {
      if (found.contains(entry.pid) || !belongs(entry)) continue;
      found.insert(entry.pid);
      members.push_back(entry);
      grown = true;
    }
  }
  return members;
}

void register_leader(pid_t leader) {
  const std::lock_guard lock(leaders_mutex);
  leaders.insert(leader);
}

void unregister_leader(pid_t leader) {
  const std::lock_guard lock(leaders_mutex);
  leaders.erase(leader);
}

std::size_t kill_members_once(pid_t leader) {
  const auto members = members_of(list_processes(), leader, ::getpid(), ::getpgrp(), leaders_but(leader));
  for (const auto& member : members)
    if (member.state != 'Z') ::kill(member.pid, SIGKILL);
  // Dead members whose parent still lives are that parent's to reap; it has been killed too, after which they come to
  // this process (if it is a subreaper) or to init.
  for (const auto& member : members) {
    while (::waitpid(member.pid, nullptr, WNOHANG) < 0 && errno == EINTR) {
    }
  }
  return members.size();
}

bool kill_members(pid_t leader, std::chrono::steady_clock::time_point deadline) {
  while (kill_members_once(leader) > 0) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace feedtune
