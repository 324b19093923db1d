#pragma once
#include <string>
#include <string_view>

namespace feedtune {

/// HMAC-SHA-256 (RFC 2104, FIPS 198-1), its first 16 bytes as 32 hexadecimal digits.
std::string keyed_hash(std::string_view key, std::string_view message);

}  // namespace feedtune
