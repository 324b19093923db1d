#pragma once
#include <string>

namespace feedtune {

/// Folder with devices/ and anchors-v1.json: FEEDTUNE_CONFIGS, else configs beside the program, beside its folder, or
/// in share/feedtune. Throws InputError naming where it looked.
std::string configs_folder();

/// Path of the running program; in a bundle of its launcher (FEEDTUNE_LAUNCHER, which that sets; believed only
/// where this process runs by that bundle's loader). Started again, it is this program.
std::string program_path();

/// $XDG_CACHE_HOME/feedtune or ~/.cache/feedtune; the temporary folder where neither is set.
std::string cache_folder();

}  // namespace feedtune
