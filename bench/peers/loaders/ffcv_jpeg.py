"""FFCV from its own file with the JPEG bytes inside."""
import ffcv_store

TITLE = "FFCV, JPEG"
FAMILY = "ffcv"
ENVIRONMENT = "venv-ffcv"
RESIZE = "area"
WORKERS = "threads"
INLINE = False
BOUND_LEVELS = 2.0  # FFCV decodes with the fast, less accurate DCT: 1 to 1.7 levels before any resize
OWN_CROPS = "the decoder draws its own boxes; checked with the two native functions that it calls for each image"

variables = ffcv_store.variables
versions = ffcv_store.versions


def build(job):
    ffcv_store.build(job, "jpg")


def batches(job):
    return ffcv_store.batches(job, "jpg")


def prepare(path, box):
    return ffcv_store.prepare(path, box, "jpg")
