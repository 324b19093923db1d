#include "pipeline/transform.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace feedtune {

Transform::Transform(const TransformOptions& options) : options_(options), pool_(options.threads) {
  if (options.output != InputType::uint8 && options.output != InputType::float32)
    throw TrialFailure(TrialStatus::unsupported, fmt::format("input_type={}: the native loader makes uint8 and float32",
                                                             to_text(options.output)));
  column_taps_.resize(static_cast<std::size_t>(options.side));
  scratch_.resize(static_cast<std::size_t>(options.threads));
}

std::size_t Transform::output_bytes() const {
  const auto side = static_cast<std::size_t>(options_.side);
  return 3 * side * side * bytes_per_value(options_.output);
}

void Transform::apply(const DecodedImage& image, bool flip, std::span<std::byte> destination) {
  row_weights_.set(image.height, options_.side, options_.resize, false);
  column_weights_.set(image.width, options_.side, options_.resize, flip);
  for (int x = 0; x < options_.side; ++x)
    column_taps_[static_cast<std::size_t>(x)] = {column_weights_.first(x), column_weights_.count(x),
                                                 column_weights_.weights(x)};
  for (Scratch& scratch : scratch_) {  // here, because a helper thread has nowhere to report that memory is out
    scratch.rows.resize(row_weights_.most());
    scratch.blended.resize(static_cast<std::size_t>(image.width) * 3 + 1);
    scratch.resized.resize(static_cast<std::size_t>(options_.side) * 4);
  }
  pool_.run(options_.side, [&](int begin, int end, int thread) {
    apply_rows(image, begin, end, scratch_[static_cast<std::size_t>(thread)], destination.data());
  });
}

void Transform::apply_rows(const DecodedImage& image, int begin, int end, Scratch& scratch,
                           std::byte* destination) const {
  for (int row = begin; row < end; ++row) {
    const int count = row_weights_.count(row);
    const std::uint8_t* pixels = image.pixels + static_cast<std::size_t>(row_weights_.first(row)) * image.row_bytes;
    for (int k = 0; k < count; ++k, pixels += image.row_bytes) scratch.rows[static_cast<std::size_t>(k)] = pixels;
    blend_rows(scratch.rows.data(), row_weights_.weights(row), count, image.width * 3, scratch.blended.data());
    blend_columns(scratch.blended.data(), column_taps_.data(), options_.side, scratch.resized.data());
    store(scratch.resized.data(), row, destination);
  }
}

void Transform::store(const float* rgbx, int row, std::byte* destination) const {
  const auto side = static_cast<std::size_t>(options_.side);
  const std::size_t at = static_cast<std::size_t>(row) * side;
  const std::size_t plane = side * side;
  if (options_.output == InputType::uint8) {
    auto* values = reinterpret_cast<std::uint8_t*>(destination) + at;
    store_uint8(rgbx, options_.side, values, values + plane, values + 2 * plane);
  } else {
    auto* values = reinterpret_cast<float*>(destination) + at;
    store_normalised(rgbx, options_.side, values, values + plane, values + 2 * plane);
  }
}

}  // namespace feedtune
