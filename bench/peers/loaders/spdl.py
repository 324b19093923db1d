"""SPDL: FFmpeg's decoder and filters on SPDL's threads; one filter graph crops, scales and flips."""
import random

import job as jobs
import random_crop

TITLE = "SPDL"
FAMILY = "spdl"
ENVIRONMENT = "venv"
RESIZE = "antialias"
WORKERS = "threads"
INLINE = False
# FFmpeg crops before it upsamples the chroma planes, which moves those of an odd box by half a pixel, and scales in fixed
# point.
BOUND_LEVELS = 3.0


def _decode(path, box=None, flip=False):
    import spdl.io

    packets = spdl.io.demux_image(path)
    if box is None:
        box = random_crop.draw(packets.width, packets.height)
    left, top, width, height = box
    graph = (f"crop=w={width}:h={height}:x={left}:y={top}:exact=1,scale=w={jobs.SIDE}:h={jobs.SIDE}:flags=bilinear,"
             f"{'hflip,' if flip else ''}format=pix_fmts=rgb24")
    return spdl.io.decode_packets(packets, filter_desc=graph)


def _finish(frames):
    import spdl.io
    import torch

    pixels = spdl.io.to_torch(spdl.io.convert_frames(frames)).permute(0, 3, 1, 2)
    mean, deviation = (255 * torch.tensor(v).view(1, 3, 1, 1) for v in (jobs.MEAN, jobs.DEVIATION))
    return pixels.to(torch.float32).sub_(mean).div_(deviation).contiguous()


def batches(job):
    import torch
    from spdl.pipeline import PipelineBuilder

    torch.set_num_threads(1)

    def order():
        paths = list(job.files)
        while True:
            random.shuffle(paths)
            yield from paths

    builder = PipelineBuilder().add_source(order())
    builder = builder.pipe(lambda path: _decode(path, flip=random.random() < 0.5), concurrency=job.workers)
    builder = builder.aggregate(jobs.BATCH).pipe(_finish, concurrency=1).add_sink(2)
    pipeline = builder.build(num_threads=job.workers)
    with pipeline.auto_stop():
        yield from pipeline


def prepare(path, box):
    return _finish([_decode(path, box)])[0].numpy()


def versions():
    import importlib.metadata

    import spdl.io  # noqa: F401
    import spdl.pipeline  # noqa: F401
    import torch

    return {"spdl": importlib.metadata.version("spdl"), "torch": torch.__version__}
