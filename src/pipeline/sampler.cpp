#include "pipeline/sampler.hpp"

#include <bit>

#include "core/error.hpp"
#include "pipeline/hash.hpp"

namespace feedtune {

Sampler::Sampler(std::size_t images, std::uint64_t seed) : images_(images), seed_(mix64(seed)) {
  // Each reader of a list refuses an empty one with its place; what slips past them must not end in a division by zero.
  if (images == 0) throw InputError("data", "no image in it");
  const int bits = std::bit_width(images - 1);
  high_bits_ = bits / 2;
  low_bits_ = bits - high_bits_;
}

std::size_t Sampler::shuffled(std::uint64_t key, std::size_t index) const {
  const std::uint64_t low_mask = (std::uint64_t{1} << low_bits_) - 1;
  const std::uint64_t high_mask = (std::uint64_t{1} << high_bits_) - 1;
  std::uint64_t value = index;
  do {
    std::uint64_t low = value & low_mask;
    std::uint64_t high = value >> low_bits_;
    // Each half round can be undone, so the whole is a permutation whatever the mixing function is. Four full rounds:
    // Luby and Rackoff need that many.
    for (std::uint64_t round = 0; round < 8; round += 2) {
      high ^= mix64(key + (round << 56) + low) & high_mask;
      low ^= mix64(key + ((round + 1) << 56) + high) & low_mask;
    }
    value = (high << low_bits_) | low;
  } while (value >= images_);
  return static_cast<std::size_t>(value);
}

Sample Sampler::at(std::int64_t position) const {
  Sample sample;
  sample.position = position;
  sample.epoch = position / static_cast<std::int64_t>(images_);
  const std::uint64_t key = mix64(seed_ + static_cast<std::uint64_t>(sample.epoch));
  sample.image = shuffled(key, static_cast<std::size_t>(position % static_cast<std::int64_t>(images_)));
  sample.random = mix64(key ^ mix64(sample.image + 0x5eed));
  return sample;
}

}  // namespace feedtune
