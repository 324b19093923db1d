#include "process/spawn.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string_view>

#include "core/error.hpp"

namespace feedtune {
namespace {

/// Descriptors of the child's side are moved up here, so that none is overwritten by another's dup2.
constexpr int spare_descriptor = 16;

Descriptor moved_up(const Descriptor& source, const std::string& program) {
  Descriptor moved(::fcntl(source.get(), F_DUPFD_CLOEXEC, spare_descriptor));
  if (!moved) throw IoError(program, "start", errno);
  return moved;
}

/// The inherited environment with `added` in place of variables of the same names.
std::vector<std::string> merged_environment(const std::vector<std::string>& added) {
  const auto name_of = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
  std::vector<std::string> merged;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const bool replaced = std::any_of(added.begin(), added.end(),
                                      [&](const std::string& other) { return name_of(other) == name_of(*entry); });
    if (!replaced) merged.emplace_back(*entry);
  }
  merged.insert(merged.end(), added.begin(), added.end());
  return merged;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (auto& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

struct SpawnActions {
  posix_spawn_file_actions_t value{};
  SpawnActions() { ::posix_spawn_file_actions_init(&value); }
  ~SpawnActions() { ::posix_spawn_file_actions_destroy(&value); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
};

struct SpawnAttributes {
  posix_spawnattr_t value{};
  SpawnAttributes() { ::posix_spawnattr_init(&value); }
  ~SpawnAttributes() { ::posix_spawnattr_destroy(&value); }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
};

}  // namespace

pid_t spawn_child(std::vector<std::string> arguments, const std::vector<std::string>& added_environment,
                  const Descriptor& channel_end, const Descriptor& output_end) {
  const Descriptor channel = moved_up(channel_end, arguments[0]);
  const Descriptor output = moved_up(output_end, arguments[0]);
  SpawnActions actions;
  ::posix_spawn_file_actions_addopen(&actions.value, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions.value, output.get(), 1);
  ::posix_spawn_file_actions_adddup2(&actions.value, output.get(), 2);
  ::posix_spawn_file_actions_adddup2(&actions.value, channel.get(), 3);
  ::posix_spawn_file_actions_adddup2(&actions.value, channel.get(), 4);
#if __GLIBC_PREREQ(2, 34)
  ::posix_spawn_file_actions_addclosefrom_np(&actions.value, 5);  // what others opened without O_CLOEXEC
#endif

  SpawnAttributes attributes;
  sigset_t defaults;
  ::sigfillset(&defaults);
  ::sigdelset(&defaults, SIGKILL);
  ::sigdelset(&defaults, SIGSTOP);
  sigset_t unblocked;
  ::sigemptyset(&unblocked);
  ::posix_spawnattr_setsigdefault(&attributes.value, &defaults);
  ::posix_spawnattr_setsigmask(&attributes.value, &unblocked);
  ::posix_spawnattr_setpgroup(&attributes.value, 0);
  ::posix_spawnattr_setflags(&attributes.value, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);

  std::vector<std::string> environment = merged_environment(added_environment);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, arguments[0].c_str(), &actions.value, &attributes.value,
                                  pointers(arguments).data(), pointers(environment).data());
  if (error != 0) throw IoError(arguments[0], "start", error);
  return pid;
}

}  // namespace feedtune
