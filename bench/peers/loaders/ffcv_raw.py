"""FFCV from its own file with decoded pixels inside: six times the bytes, no JPEG decoding."""
import ffcv_store

TITLE = "FFCV, raw"
FAMILY = "ffcv"
ENVIRONMENT = "venv-ffcv"
RESIZE = "area"
WORKERS = "threads"
INLINE = False
BY_NAME_ONLY = True  # another task: for pipelines that keep decoded pixels too
BOUND_LEVELS = 0.6
OWN_CROPS = "the decoder draws its own boxes; checked with the native function that it calls for each image"

variables = ffcv_store.variables
versions = ffcv_store.versions


def build(job):
    ffcv_store.build(job, "raw")


def batches(job):
    return ffcv_store.batches(job, "raw")


def prepare(path, box):
    return ffcv_store.prepare(path, box, "raw")
