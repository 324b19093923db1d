"""Pillow's half of the torch loaders with Pillow or pillow-simd: torchvision's documented ImageNet recipe."""
import job as jobs


def open_rgb(path):
    from PIL import Image

    with open(path, "rb") as file:
        return Image.open(file).convert("RGB")


def finish():
    from torchvision import transforms

    return transforms.Compose([transforms.ToTensor(), transforms.Normalize(jobs.MEAN, jobs.DEVIATION)])


def loading():
    from torchvision import transforms

    augment = transforms.Compose([transforms.RandomResizedCrop(jobs.SIDE), transforms.RandomHorizontalFlip(), finish()])
    return lambda path: augment(open_rgb(path))


def prepare(path, box):
    from torchvision.transforms import functional

    left, top, width, height = box
    return finish()(functional.resized_crop(open_rgb(path), top, left, height, width, [jobs.SIDE, jobs.SIDE]))


def versions():
    import PIL
    import torch_batches
    from torchvision import transforms  # noqa: F401

    return {**torch_batches.versions(), "Pillow": PIL.__version__}
