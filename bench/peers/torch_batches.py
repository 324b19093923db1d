"""What the torch loaders share: torch.utils.data.DataLoader over a function that prepares one file."""
import job as jobs


def batches(job, load):
    """`load(path)` -> float32 [3, 224, 224]. The sampler never ends, so that workers start once, as they would stay for a
    whole epoch of a large data set."""
    import torch

    torch.set_num_threads(1)

    class Files(torch.utils.data.Dataset):
        def __len__(self):
            return len(job.files)

        def __getitem__(self, index):
            return load(job.files[index]), job.labels[index]

    class Endless(torch.utils.data.Sampler):
        def __init__(self):
            pass

        def __iter__(self):
            while True:
                yield from torch.randperm(len(job.files)).tolist()

    loader = torch.utils.data.DataLoader(Files(), batch_size=jobs.BATCH, sampler=Endless(), num_workers=job.workers)
    return (images for images, _labels in loader)


def versions():
    import torch
    import torchvision

    return {"torch": torch.__version__, "torchvision": torchvision.__version__}
