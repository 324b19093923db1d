"""tf.data: decode_and_crop_jpeg, bilinear resize without antialias (its default), all in graph mode."""
import job as jobs

TITLE = "tf.data"
FAMILY = "tf"
ENVIRONMENT = "venv-tensorflow"
RESIZE = "linear"
WORKERS = "threads"
INLINE = True
BOUND_LEVELS = 0.6


def _crop_and_resize(encoded, top, left, height, width):
    import tensorflow as tf

    image = tf.image.decode_and_crop_jpeg(encoded, tf.stack([top, left, height, width]), channels=3,
                                          dct_method="INTEGER_ACCURATE")
    return tf.image.resize(image, [jobs.SIDE, jobs.SIDE])


def _normalise(image):
    import tensorflow as tf

    factor = tf.constant([1 / (255 * d) for d in jobs.DEVIATION], tf.float32)
    offset = tf.constant([-m / d for m, d in zip(jobs.MEAN, jobs.DEVIATION)], tf.float32)
    return tf.transpose(image * factor + offset, [2, 0, 1])


def batches(job):
    import tensorflow as tf

    threads = max(job.workers, 1)
    tf.config.threading.set_inter_op_parallelism_threads(threads)
    tf.config.threading.set_intra_op_parallelism_threads(1)
    whole = tf.constant([0.0, 0.0, 1.0, 1.0], shape=[1, 1, 4])

    def load(path, label):
        encoded = tf.io.read_file(path)
        begin, size, _ = tf.image.sample_distorted_bounding_box(
            tf.image.extract_jpeg_shape(encoded), whole, min_object_covered=0.0, aspect_ratio_range=(3 / 4, 4 / 3),
            area_range=(0.08, 1.0), max_attempts=10, use_image_if_no_bounding_boxes=True)
        image = _crop_and_resize(encoded, begin[0], begin[1], size[0], size[1])
        return _normalise(tf.image.random_flip_left_right(image)), label

    data = tf.data.Dataset.from_tensor_slices((list(job.files), list(job.labels)))
    data = data.shuffle(len(job.files), reshuffle_each_iteration=True).repeat()
    data = data.map(load, num_parallel_calls=job.workers or None, deterministic=False if job.workers else None)
    data = data.batch(jobs.BATCH, drop_remainder=True)
    if job.workers:
        data = data.prefetch(2)
    options = tf.data.Options()
    options.threading.private_threadpool_size = threads
    options.threading.max_intra_op_parallelism = 1
    return (images for images, _labels in data.with_options(options))


def prepare(path, box):
    import tensorflow as tf

    left, top, width, height = box
    return _normalise(_crop_and_resize(tf.io.read_file(path), top, left, height, width)).numpy()


def versions():
    import tensorflow as tf

    return {"tensorflow": tf.__version__}
