#pragma once
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace feedtune {

/// The whole of a regular file. Throws InputError when there is none or it is larger than `max_bytes`, IoError when
/// the system refuses.
std::string read_file(const std::string& path, std::size_t max_bytes = std::size_t{1} << 30);

/// A new descriptor, or -1 with errno. Never waits for a FIFO's writer and never makes a terminal the program's own.
int open_to_read(const std::string& path);

/// Bytes from `offset` on: all that `into` holds, fewer only where the file ends before. -1 with errno.
ssize_t read_at(int file, std::span<std::byte> into, std::uint64_t offset);

}  // namespace feedtune
