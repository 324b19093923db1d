#!/usr/bin/env python3
"""Records what torchvision makes of a few pictures, for image_torchvision_test.cpp.

Needs torch, torchvision, Pillow and numpy; the tests only need what it writes to tests/data/torchvision. The pictures come
from formulas, so nothing else goes in. Run: make_torchvision_reference.py tests/data/torchvision

reference.bin, little-endian 32-bit integers unless said otherwise:
  magic "FTTV", number of cases, then for each: length and text of the JPEG's file name, left, top, width, height, flip,
  side, antialias, and 3 * side * side bytes: torchvision's uint8 output, planar.
normalised.bin: number of values, then triples (channel, value 0..255, float32 bits of Normalize(ToTensor)).
crops.bin: number of cases, then for each: image width, image height, number of draws, the draws as float64 in [0, 1)
  (area, ratio, top, left of each try), then left, top, width, height as torchvision's get_params chose them from these.
"""
import pathlib
import struct
import sys

import numpy
import torch
import torchvision
from PIL import Image
from torchvision.io import ImageReadMode, decode_jpeg
from torchvision.transforms import InterpolationMode, RandomResizedCrop
from torchvision.transforms import functional as F


def picture(width, height, channels, seed):
    """Gradients, waves, hard edges and some noise."""
    y, x = numpy.mgrid[0:height, 0:width].astype(numpy.float64)
    random = numpy.random.default_rng(seed)
    planes = []
    for c in range(channels):
        wave = 90 + 70 * numpy.sin(x * 0.05 * (c + 1) + y * 0.031) * numpy.cos(y * 0.043 - c)
        edges = 60 * (((x // 23).astype(int) + (y // 17).astype(int) + c) % 2)
        planes.append(wave + edges * (x > width / 2) + random.normal(0, 6, (height, width)))
    pixels = numpy.clip(numpy.stack(planes, axis=-1), 0, 255).astype(numpy.uint8)
    return pixels[:, :, 0] if channels == 1 else pixels


def write_pictures(folder):
    kinds = [
        ("420.jpg", 240, 180, 3, "RGB", dict(quality=88, subsampling=2)),
        ("444.jpg", 150, 200, 3, "RGB", dict(quality=92, subsampling=0)),
        ("422_progressive.jpg", 220, 131, 3, "RGB", dict(quality=80, subsampling=1, progressive=True)),
        ("grey.jpg", 160, 120, 1, "L", dict(quality=85)),
        ("cmyk.jpg", 96, 80, 4, "CMYK", dict(quality=90)),
    ]
    for index, (name, width, height, channels, mode, options) in enumerate(kinds):
        image = Image.fromarray(picture(width, height, channels, index), mode)
        image.save(folder / name, "JPEG", **options)
    return [kind[0] for kind in kinds]


def record_outputs(folder, names):
    cases = []
    for index, name in enumerate(names):
        data = torch.frombuffer(bytearray((folder / name).read_bytes()), dtype=torch.uint8)
        image = decode_jpeg(data, mode=ImageReadMode.RGB)
        height, width = image.shape[1:]
        boxes = [
            (0, 0, width, height, False, 64, True),
            (width // 3, height // 4, width // 2, height // 2, True, 64, True),
            (width - 40, height - 31, 40, 31, False, 64, True),  # enlarged
            (5, 3, width - 9, height - 5, True, 48, False),
        ]
        if index == 0:
            boxes.append((3, 7, width - 20, height - 11, False, 128, True))
        for left, top, w, h, flip, side, antialias in boxes:
            output = F.resized_crop(image, top, left, h, w, [side, side], InterpolationMode.BILINEAR, antialias=antialias)
            if flip:
                output = F.hflip(output)
            assert output.dtype == torch.uint8
            cases.append((name, left, top, w, h, flip, side, antialias, output.contiguous().numpy().tobytes()))
    with open(folder / "reference.bin", "wb") as file:
        file.write(b"FTTV" + struct.pack("<i", len(cases)))
        for name, *numbers, pixels in cases:
            file.write(struct.pack("<i", len(name)) + name.encode())
            file.write(struct.pack("<7i", *map(int, numbers)) + pixels)


def record_normalised(folder):
    triples = []
    for value in range(256):
        image = numpy.full((1, 1, 3), value, numpy.uint8)
        output = F.normalize(F.to_tensor(image), [0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
        for channel in range(3):
            triples.append((channel, value, output[channel, 0, 0].item()))
    with open(folder / "normalised.bin", "wb") as file:
        file.write(struct.pack("<i", len(triples)))
        for triple in triples:
            file.write(struct.pack("<iif", *triple))


class Draws:
    """Feeds get_params known numbers in place of torch's generator, and remembers them."""

    def __init__(self, seed):
        self.random = numpy.random.default_rng(seed)
        self.drawn = []

    def next(self):
        self.drawn.append(float(self.random.random()))
        return self.drawn[-1]

    def empty(self, _):
        draws = self

        class Cell:
            def uniform_(self, low, high):
                return torch.tensor([float(low) + (float(high) - float(low)) * draws.next()], dtype=torch.float64)

        return Cell()

    def randint(self, low, high, size):
        return torch.tensor([low + min(int(self.next() * (high - low)), high - low - 1)])


def record_crops(folder):
    sizes = [(500, 375), (375, 500), (640, 480), (32, 32), (1, 1), (1000, 40), (40, 1000), (7, 5), (300, 200)]
    records = []
    for seed in range(200):
        width, height = sizes[seed % len(sizes)]
        draws = Draws(seed)
        empty, randint = torch.empty, torch.randint
        torch.empty, torch.randint = draws.empty, draws.randint
        try:
            top, left, h, w = RandomResizedCrop.get_params(Image.new("L", (width, height)), [0.08, 1.0], [3 / 4, 4 / 3])
        finally:
            torch.empty, torch.randint = empty, randint
        records.append((width, height, draws.drawn, left, top, w, h))
    with open(folder / "crops.bin", "wb") as file:
        file.write(struct.pack("<i", len(records)))
        for width, height, drawn, *box in records:
            file.write(struct.pack("<3i", width, height, len(drawn)))
            file.write(struct.pack(f"<{len(drawn)}d", *drawn) + struct.pack("<4i", *box))


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    names = write_pictures(folder)
    record_outputs(folder, names)
    record_normalised(folder)
    record_crops(folder)
    (folder / "versions.txt").write_text(f"torch {torch.__version__}, torchvision {torchvision.__version__}, "
                                         f"Pillow {Image.__version__}\n")


if __name__ == "__main__":
    main()
