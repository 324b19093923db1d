"""One sample: one loader with one number of workers in a fresh process, measured from outside.

The child writes one JSON object a line to its --events descriptor: `first` (the first batch is there), `begin` and `end`
of the measured window (with images and seconds), then waits for its standard input to close. Its clock is
CLOCK_MONOTONIC, as the runner's is.
"""
import dataclasses
import json
import os
import select
import signal
import subprocess
import time

import process_tree


class SampleFailed(Exception):
    pass


@dataclasses.dataclass
class Sample:
    loader: str
    workers: int
    round: int
    images_per_s: float
    images_per_cpu_s: float
    first_batch_s: float           # from the start of the process
    first_batch_imported_s: float  # from when the loader's libraries were imported
    pss_bytes: int
    other_cpus: float              # used by anything else (steal included) in the window
    window_s: float
    versions: dict


class _Events:
    def __init__(self, descriptor, deadline):
        self._descriptor, self._deadline, self._pending = descriptor, deadline, b""

    def wait_for(self, name):
        while True:
            line, newline, rest = self._pending.partition(b"\n")
            if newline:
                self._pending = rest
                event = json.loads(line)
                if event["event"] != name:
                    raise SampleFailed(f"event {event['event']}, expected {name}")
                return event
            left = self._deadline - time.monotonic()
            if left <= 0 or not select.select([self._descriptor], [], [], left)[0]:
                raise SampleFailed(f"no event {name} in time")
            data = os.read(self._descriptor, 65536)
            if not data:
                raise SampleFailed(f"ended before event {name}")
            self._pending += data


def _stop(child):
    """Ends the child and whatever is left of the session that it leads."""
    try:
        child.stdin.close()
        child.wait(timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        pass
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    child.wait()


def take(command, environment, name, workers, round_number, log_path, timeout_s):
    """Runs one child. Throws SampleFailed with the end of what it printed."""
    read_end, write_end = os.pipe()
    started = time.monotonic()
    with open(log_path, "wb") as log:
        child = subprocess.Popen(command + ["--events", str(write_end)], env=environment, pass_fds=[write_end],
                                 stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True)
    os.close(write_end)
    try:
        events = _Events(read_end, started + timeout_s)
        first = events.wait_for("first")
        events.wait_for("begin")
        at = [time.monotonic()]
        cpu, busy = [process_tree.cpu_s(child.pid)], [process_tree.machine_busy_s()]
        end = events.wait_for("end")
        at.append(time.monotonic())
        cpu.append(process_tree.cpu_s(child.pid))
        busy.append(process_tree.machine_busy_s())
        pss = process_tree.pss_bytes(child.pid)
    except SampleFailed as failure:
        with open(log_path, "rb") as log:
            tail = log.read()[-600:].decode(errors="replace").strip()
        raise SampleFailed(f"{failure}; printed last: {tail or 'nothing'}") from None
    finally:
        _stop(child)
        os.close(read_end)
    observed_s = at[1] - at[0]
    cpus = (cpu[1] - cpu[0]) / observed_s
    images_per_s = end["images"] / end["seconds"]
    if end["images"] <= 0 or cpus <= 0:
        raise SampleFailed(f"{end['images']} images and {cpus:.2f} CPUs in the window")
    return Sample(loader=name, workers=workers, round=round_number, images_per_s=images_per_s,
                  images_per_cpu_s=images_per_s / cpus, first_batch_s=first["at"] - started,
                  first_batch_imported_s=first["at"] - first["imported_at"], pss_bytes=pss,
                  other_cpus=(busy[1] - busy[0]) / observed_s - cpus, window_s=end["seconds"],
                  versions=first.get("versions", {}))


def wait_until_quiet(cpus_max, timeout_s):
    """Until everything on the machine together uses less than `cpus_max` CPUs for half a second, or time is up."""
    deadline = time.monotonic() + timeout_s
    while True:
        begin, busy = time.monotonic(), process_tree.machine_busy_s()
        time.sleep(0.5)
        if (process_tree.machine_busy_s() - busy) / (time.monotonic() - begin) < cpus_max:
            return True
        if time.monotonic() > deadline:
            return False
