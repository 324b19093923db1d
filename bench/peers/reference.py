#!/usr/bin/env python3
"""What an image has to look like: Pillow's full decode, the crop, a resize in double precision, normalised. Run by run.py
in the torch environment (Pillow and NumPy).
  reference.py make DATA FOLDER          -> FOLDER/boxes.txt and FOLDER/<resize>.f32
  reference.py compare FOLDER RESIZE FILE -> one JSON object: differences in levels (1/255 of the range)
"""
import collections
import json
import random
import sys

import numpy
from PIL import Image

import boxes
import job as jobs
import random_crop

EACH_KIND = {"420": 16}  # of every other kind at most:
OTHERS = 4


def kind_of(image):
    if image.mode in ("L", "CMYK"):
        return {"L": "grey", "CMYK": "cmyk"}[image.mode]
    if image.info.get("progressive"):
        return "progressive"
    sampling = tuple(layer[1:3] for layer in image.layer)
    return {(2, 2): "420", (2, 1): "422", (1, 1): "444"}.get(sampling[0], "other")


def choose(job):
    """Some files of every kind, each with a random crop; of the first few also the whole image and its corners."""
    random.seed(1)
    order = list(job.files)
    random.shuffle(order)
    seen, entries = collections.Counter(), []
    for path in order:
        with Image.open(path) as image:
            kind, (width, height) = kind_of(image), image.size
        if seen[kind] >= EACH_KIND.get(kind, OTHERS):
            continue
        seen[kind] += 1
        box = random_crop.draw(width, height)
        if kind == "420" and seen[kind] <= 3:
            w, h = width // 2 + 1, height // 2 + 1
            box = [(0, 0, width, height), (0, 0, w, h), (width - w, height - h, w, h)][seen[kind] - 1]
        entries.append(boxes.Entry(box, kind, path))
    return entries


def weights(source, target, resize):
    """[target, source] matrix of one direction."""
    scale = source / target
    positions = numpy.arange(source)[None, :]
    if resize == "area" and scale >= 1:
        edges = numpy.arange(target)[:, None] * scale
        matrix = numpy.clip(numpy.minimum(positions + 1, edges + scale) - numpy.maximum(positions, edges), 0, None)
    elif resize == "area":  # OpenCV's INTER_AREA enlarges by blending the two pixels that an output pixel overlaps
        left = numpy.floor(numpy.arange(target) * scale).astype(int)
        share = numpy.clip((numpy.arange(target) + 1) - (left + 1) / scale, 0, None)
        share = numpy.where(share > 0, share - numpy.floor(share), 0)
        matrix = numpy.zeros((target, source))
        matrix[numpy.arange(target), left] += 1 - share
        matrix[numpy.arange(target), numpy.minimum(left + 1, source - 1)] += share
    else:
        support = max(scale, 1.0) if resize == "antialias" else 1.0
        centres = (numpy.arange(target)[:, None] + 0.5) * scale - 0.5
        if resize == "linear":
            centres = numpy.clip(centres, 0, source - 1)
        matrix = numpy.clip(1 - numpy.abs(positions - centres) / support, 0, None)
    return matrix / matrix.sum(axis=1, keepdims=True)


def prepare(path, box, resize):
    left, top, width, height = box
    with Image.open(path) as image:
        pixels = numpy.asarray(image.convert("RGB"), numpy.float64)[top:top + height, left:left + width]
    rows = numpy.tensordot(weights(height, jobs.SIDE, resize), pixels, axes=(1, 0))
    resized = numpy.tensordot(rows, weights(width, jobs.SIDE, resize), axes=(1, 1)).transpose(1, 0, 2)
    mean, deviation = (numpy.array(v)[:, None, None] for v in (jobs.MEAN, jobs.DEVIATION))
    return ((resized / 255 - mean) / deviation).astype(numpy.float32)


def make(data, folder):
    entries = choose(jobs.make_job(data, 0, ""))
    boxes.write(f"{folder}/boxes.txt", entries)
    for resize in ("antialias", "linear", "area"):
        numpy.stack([prepare(e.path, e.box, resize) for e in entries]).tofile(f"{folder}/{resize}.f32")


def compare(folder, resize, path):
    entries = boxes.read(f"{folder}/boxes.txt")
    shape = (len(entries), 3, jobs.SIDE, jobs.SIDE)
    wanted, got = (numpy.fromfile(p, numpy.float32) for p in (f"{folder}/{resize}.f32", path))
    if got.size != wanted.size:
        raise SystemExit(f"{got.size} values, want {wanted.size}")
    to_levels = 255 * numpy.array(jobs.DEVIATION)[:, None, None]
    difference = numpy.abs(got.reshape(shape).astype(numpy.float64) - wanted.reshape(shape)) * to_levels
    of_kind = collections.defaultdict(list)
    for entry, image in zip(entries, difference):
        of_kind[entry.kind].append((float(image.mean()), float(image.max())))
    result = {"images": len(entries), "kinds": {}}
    for kind, values in sorted(of_kind.items()):
        readable = [v for v in values if v[0] == v[0]]
        result["kinds"][kind] = {"images": len(values), "unreadable": len(values) - len(readable)}
        if readable:
            result["kinds"][kind].update(mean_levels=sum(v[0] for v in readable) / len(readable),
                                         worst_image_levels=max(v[0] for v in readable),
                                         max_levels=max(v[1] for v in readable))
    print(json.dumps(result))


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "make":
        make(*sys.argv[2:])
    elif len(sys.argv) == 5 and sys.argv[1] == "compare":
        compare(*sys.argv[2:])
    else:
        raise SystemExit(__doc__)
