"""torchvision's RandomResizedCrop box (scale 0.08 to 1, ratio 3/4 to 4/3) for loaders that have none of their own."""
import math
import random


def draw(width, height):
    """(left, top, width, height)"""
    for _ in range(10):
        area = width * height * random.uniform(0.08, 1.0)
        ratio = math.exp(random.uniform(math.log(3 / 4), math.log(4 / 3)))
        w, h = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if 0 < w <= width and 0 < h <= height:
            return random.randint(0, width - w), random.randint(0, height - h), w, h
    w = min(width, round(height * 4 / 3))
    h = min(height, round(width * 4 / 3))
    return (width - w) // 2, (height - h) // 2, w, h
