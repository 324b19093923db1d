#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace feedtune {

/// Reads everything. One line for each record that isn't what was packed (its bytes, and that its kind can be) and for
/// other bytes of a shard that are not zero, at most `most` of them and a last one with the count of the others. Throws
/// InputError naming the file where the index or a shard's size or header is wrong, IoError where the system refuses.
/// A shard that is cut off meanwhile is named too. Takes as long as reading what is on the disk: holes are not read.
std::vector<std::string> verify_pack(const std::string& folder, std::size_t most = 10);

}  // namespace feedtune
