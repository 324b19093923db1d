#include "pipeline/packed_picture.hpp"

#include <algorithm>
#include <cstring>

#include "pipeline/image_decoder.hpp"
#include "pipeline/resample_kernels.hpp"

namespace feedtune {

ImageSize packed_size(ImageSize image, int side) {
  const int shorter = std::min(image.width, image.height);
  if (side <= 0 || shorter <= side) return image;
  const auto longer = static_cast<int>(std::int64_t{side} * std::max(image.width, image.height) / shorter);
  return image.width < image.height ? ImageSize{side, longer} : ImageSize{longer, side};
}

PackedPicture::PackedPicture(const PackRecipe& recipe) : recipe_(recipe), decoder_(make_image_decoder("turbo_full")) {}

PackedPicture::Record PackedPicture::make(std::span<const std::byte> encoded) {
  if (recipe_.kind == PackKind::jpeg) return {encoded};
  const ImageSize size = decoder_->read_header(encoded);
  const ImageSize to = packed_size(size, recipe_.side);
  const bool unchanged = to.width == size.width && to.height == size.height;
  if (recipe_.kind == PackKind::resized && unchanged && image_format(encoded) == ImageFormat::jpeg) return {encoded};
  const DecodedImage image = decoder_->decode({0, 0, size.width, size.height});
  resize(image, to);
  const bool damaged = !image.warning.empty();
  if (recipe_.kind == PackKind::resized)
    return {jpeg_.encode(pixels_.data() + raw_header_bytes, to.width, to.height, recipe_.quality), damaged};
  const auto header = encode_raw_header(to.width, to.height);
  std::memcpy(pixels_.data(), header.data(), header.size());
  return {std::as_bytes(std::span(pixels_)), damaged};
}

void PackedPicture::resize(const DecodedImage& image, ImageSize to) {
  const auto row_bytes = static_cast<std::size_t>(to.width) * 3;
  pixels_.resize(raw_header_bytes + row_bytes * static_cast<std::size_t>(to.height));
  std::uint8_t* out = pixels_.data() + raw_header_bytes;
  if (to.width == image.width && to.height == image.height) {
    for (int row = 0; row < to.height; ++row, out += row_bytes)
      std::memcpy(out, image.pixels + static_cast<std::size_t>(row) * image.row_bytes, row_bytes);
    return;
  }
  row_weights_.set(image.height, to.height, Resize::antialias, false);
  column_weights_.set(image.width, to.width, Resize::antialias, false);
  rows_.resize(2 * static_cast<std::size_t>(row_weights_.pairs()));
  blended_.resize(static_cast<std::size_t>(image.width) * 3 +
                  static_cast<std::size_t>(columns_overread(column_weights_.pairs())));
  resized_.resize(static_cast<std::size_t>(to.width) * 4);
  for (int row = 0; row < to.height; ++row) {
    const int pairs = (row_weights_.count(row) + 1) / 2;
    for (int k = 0; k < 2 * pairs; ++k)  // an odd count's last row has the weight zero
      rows_[static_cast<std::size_t>(k)] =
          image.pixels + static_cast<std::size_t>(std::min(row_weights_.first(row) + k, image.height - 1)) * image.row_bytes;
    blend_rows(rows_.data(), row_weights_.weights(row), pairs, image.width * 3, blended_.data());
    blend_columns(blended_.data(), column_weights_.first(), column_weights_.weights(0), column_weights_.pairs(), to.width,
                  resized_.data());
    for (int x = 0; x < to.width; ++x, out += 3) std::memcpy(out, resized_.data() + 4 * static_cast<std::size_t>(x), 3);
  }
}

}  // namespace feedtune
