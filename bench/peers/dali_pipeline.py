"""What both DALI loaders share."""
import functools

import job as jobs


def _scaled(values):
    return [255 * v for v in values]


def _resize_and_normalise(images, antialias, mirror):
    import nvidia.dali.fn as fn
    import nvidia.dali.types as types

    images = fn.resize(images, resize_x=jobs.SIDE, resize_y=jobs.SIDE, interp_type=types.INTERP_LINEAR, antialias=antialias)
    return fn.crop_mirror_normalize(images, dtype=types.FLOAT, output_layout="CHW", mean=_scaled(jobs.MEAN),
                                    std=_scaled(jobs.DEVIATION), mirror=mirror)


def batches(job, antialias):
    import nvidia.dali.fn as fn
    import nvidia.dali.types as types
    from nvidia.dali import pipeline_def

    @pipeline_def(batch_size=jobs.BATCH, num_threads=job.workers, device_id=None, prefetch_queue_depth=2)
    def training():
        encoded, labels = fn.readers.file(file_root=job.root, random_shuffle=True)
        images = fn.decoders.image_random_crop(encoded, device="cpu", output_type=types.RGB, random_area=[0.08, 1.0],
                                               random_aspect_ratio=[3 / 4, 4 / 3], adjust_orientation=False)
        return _resize_and_normalise(images, antialias, fn.random.coin_flip()), labels

    pipeline = training()
    pipeline.build()
    while True:
        images, _labels = pipeline.run()
        yield images.as_tensor()


@functools.lru_cache(maxsize=None)
def _checking(antialias):
    import nvidia.dali.fn as fn
    import nvidia.dali.types as types
    from nvidia.dali import pipeline_def

    @pipeline_def(batch_size=1, num_threads=1, device_id=None, prefetch_queue_depth=1, exec_pipelined=False,
                  exec_async=False)
    def one_image():
        encoded, anchor, shape = (fn.external_source(name=name) for name in ("encoded", "anchor", "shape"))
        images = fn.decoders.image_slice(encoded, anchor, shape, device="cpu", output_type=types.RGB, axis_names="WH",
                                         normalized_anchor=False, normalized_shape=False, adjust_orientation=False)
        return _resize_and_normalise(images, antialias, 0)

    pipeline = one_image()
    pipeline.build()
    return pipeline


def prepare(path, box, antialias):
    import numpy

    pipeline = _checking(antialias)
    pipeline.feed_input("encoded", [numpy.fromfile(path, numpy.uint8)])
    pipeline.feed_input("anchor", [numpy.array(box[:2], numpy.float32)])
    pipeline.feed_input("shape", [numpy.array(box[2:], numpy.float32)])
    return numpy.array(pipeline.run()[0].at(0))


def versions():
    import nvidia.dali
    import nvidia.dali.fn  # noqa: F401

    return {"DALI": nvidia.dali.__version__}
