"""torch DataLoader with pillow-simd, built for AVX2."""
import pil_images
import torch_batches

TITLE = "torch DataLoader, pillow-simd"
FAMILY = "torch"
ENVIRONMENT = "venv"
ENVIRONMENT_PATH = "pillow-simd"
RESIZE = "antialias"
WORKERS = "processes"
INLINE = True
BOUND_LEVELS = 0.6


def batches(job):
    return torch_batches.batches(job, pil_images.loading())


prepare = pil_images.prepare
versions = pil_images.versions
