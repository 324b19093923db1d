#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

#include "process/descriptor.hpp"

namespace feedtune {

/// Starts arguments[0] in a process group of its own: stdin /dev/null, stdout and stderr `output`, descriptors 3 and 4
/// both `channel`, all others closed; signals at their defaults and unblocked. `added_environment` (NAME=VALUE) is added to
/// the inherited one. Returns once the program runs; throws IoError naming it. The caller keeps both descriptors.
pid_t spawn_child(std::vector<std::string> arguments, const std::vector<std::string>& added_environment,
                  const Descriptor& channel, const Descriptor& output);

}  // namespace feedtune
