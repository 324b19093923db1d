"""NVIDIA DALI on the CPU with its default, antialiased resize."""
import dali_pipeline

TITLE = "DALI, antialiased"
FAMILY = "dali"
ENVIRONMENT = "venv"
RESIZE = "antialias"
WORKERS = "threads"
INLINE = False
BOUND_LEVELS = 0.8
OWN_CROPS = "image_random_crop draws its own boxes; checked with image_slice, the same decoder with a given box"


def batches(job):
    return dali_pipeline.batches(job, antialias=True)


def prepare(path, box):
    return dali_pipeline.prepare(path, box, antialias=True)


versions = dali_pipeline.versions
