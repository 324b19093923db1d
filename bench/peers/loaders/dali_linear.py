"""NVIDIA DALI on the CPU with the cheaper linear resize."""
import dali_pipeline

TITLE = "DALI, linear"
FAMILY = "dali"
ENVIRONMENT = "venv"
RESIZE = "linear"
WORKERS = "threads"
INLINE = False
BOUND_LEVELS = 0.8
OWN_CROPS = "image_random_crop draws its own boxes; checked with image_slice, the same decoder with a given box"


def batches(job):
    return dali_pipeline.batches(job, antialias=False)


def prepare(path, box):
    return dali_pipeline.prepare(path, box, antialias=False)


versions = dali_pipeline.versions
