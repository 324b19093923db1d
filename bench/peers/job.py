"""What every loader is asked for."""
import dataclasses
import hashlib
import os

MEAN = (0.485, 0.456, 0.406)  # ImageNet's, of values from 0 to 1
DEVIATION = (0.229, 0.224, 0.225)
SIDE = 224
BATCH = 64


@dataclasses.dataclass(frozen=True)
class Job:
    root: str      # folder of classes
    workers: int
    cache: str     # where a loader keeps its own form of the data
    files: tuple   # every JPEG below root, sorted
    labels: tuple  # number of the file's folder


def make_job(root, workers, cache):
    classes = sorted(e.name for e in os.scandir(root) if e.is_dir())
    files, labels = [], []
    for label, folder in enumerate(classes):
        for name in sorted(os.listdir(f"{root}/{folder}")):
            if name.lower().endswith((".jpg", ".jpeg")):
                files.append(f"{root}/{folder}/{name}")
                labels.append(label)
    return Job(root, workers, cache, tuple(files), tuple(labels))


def data_key(job):
    """Short digest of the files' names and sizes."""
    digest = hashlib.sha256()
    for path in job.files:
        digest.update(f"{os.path.relpath(path, job.root)} {os.path.getsize(path)}\n".encode())
    return digest.hexdigest()[:12]
