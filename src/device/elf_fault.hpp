#pragma once
#include <string>

namespace feedtune {

/// Why the loader could not load the file, as what follows its path ("is empty", "is cut off: ..."); "" where nothing is wrong with the
/// file itself. The loader's own words name no reason for another processor's file, and one that is cut off may end the process.
std::string elf_fault(const std::string& path);

}  // namespace feedtune
