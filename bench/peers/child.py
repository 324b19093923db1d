#!/usr/bin/env python3
"""The child process of a Python loader; run by run.py in the loader's own environment."""
import argparse
import json
import os
import sys
import time

import boxes
import job as jobs
import registry


def emit(descriptor, event, **values):
    os.write(descriptor, (json.dumps({"event": event, **values}) + "\n").encode())


def check_batch(batch):
    """The output that every loader must give; a loader that gives less work would win unfairly."""
    shape = tuple(batch.shape() if callable(batch.shape) else batch.shape)
    wanted = (jobs.BATCH, 3, jobs.SIDE, jobs.SIDE)
    if shape != wanted or not str(batch.dtype).lower().endswith(("float32'>", "float32", ".float")):
        raise SystemExit(f"a batch of {shape} {batch.dtype}, want {wanted} float32")


def measure(loader, arguments):
    job = jobs.make_job(arguments.data, arguments.workers, arguments.cache)
    versions = loader.versions()  # imports what the loader needs
    imported = time.monotonic()
    batches = loader.batches(job)
    check_batch(next(batches))
    emit(arguments.events, "first", at=time.monotonic(), imported_at=imported, versions=versions)
    warm_until = time.monotonic() + arguments.warmup
    warmed = 0
    while warmed < 8 or time.monotonic() < warm_until:
        next(batches)
        warmed += 1
    emit(arguments.events, "begin")
    begin, taken = time.monotonic(), 0
    while time.monotonic() - begin < arguments.seconds:
        next(batches)
        taken += 1
    emit(arguments.events, "end", images=taken * jobs.BATCH, seconds=time.monotonic() - begin)
    sys.stdin.read()  # the runner reads memory meanwhile
    os._exit(0)       # the runner ends the loader's workers


def check(loader, arguments):
    import numpy
    loader.versions()
    with open(arguments.output, "wb") as output:
        for entry in boxes.read(arguments.boxes):
            try:
                image = numpy.asarray(loader.prepare(entry.path, entry.box), numpy.float32)
                assert image.shape == (3, jobs.SIDE, jobs.SIDE), image.shape
            except Exception as error:
                print(f"{os.path.basename(entry.path)}: {str(error)[:200]}", file=sys.stderr)
                image = numpy.full((3, jobs.SIDE, jobs.SIDE), numpy.nan, numpy.float32)
            output.write(numpy.ascontiguousarray(image).tobytes())
        output.flush()
    sys.stderr.flush()
    os._exit(0)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=("measure", "check", "build"))
    parser.add_argument("--loader", required=True)
    parser.add_argument("--cache", required=True)
    parser.add_argument("--data")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--warmup", type=float)
    parser.add_argument("--events", type=int)
    parser.add_argument("--boxes")
    parser.add_argument("--output")
    arguments = parser.parse_args()
    loader = registry.load(arguments.loader)
    if arguments.command == "build":
        loader.build(jobs.make_job(arguments.data, 0, arguments.cache))
    else:
        (measure if arguments.command == "measure" else check)(loader, arguments)


if __name__ == "__main__":
    main()
