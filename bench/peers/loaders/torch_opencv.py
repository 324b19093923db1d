"""torch DataLoader with OpenCV: imdecode, resize, and a table look-up that normalises straight into the planes."""
import random

import job as jobs
import random_crop
import torch_batches

TITLE = "torch DataLoader, OpenCV"
FAMILY = "torch"
ENVIRONMENT = "venv"
RESIZE = "linear"
WORKERS = "processes"
INLINE = True
BOUND_LEVELS = 0.6


class _Preparer:
    def __init__(self):
        import cv2
        import numpy

        cv2.setNumThreads(0)
        levels = numpy.arange(256, dtype=numpy.float32) / 255
        self._tables = [((levels - m) / d).astype(numpy.float32) for m, d in zip(jobs.MEAN, jobs.DEVIATION)]
        self._flags = cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION

    def decode(self, path):
        import cv2
        import numpy

        return cv2.imdecode(numpy.fromfile(path, numpy.uint8), self._flags)  # BGR

    def finish(self, image, box, flip):
        import cv2
        import numpy

        left, top, width, height = box
        image = cv2.resize(image[top:top + height, left:left + width], (jobs.SIDE, jobs.SIDE),
                           interpolation=cv2.INTER_LINEAR)
        if flip:
            image = cv2.flip(image, 1)
        planes = numpy.empty((3, jobs.SIDE, jobs.SIDE), numpy.float32)
        for plane, channel, table in zip(planes, reversed(cv2.split(image)), self._tables):
            cv2.LUT(channel, table, dst=plane)
        return planes

    def load(self, path):
        import torch

        image = self.decode(path)
        box = random_crop.draw(image.shape[1], image.shape[0])
        return torch.from_numpy(self.finish(image, box, random.random() < 0.5))


def batches(job):
    return torch_batches.batches(job, _Preparer().load)


def prepare(path, box):
    preparer = _Preparer()
    return preparer.finish(preparer.decode(path), box, False)


def versions():
    import cv2

    return {**torch_batches.versions(), "OpenCV": cv2.__version__}
