"""torch DataLoader with torchvision's own JPEG decoder and its v2 transforms on tensors."""
import job as jobs
import torch_batches

TITLE = "torch DataLoader, torchvision v2"
FAMILY = "torch"
ENVIRONMENT = "venv"
RESIZE = "antialias"
WORKERS = "processes"
INLINE = True
BOUND_LEVELS = 0.6


def _decode(path):
    from torchvision import io

    return io.decode_jpeg(io.read_file(path), mode=io.ImageReadMode.RGB)


def _finish():
    import torch
    from torchvision.transforms import v2

    return [v2.ToDtype(torch.float32, scale=True), v2.Normalize(jobs.MEAN, jobs.DEVIATION)]


def batches(job):
    from torchvision.transforms import v2

    augment = v2.Compose([v2.RandomResizedCrop(jobs.SIDE, antialias=True), v2.RandomHorizontalFlip(), *_finish()])
    return torch_batches.batches(job, lambda path: augment(_decode(path)))


def prepare(path, box):
    from torchvision.transforms import v2
    from torchvision.transforms.v2 import functional

    left, top, width, height = box
    image = functional.resized_crop(_decode(path), top, left, height, width, [jobs.SIDE, jobs.SIDE], antialias=True)
    return v2.Compose(_finish())(image)


def versions():
    from torchvision.transforms import v2  # noqa: F401

    return torch_batches.versions()
