"""torch DataLoader with Pillow, as torchvision's ImageNet example does."""
import pil_images
import torch_batches

TITLE = "torch DataLoader, Pillow"
FAMILY = "torch"
ENVIRONMENT = "venv"
RESIZE = "antialias"
WORKERS = "processes"
INLINE = True
BOUND_LEVELS = 0.6


def batches(job):
    return torch_batches.batches(job, pil_images.loading())


prepare = pil_images.prepare
versions = pil_images.versions
