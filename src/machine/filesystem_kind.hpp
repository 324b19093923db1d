#pragma once
#include <string_view>

namespace feedtune {

/// Where a filesystem of that type (mountinfo's word: "ext4", "fuse.sshfs") keeps its files: "local" (a disk of this
/// machine), "network", "host" (the machine that this virtual one runs on), "memory", "overlay" (a container's layers), "fuse"
/// (a program of its own answers each call, what is behind it isn't known), "other".
std::string_view filesystem_kind(std::string_view type);

}  // namespace feedtune
