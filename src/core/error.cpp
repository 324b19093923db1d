#include "core/error.hpp"

#include <fmt/format.h>

#include <cstring>

#include "core/enums.hpp"

namespace feedtune {

InputError::InputError(std::string where, const std::string& what_is_wrong)
    : Error(fmt::format("{}: {}", where, what_is_wrong)), where_(std::move(where)) {}

IoError::IoError(std::string path, const std::string& operation, int error_number)
    : Error(fmt::format("{}: cannot {}: {}", path, operation, std::strerror(error_number))),
      path_(std::move(path)),
      error_number_(error_number) {}

IoError::IoError(const IoError& error, const std::string& advice)
    : Error(fmt::format("{} ({})", error.what(), advice)), path_(error.path_), error_number_(error.error_number_) {}

DeviceUnavailableError::DeviceUnavailableError(const std::string& device, const std::string& reason)
    : Error(fmt::format("device {} is not available: {}", device, reason)) {}

OutOfMemory::OutOfMemory(MemoryKind where, std::uint64_t requested_bytes, std::uint64_t limit_bytes)
    : TrialFailure(TrialStatus::out_of_memory,
                   limit_bytes == 0 ? fmt::format("out of {} memory: asked for {} bytes", to_text(where), requested_bytes)
                                    : fmt::format("out of {} memory: asked for {} bytes, limit {} bytes", to_text(where),
                                                  requested_bytes, limit_bytes)),
      where_(where),
      requested_bytes_(requested_bytes),
      limit_bytes_(limit_bytes) {}

}  // namespace feedtune
