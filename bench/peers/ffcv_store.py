"""What both FFCV loaders share. The JPEG files' bytes go into FFCV's file as they are (FFCV's writer would encode them again);
CMYK, which FFCV can't decode, is made RGB first."""
import io
import os
import types

import job as jobs

EPOCHS_IN_ONE = 50  # FFCV starts its threads anew each epoch: one long epoch, as a large data set has


def variables(workers):
    return {"NUMBA_NUM_THREADS": str(max(workers, 1))}  # the most that FFCV may ask Numba for; by default the CPUs


def _store(job, mode):
    return f"{job.cache}/ffcv-{mode}-{jobs.data_key(job)}.beton"


def _stored_bytes(path):
    """The JPEG as FFCV gets it, and its width and height."""
    import numpy
    from PIL import Image

    with open(path, "rb") as file:
        encoded = file.read()
    with Image.open(io.BytesIO(encoded)) as image:
        if image.mode == "CMYK":
            buffer = io.BytesIO()
            image.convert("RGB").save(buffer, "JPEG", quality=95)
            encoded = buffer.getvalue()
        return numpy.frombuffer(encoded, numpy.uint8), image.size


def _pixels(path):
    import numpy
    from PIL import Image

    with Image.open(path) as image:
        return numpy.array(image.convert("RGB"))


def build(job, mode):
    """`mode`: jpg or raw."""
    from ffcv.fields import IntField, RGBImageField
    from ffcv.fields.rgb_image import IMAGE_MODES
    from ffcv.writer import DatasetWriter

    if os.path.exists(_store(job, mode)):
        return

    class Files:
        def __len__(self):
            return len(job.files)

        def __getitem__(self, index):
            path = job.files[index]
            return (path if mode == "jpg" else _pixels(path)), job.labels[index]

    def encode(field, destination, path, malloc):
        encoded, (width, height) = _stored_bytes(path)
        destination["mode"] = IMAGE_MODES["jpg"]
        destination["width"], destination["height"] = width, height
        destination["data_ptr"], storage = malloc(encoded.nbytes)
        storage[:] = encoded

    field = RGBImageField(write_mode=mode)
    if mode == "jpg":
        field.encode = types.MethodType(encode, field)
    writer = DatasetWriter(_store(job, mode) + ".part", {"image": field, "label": IntField()}, num_workers=1)
    writer.from_indexed_dataset(Files(), chunksize=50)
    os.replace(_store(job, mode) + ".part", _store(job, mode))


def batches(job, mode):
    import numpy
    from ffcv.fields.decoders import IntDecoder, RandomResizedCropRGBImageDecoder
    from ffcv.loader import Loader, OrderOption
    from ffcv.transforms import NormalizeImage, RandomHorizontalFlip, ToTensor, ToTorchImage

    mean, deviation = (255 * numpy.array(v) for v in (jobs.MEAN, jobs.DEVIATION))
    image = [RandomResizedCropRGBImageDecoder((jobs.SIDE, jobs.SIDE)), RandomHorizontalFlip(),
             NormalizeImage(mean, deviation, numpy.float32), ToTensor(), ToTorchImage(convert_back_int16=False)]
    loader = Loader(_store(job, mode), batch_size=jobs.BATCH, num_workers=job.workers, order=OrderOption.RANDOM, os_cache=True,
                    drop_last=True, indices=numpy.tile(numpy.arange(len(job.files)), EPOCHS_IN_ONE),
                    pipelines={"image": image, "label": [IntDecoder(), ToTensor()]})
    while True:
        for images, _labels in loader:
            yield images


def prepare(path, box, mode):
    import numpy
    from ffcv.libffcv import imdecode, resize_crop

    if mode == "raw":
        whole = _pixels(path)
    else:
        encoded, (width, height) = _stored_bytes(path)
        whole = numpy.empty((height, width, 3), numpy.uint8)
        imdecode(encoded.copy(), whole, height, width, height, width, 0, 0, 1, 1, False, False)
    left, top, crop_width, crop_height = box
    image = numpy.empty((jobs.SIDE, jobs.SIDE, 3), numpy.uint8)
    resize_crop(whole, top, top + crop_height, left, left + crop_width, image)
    mean, deviation = (255 * numpy.array(v, numpy.float32) for v in (jobs.MEAN, jobs.DEVIATION))
    return ((image - mean) / deviation).transpose(2, 0, 1)


def versions():
    import importlib.metadata

    import ffcv.fields.decoders  # noqa: F401
    import ffcv.loader  # noqa: F401
    import ffcv.transforms  # noqa: F401
    import torch

    return {"ffcv": importlib.metadata.version("ffcv"), "torch": torch.__version__}
