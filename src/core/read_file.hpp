#pragma once
#include <cstddef>
#include <string>

namespace feedtune {

/// The whole of a regular file. Throws InputError when there is none or it is larger than `max_bytes`, IoError when
/// the system refuses.
std::string read_file(const std::string& path, std::size_t max_bytes = std::size_t{1} << 30);

}  // namespace feedtune
