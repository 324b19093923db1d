"""The loaders, one file in loaders/ each. A file says, as module constants:

TITLE, FAMILY ("feedtune", "limit" or the peer's), RESIZE (antialias, linear, area, none), WORKERS ("threads", "processes"),
INLINE (has a 0-worker mode), BOUND_LEVELS (largest mean difference of an image from the reference; None: not checked) and
either ENVIRONMENT (a folder of the cache, see setup.sh) or PROGRAM and ARGUMENTS (built by CMake). OWN_CROPS says why its
crops can't be given in the timed path, where that is so; NOT_CHECKED says why its pixels aren't compared; STORE is the folder
of the cache in which a program's `build` keeps the data in a form of its own; ENVIRONMENT_PATH puts a folder in front of Python's path;
variables(workers) gives further environment variables; BY_NAME_ONLY keeps a loader out of a run that names none.

A Python loader defines batches(job), an endless iterator of float32 [64, 3, 224, 224] batches, prepare(path, box), the
same preparation of one image for the check, versions(), and, if it keeps the data in its own form, build(job).
"""
import importlib.util
import os

import job as jobs

HERE = os.path.dirname(os.path.abspath(__file__))


def names():
    return sorted(name[:-3] for name in os.listdir(f"{HERE}/loaders") if name.endswith(".py"))


def default_names():
    return [name for name in names() if not getattr(load(name), "BY_NAME_ONLY", False)]


def load(name):
    if name not in names():
        raise ValueError(f"no loader '{name}' (accepted: {', '.join(names())})")
    spec = importlib.util.spec_from_file_location(f"loader_{name}", f"{HERE}/loaders/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)  # imports nothing heavy: loaders do that in their functions
    module.NAME = name
    return module


def is_program(loader):
    return hasattr(loader, "PROGRAM")


def missing(loader, cache, programs):
    """Empty where the loader can run, else what it lacks."""
    if is_program(loader):
        path = f"{programs}/{loader.PROGRAM}"
        return "" if os.access(path, os.X_OK) else f"{loader.PROGRAM} is not built (ninja {loader.PROGRAM})"
    if not os.access(python(loader, cache), os.X_OK):
        return f"no environment {loader.ENVIRONMENT} (setup.sh)"
    folder = getattr(loader, "ENVIRONMENT_PATH", None)
    return "" if folder is None or os.path.isdir(f"{cache}/{folder}") else f"no folder {folder} (setup.sh)"


def python(loader, cache):
    return f"{cache}/{loader.ENVIRONMENT}/bin/python"


def environment(loader, cache, workers=1):
    """One thread a worker: what the libraries below would start by themselves is switched off."""
    variables = dict(os.environ, OMP_NUM_THREADS="1", MKL_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1",
                     PYTHONDONTWRITEBYTECODE="1", PYTHONNOUSERSITE="1", CUDA_VISIBLE_DEVICES="", TF_CPP_MIN_LOG_LEVEL="3")
    if hasattr(loader, "variables"):
        variables.update(loader.variables(workers))
    variables.pop("PYTHONPATH", None)
    if hasattr(loader, "ENVIRONMENT_PATH"):
        variables["PYTHONPATH"] = f"{cache}/{loader.ENVIRONMENT_PATH}"
    return variables


def has_own_store(loader):
    return hasattr(loader, "STORE") or hasattr(loader, "build")


def _store(loader, cache, root):
    if not hasattr(loader, "STORE"):
        return []
    return ["--store", f"{cache}/{loader.STORE}-{jobs.data_key(jobs.make_job(root, 0, cache))}"]


def measure_command(loader, cache, programs, root, workers, seconds, warmup_s):
    common = ["--data", root, "--workers", str(workers), "--seconds", str(seconds), "--warmup", str(warmup_s)]
    if is_program(loader):
        return [f"{programs}/{loader.PROGRAM}", "measure", *loader.ARGUMENTS, *common, *_store(loader, cache, root)]
    return [python(loader, cache), f"{HERE}/child.py", "measure", "--loader", loader.NAME, "--cache", cache, *common]


def check_command(loader, cache, programs, boxes, output):
    files = ["--boxes", boxes, "--output", output]
    if is_program(loader):
        return [f"{programs}/{loader.PROGRAM}", "check", *loader.ARGUMENTS, *files]
    return [python(loader, cache), f"{HERE}/child.py", "check", "--loader", loader.NAME, "--cache", cache, *files]


def build_command(loader, cache, programs, root):
    if is_program(loader):
        return [f"{programs}/{loader.PROGRAM}", "build", *loader.ARGUMENTS, "--data", root, *_store(loader, cache, root)]
    return [python(loader, cache), f"{HERE}/child.py", "build", "--loader", loader.NAME, "--cache", cache, "--data", root]
