#!/usr/bin/env python3
"""Measures feedtune's pipeline and other loaders in turn, on the same files and for the same output, and compares them
(README.md says how and by what rules)."""
import argparse
import dataclasses
import glob
import os
import platform
import random
import subprocess
import sys
import time

import equality
import job as jobs
import registry
import sample
import table
import targets


@dataclasses.dataclass
class Run:
    machine: dict
    plan: dict
    samples: list
    checks: dict       # loader -> differences from the reference
    skipped: dict      # loader -> why it was not measured (again)
    discarded: dict    # "loader workers" -> samples thrown away


def say(text):
    print(text, file=sys.stderr, flush=True)


def numbers(text):
    return [int(v) for v in text.split(",")]


def read_arguments():
    here = registry.HERE
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="folder of classes with JPEG files")
    parser.add_argument("--out", required=True, help="folder for samples, result.json and table.md")
    parser.add_argument("--loaders", default="", 
                        help=f"names, separated by commas, of {', '.join(registry.names())} (default: all that do the same task)")
    parser.add_argument("--workers", type=numbers, default=[0, 1, 2, 4], help="default 0,1,2,4")
    parser.add_argument("--repeats", type=int, default=7, help="rounds (default 7)")
    parser.add_argument("--seconds", type=float, default=6, help="of a measured window (default 6)")
    parser.add_argument("--warmup", type=float, default=2, help="seconds before it, and at least 8 batches (default 2)")
    parser.add_argument("--other-cpus-max", type=float, default=0.1,
                        help="throw a sample away when other processes used more CPUs than this (default 0.1)")
    parser.add_argument("--retries", type=int, default=3, help="of a sample thrown away or failed, a round (default 3)")
    parser.add_argument("--quiet-timeout", type=float, default=60,
                        help="longest wait for a quiet machine, seconds (default 60)")
    parser.add_argument("--timeout", type=float, default=180, help="of one sample, seconds (default 180)")
    parser.add_argument("--seed", type=int, default=1, help="of the order within a round (default 1)")
    parser.add_argument("--no-check", action="store_true", help="time without comparing outputs first (said in the table)")
    parser.add_argument("--programs", default=os.path.join(here, "../../build/bench/peers"),
                        help="folder of the built programs")
    parser.add_argument("--cache",
                        default=os.environ.get("FEEDTUNE_PEERS", os.path.expanduser("~/.cache/feedtune-peers")),
                        help="folder of setup.sh's environments (default $FEEDTUNE_PEERS, else ~/.cache/feedtune-peers)")
    arguments = parser.parse_args()
    if arguments.repeats < 1 or arguments.seconds <= 0 or min(arguments.workers) < 0:
        parser.error("want --repeats >= 1, --seconds > 0 and --workers >= 0")
    if not os.path.isdir(arguments.data):
        parser.error(f"--data {arguments.data}: no such folder")
    for name in ("data", "cache", "programs"):  # commands run elsewhere; a bin/python link must not be resolved
        setattr(arguments, name, os.path.abspath(getattr(arguments, name)))
    return arguments


def usable_loaders(arguments, skipped):
    loaders = {}
    for name in arguments.loaders.split(",") if arguments.loaders else registry.default_names():
        loader = registry.load(name)
        lacks = registry.missing(loader, arguments.cache, arguments.programs)
        if lacks:
            skipped[name] = lacks
            say(f"skipped {name}: {lacks}")
        else:
            loaders[name] = loader
    return loaders


def build_and_check(loaders, arguments, run):
    """Leaves out what can't keep the data in its own form or gives another output than the reference."""
    checker = None
    if not arguments.no_check:
        try:
            checker = equality.Checker(arguments.cache, arguments.programs, arguments.data, f"{arguments.out}/check")
        except (equality.CheckFailed, OSError) as failure:
            raise SystemExit(f"run.py: the reference could not be made ({failure}); setup.sh makes its environment, "
                             "--no-check goes on without")
    for name, loader in list(loaders.items()):
        try:
            if registry.has_own_store(loader):
                equality.run_quietly(registry.build_command(loader, arguments.cache, arguments.programs, arguments.data),
                                     registry.environment(loader, arguments.cache))
            if checker:
                run.checks[name] = checker.check(loader)
                mean = run.checks[name].get("mean_levels")
                say(f"checked {name}" + (f": {mean:.2f} levels" if mean is not None else "") +
                    (f" ({run.checks[name]['note']})" if run.checks[name]["note"] else ""))
        except (equality.CheckFailed, subprocess.SubprocessError) as failure:
            run.skipped[name] = f"not timed: {failure}"
            say(f"skipped {name}: {failure}")
            del loaders[name]


def warm_cache(job, cache):
    """Every byte that a loader will read, into the page cache; returns the JPEGs' bytes."""
    total = 0
    stores = []
    for path in glob.glob(f"{glob.escape(cache)}/*{jobs.data_key(job)}*"):
        stores += [f"{path}/{name}" for name in os.listdir(path)] if os.path.isdir(path) else [path]
    for path in [*job.files, *stores]:
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                total += len(block) if path not in stores else 0
    return total


def cells_of_round(loaders, arguments, number):
    """Loaders with the same number of workers follow one another, so that pairs are near in time; both orders change from
    round to round."""
    order = random.Random(f"{arguments.seed} {number}")
    cells = []
    for workers in order.sample(arguments.workers, len(arguments.workers)):
        able = [n for n, loader in loaders.items() if workers > 0 or loader.INLINE]
        cells += [(name, workers) for name in order.sample(able, len(able))]
    return cells


def measure(name, loader, workers, number, arguments, run):
    """One sample, or None when every try failed or was disturbed."""
    command = registry.measure_command(loader, arguments.cache, arguments.programs, arguments.data, workers,
                                       arguments.seconds, arguments.warmup)
    for _ in range(1 + arguments.retries):
        sample.wait_until_quiet(arguments.other_cpus_max, arguments.quiet_timeout)
        try:
            taken = sample.take(command, registry.environment(loader, arguments.cache, workers), name, workers, number,
                                f"{arguments.out}/child.log", arguments.timeout)
        except sample.SampleFailed as failure:
            say(f"failed {name}, {workers} workers: {failure}")
            continue
        if taken.other_cpus <= arguments.other_cpus_max:
            return taken
        key = f"{name} {workers}"
        run.discarded[key] = run.discarded.get(key, 0) + 1
        say(f"discarded {name}, {workers} workers: something else used {taken.other_cpus:.2f} CPUs")
    return None


def machine_facts():
    with open("/proc/cpuinfo") as file:
        cpu = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "unknown")
    return {"cpu": cpu, "cpus": len(os.sched_getaffinity(0)), "kernel": platform.release()}


def save(run, loaders, folder):
    for name, text in (("result.json", table.as_json(run, loaders)), ("table.md", table.markdown(run, loaders))):
        with open(f"{folder}/{name}.part", "w") as file:
            file.write(text)
        os.replace(f"{folder}/{name}.part", f"{folder}/{name}")


def main():
    arguments = read_arguments()
    os.makedirs(arguments.out, exist_ok=True)
    job = jobs.make_job(arguments.data, 0, arguments.cache)
    if not job.files:
        raise SystemExit(f"run.py: --data {arguments.data}: no JPEG file in any of its folders")
    run = Run(machine=machine_facts(), plan={}, samples=[], checks={}, skipped={}, discarded={})
    loaders = usable_loaders(arguments, run.skipped)
    build_and_check(loaders, arguments, run)
    run.plan = {"started": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()), "files": len(job.files),
                "mean_bytes": warm_cache(job, arguments.cache) / len(job.files), "batch_size": jobs.BATCH, "side": jobs.SIDE,
                "workers": arguments.workers, "repeats": arguments.repeats, "rounds_done": 0, "seconds": arguments.seconds,
                "warmup_s": arguments.warmup, "other_cpus_max": arguments.other_cpus_max, "seed": arguments.seed}
    begin = time.monotonic()
    try:
        for number in range(arguments.repeats):
            cells = cells_of_round(loaders, arguments, number)
            for at, (name, workers) in enumerate(cells, 1):
                taken = measure(name, loaders[name], workers, number, arguments, run)
                if taken is None:
                    continue
                run.samples.append(taken)
                minutes = (time.monotonic() - begin) / 60
                say(f"[{number + 1}/{arguments.repeats}, {at}/{len(cells)}, {minutes:.0f} min] {name}, {workers} workers: "
                    f"{taken.images_per_s:,.0f} images/s, {taken.images_per_cpu_s:,.0f} per CPU-s, first batch "
                    f"{taken.first_batch_s:.2f} s, {taken.pss_bytes / 1e6:,.0f} MB, others {taken.other_cpus:.2f} CPUs")
            run.plan["rounds_done"] = number + 1
            save(run, loaders, arguments.out)
    except KeyboardInterrupt:
        say("interrupted: the table holds what was measured")
        save(run, loaders, arguments.out)
    print(table.markdown(run, loaders))
    return 1 if any(t.judged and t.verdict == "missed" for t in targets.evaluate(run.samples, loaders)) else 0


if __name__ == "__main__":
    sys.exit(main())
