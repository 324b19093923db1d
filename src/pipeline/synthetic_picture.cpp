#include "pipeline/synthetic_picture.hpp"

#include <algorithm>
#include <array>

#include "pipeline/synthetic_noise.hpp"
#include "pipeline/synthetic_random.hpp"

namespace feedtune {
namespace {

constexpr int grey = 16;  // one grey level in NoisePlane's unit

/// An ellipse, or a bar, that leans by `lean` / 256 columns a row; its light changes by `slope` / 256 a column.
struct Object {
  int centre_x = 0, centre_y = 0, half_width = 0, half_height = 0, lean = 0;
  bool bar = false;
  int light = 0, slope = 0, blue = 0, red = 0;
};

int integer_root(int value) {
  int root = 0;
  for (int bit = 1 << 10; bit > 0; bit >>= 1)
    if ((root + bit) * (root + bit) <= value) root += bit;
  return root;
}

/// Calls paint(y, left, right) for the object's rows in a plane that is `shrink` times smaller than the picture.
template <class PaintRow>
void for_each_row(const Object& object, int shrink, const NoisePlane& plane, const PaintRow& paint) {
  const int top = std::max((object.centre_y - object.half_height) / shrink, 0);
  const int bottom = std::min((object.centre_y + object.half_height) / shrink, plane.height);
  for (int y = top; y < bottom; ++y) {
    const int dy = y * shrink - object.centre_y;
    int half = object.half_width;
    if (!object.bar) {  // half_width * sqrt(1 - (dy / half_height)^2), with 10 bits of the root
      const int t = dy * 1024 / object.half_height;
      half = half * integer_root(std::max(0, 1024 * 1024 - t * t)) / 1024;
    }
    const int middle = object.centre_x + dy * object.lean / 256;
    const int left = std::clamp((middle - half) / shrink, 0, plane.width);
    const int right = std::clamp((middle + half) / shrink, 0, plane.width);
    if (left < right) paint(y, left, right);
  }
}

Object random_object(SyntheticRandom& random, int width, int height) {
  Object object;
  const int side = std::min(width, height);
  const int size = std::max<int>(3, side * std::int64_t{exp2_q16(-random.below(q16(4.0)))} >> 17);  // side/2 .. side/32
  object.bar = random.below(3) == 0;
  object.centre_x = random.below(width);
  object.centre_y = random.below(height);
  object.half_width = object.bar ? random.between(1, 8) : size;
  object.half_height = std::max(2, size * random.between(100, 400) / 256);
  object.lean = random.between(-300, 300);
  object.light = random.between(-85, 85) * grey;
  object.slope = random.between(-60, 60) * grey;
  object.blue = random.between(-20, 16) * grey;
  object.red = random.between(-16, 22) * grey;
  return object;
}

/// Octaves from `fine` (cells of one pixel) upwards, each `ratio` / 256 of the next finer one, up to `limit`.
NoiseSpec rising(int fine, int ratio, int limit, const NoisePlane* gain) {
  NoiseSpec spec;
  spec.gain = gain;
  for (int& range : spec.ranges) {
    range = std::min(fine, limit);
    fine = fine * ratio / 256;
  }
  return spec;
}

void to_bytes(const NoisePlane& from, int middle, SyntheticPlane& to) {
  to.width = from.width;
  to.height = from.height;
  to.values.resize(from.values.size());
  for (std::size_t i = 0; i < from.values.size(); ++i)
    to.values[i] = static_cast<std::uint8_t>(std::clamp(middle + ((from.values[i] + grey / 2) >> 4), 0, 255));
}

void add(const NoisePlane& what, NoisePlane& to) {
  for (std::size_t i = 0; i < to.values.size(); ++i)
    to.values[i] = static_cast<std::int16_t>(to.values[i] + what.values[i]);
}

}  // namespace

struct SyntheticPainter::Canvas {
  NoiseMaker noise;
  NoisePlane gain, texture, enlarged;
  NoisePlane y, cb, cr;

  void clear(int width, int height, SyntheticRandom& random) {
    y.resize(width, height);
    const int top = random.between(-50, 50) * grey, bottom = random.between(-50, 50) * grey;
    for (int row = 0; row < height; ++row)
      std::fill_n(y.row(row), width, static_cast<std::int16_t>(top + (bottom - top) * row / height));
    for (NoisePlane* chroma : {&cb, &cr}) {
      chroma->resize((width + 1) / 2, (height + 1) / 2);
      std::fill(chroma->values.begin(), chroma->values.end(),
                static_cast<std::int16_t>(random.between(-10, 10) * grey));
    }
  }

  void draw(const Object& object) {
    for_each_row(object, 1, y, [&](int row, int left, int right) {
      std::int16_t* values = y.row(row);
      for (int x = left; x < right; ++x)
        values[x] = static_cast<std::int16_t>(object.light + object.slope * (x - object.centre_x) / 256);
    });
    for_each_row(object, 2, cb, [&](int row, int left, int right) {
      std::fill(cb.row(row) + left, cb.row(row) + right, static_cast<std::int16_t>(object.blue));
      std::fill(cr.row(row) + left, cr.row(row) + right, static_cast<std::int16_t>(object.red));
    });
  }
};

SyntheticPainter::SyntheticPainter() : canvas_(std::make_unique<Canvas>()) {}
SyntheticPainter::~SyntheticPainter() = default;

const SyntheticPicture& SyntheticPainter::paint(std::uint64_t seed, int width, int height, int detail,
                                                SyntheticColour colour) {
  SyntheticRandom random(seed);
  Canvas& canvas = *canvas_;
  canvas.clear(width, height, random);
  for (int count = random.between(15, 60); count > 0; --count) canvas.draw(random_object(random, width, height));

  // How busy each place is: from an eighth to three times.
  canvas.noise.make(random.next(), width / 4 + 1, height / 4 + 1, rising(30, 400, 300, nullptr), canvas.gain);
  for (std::int16_t& value : canvas.gain.values) value = static_cast<std::int16_t>(std::clamp(230 + value, 32, 768));

  const int fine = random.between(3 * grey, 7 * grey) * detail / 256;
  const int ratio = random.between(330, 460);
  canvas.noise.make(random.next(), width, height, rising(fine, ratio, 40 * grey, &canvas.gain), canvas.texture);
  add(canvas.texture, canvas.y);
  const int grain = random.between(3 * grey, 14 * grey) * detail / 256;
  add_grain(random.next(), grain, canvas.y);
  to_bytes(canvas.y, random.between(95, 145), picture_.y);
  if (colour == SyntheticColour::none) return picture_;

  const int chroma_fine = random.between(grey, 3 * grey) * detail / 256;
  for (auto [chroma, bytes] : {std::pair{&canvas.cb, &picture_.cb}, {&canvas.cr, &picture_.cr}}) {
    canvas.noise.make(random.next(), chroma->width, chroma->height, rising(chroma_fine, 370, 12 * grey, nullptr),
                      canvas.texture);
    add(canvas.texture, *chroma);
    add_grain(random.next(), grain / 4, *chroma);
    if (colour == SyntheticColour::full) {
      enlarge(*chroma, width, height, canvas.enlarged);
      add_grain(random.next(), grain / 4, canvas.enlarged);
      to_bytes(canvas.enlarged, 128, *bytes);
    } else {
      to_bytes(*chroma, 128, *bytes);
    }
  }
  return picture_;
}

}  // namespace feedtune
