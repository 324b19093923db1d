#include "machine/keyed_hash.hpp"

#include <nettle/hmac.h>

#include <array>

namespace feedtune {

std::string keyed_hash(std::string_view key, std::string_view message) {
  const auto bytes = [](std::string_view text) { return reinterpret_cast<const std::uint8_t*>(text.data()); };
  hmac_sha256_ctx context;
  hmac_sha256_set_key(&context, key.size(), bytes(key));
  hmac_sha256_update(&context, message.size(), bytes(message));
  std::array<std::uint8_t, 16> digest{};
  hmac_sha256_digest(&context, digest.size(), digest.data());
  std::string text;
  for (const std::uint8_t byte : digest)
    for (const int nibble : {byte >> 4, byte & 15}) text += "0123456789abcdef"[nibble];
  return text;
}

}  // namespace feedtune
