"""An adapter whose loader does what loader_test.py asks for: `what` says which."""
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts/loaders"))
import feedtune_loader as feedtune


class Pixels:
    def __init__(self, *shape):
        self.shape, self.nbytes = shape, 1
        for side in shape:
            self.nbytes *= side


class Loader:
    def __init__(self, batch_size, what):
        self.batch_size, self.what = batch_size, what

    def __iter__(self):
        if self.what == "prints":
            print("noise from Python", flush=True)
            os.write(1, b"noise from C\n")
            subprocess.run(["echo", "noise from a child"], check=True)
        for index in range(0 if self.what == "empty" else 3):
            if self.what == "raises" and index == 1:
                raise ValueError("a broken file")
            if self.what == "slow":
                time.sleep(0.05)
            yield [[1, 2], [3, 4]] if self.what == "lists" else (Pixels(self.batch_size, 4, 4, 3), Pixels(self.batch_size))

    def close(self):
        print("closed", file=sys.stderr, flush=True)


def make_loader(batch_size, num_workers, prefetch_factor, what):
    print("prefetch_factor", prefetch_factor, file=sys.stderr, flush=True)
    if what == "memory":
        raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")
    if what == "unsupported":
        raise feedtune.Unsupported("needs a GPU")
    if what == "value":
        raise ValueError("prefetch_factor too large")
    if what == "broken":
        raise OSError("no such folder")
    return Loader(batch_size, what)


WHATS = ("fine", "prints", "empty", "raises", "slow", "lists", "memory", "unsupported", "value", "broken")
feedtune.serve(make_loader, step=(lambda batch: time.sleep(0.02)) if "step" in sys.argv else None,
               axes=[feedtune.Axis("what", "fine", choices=WHATS)], name="under test", version="1")
