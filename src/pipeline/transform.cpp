#include "pipeline/transform.hpp"

#include <algorithm>

#include "pipeline/resample_kernels.hpp"

namespace feedtune {

Transform::Transform(const TransformOptions& options) : options_(options), pool_(options.threads) {
  scratch_.resize(static_cast<std::size_t>(options.threads));
}

std::size_t Transform::output_bytes() const {
  const auto side = static_cast<std::size_t>(options_.side);
  return 3 * side * side * bytes_per_value(options_.output);
}

void Transform::apply(const DecodedImage& image, bool flip, std::span<std::byte> destination) {
  row_weights_.set(image.height, options_.side, options_.resize, false, image.down);
  column_weights_.set(image.width, options_.side, options_.resize, flip, image.across);
  const auto side = static_cast<std::size_t>(options_.side);
  for (Scratch& scratch : scratch_) {  // here, because a helper thread has nowhere to report that memory is out
    scratch.rows.resize(2 * static_cast<std::size_t>(row_weights_.pairs()));
    scratch.blended.resize(static_cast<std::size_t>(image.width * 3 + columns_overread(column_weights_.pairs())));
    scratch.resized.resize(side * 4);
    scratch.planes.resize(side * 3);
  }
  pool_.run(options_.side, [&](int begin, int end, int thread) {
    apply_rows(image, begin, end, scratch_[static_cast<std::size_t>(thread)], destination.data());
  });
}

void Transform::apply_rows(const DecodedImage& image, int begin, int end, Scratch& scratch,
                           std::byte* destination) const {
  for (int row = begin; row < end; ++row) {
    const int first = row_weights_.first(row);
    const int pairs = (row_weights_.count(row) + 1) / 2;
    for (int k = 0; k < 2 * pairs; ++k)  // an odd count's last row has the weight zero
      scratch.rows[static_cast<std::size_t>(k)] =
          image.pixels + static_cast<std::size_t>(std::min(first + k, image.height - 1)) * image.row_bytes;
    blend_rows(scratch.rows.data(), row_weights_.weights(row), pairs, image.width * 3, scratch.blended.data());
    blend_columns(scratch.blended.data(), column_weights_.first(), column_weights_.weights(0), column_weights_.pairs(),
                  options_.side, scratch.resized.data());
    store(scratch, row, destination);
  }
}

void Transform::store(Scratch& scratch, int row, std::byte* destination) const {
  const auto side = static_cast<std::size_t>(options_.side);
  const auto place = [&](int channel) {
    return (static_cast<std::size_t>(channel) * side + static_cast<std::size_t>(row)) * side;
  };
  if (options_.output == InputType::uint8) {
    auto* values = reinterpret_cast<std::uint8_t*>(destination);
    split_planes(scratch.resized.data(), options_.side, values + place(0), values + place(1), values + place(2));
    return;
  }
  std::uint8_t* planes = scratch.planes.data();
  split_planes(scratch.resized.data(), options_.side, planes, planes + side, planes + 2 * side);
  for (int channel = 0; channel < 3; ++channel, planes += side) {
    if (options_.output == InputType::float32)
      normalise(planes, options_.side, channel, reinterpret_cast<float*>(destination) + place(channel));
    else
      normalise(planes, options_.side, channel, reinterpret_cast<std::uint16_t*>(destination) + place(channel));
  }
}

}  // namespace feedtune
