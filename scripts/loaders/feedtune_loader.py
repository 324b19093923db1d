"""Makes any iterable of batches an adapter of feedtune: README.md beside this file has the protocol.

    import feedtune_loader
    def make_loader(batch_size, num_workers): ...        # anything that can be iterated
    feedtune_loader.serve(make_loader)

One thread only, so that loaders may fork. Needs Python 3.8 and nothing else.
"""
import collections.abc
import dataclasses
import gc
import inspect
import json
import math
import os
import select
import sys
import time

PROTOCOL = 1
LINE_LIMIT = 1 << 20  # bytes of one message, line end included; both sides
PHASES = ("read", "decode", "transform", "collate", "pin", "h2d")  # that an adapter may report


class Unsupported(Exception):
    """Raise it from make_loader for settings that this loader or machine can't do: no failure, only left out."""


@dataclasses.dataclass(frozen=True)
class Axis:
    """One argument of make_loader that may be swept. Values are integers, texts or booleans."""
    name: str
    default: object
    values: tuple = ()        # swept unless the user says otherwise; empty: the default alone
    minimum: object = None    # of integers
    maximum: object = None
    choices: tuple = ()       # all that is accepted; empty: whatever has the default's type
    unit: str = ""
    note: str = ""
    collapses: tuple = ()     # (other axis, value): there this axis means nothing, and `absent` is handed over
    absent: object = None

    def refusal(self, value):
        """Why `value` is not accepted; None: it is."""
        if type(value) is not type(self.default):
            return f"want {_TYPES[type(self.default)]}"
        if self.choices and value not in self.choices:
            return "want one of " + ", ".join(json.dumps(c) for c in self.choices)
        if self.minimum is not None and value < self.minimum:
            return f"want >= {self.minimum}"
        if self.maximum is not None and value > self.maximum:
            return f"want <= {self.maximum}"
        return None

    def declaration(self):
        return {"name": self.name, "default": self.default, "values": list(self.values) or [self.default],
                "minimum": self.minimum, "maximum": self.maximum, "choices": list(self.choices) or None,
                "unit": self.unit, "note": self.note,
                "collapses": dict([self.collapses]) if self.collapses else None}


_TYPES = {bool: "true or false", int: "an integer", str: "a text"}

# What most loaders have, under PyTorch's names; the defaults are its own.
COMMON = (
    Axis("batch_size", 64, (16, 32, 64, 128, 256), minimum=1, unit="images"),
    Axis("num_workers", 0, (0, 1, 2, 4, 8), minimum=0, unit="workers"),
    Axis("pin_memory", False, (False, True), note="batches in page-locked memory"),
    Axis("prefetch_factor", 2, (2, 4), minimum=1, unit="batches per worker", collapses=("num_workers", 0)),
    Axis("persistent_workers", False, (False, True), note="workers outlive an epoch", collapses=("num_workers", 0),
         absent=False),
)


def count_images(batch):
    """Images in a batch: the leading dimension of it, or of its members (tuple, list, mapping) that have one.

    Raises TypeError where that would be a guess; give serve() a `count` of your own then.
    """
    members = _members(batch)
    shapes = [tuple(m.shape) for m in members if len(getattr(m, "shape", ()))]
    uncollated = len(shapes) > 1 and len(shapes[0]) == 3 and len(set(shapes)) == 1  # as many images, perhaps
    if not shapes or uncollated or any(shape[0] != shapes[0][0] for shape in shapes):
        raise TypeError(f"can't tell how many images a {type(batch).__name__} holds: give serve() a count(batch)")
    return int(shapes[0][0])


def _members(batch):
    if isinstance(batch, collections.abc.Mapping):
        return list(batch.values())
    return list(batch) if isinstance(batch, (tuple, list)) else [batch]


def count_bytes(batch):
    """Bytes of a batch's arrays and tensors; None: it has none that say."""
    sizes = [m.nbytes for m in _members(batch) if isinstance(getattr(m, "nbytes", None), int)]
    return sum(sizes) if sizes else None


def axes_of(make_loader, extra=()):
    """The common axes that `make_loader` takes (all of them if it takes **arguments), then `extra`, which may redefine them.

    Raises TypeError for an extra axis that make_loader has no argument for, and for two of one name.
    """
    parameters = inspect.signature(make_loader).parameters.values()
    takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters)
    named = {p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)}
    axes = {a.name: a for a in COMMON if takes_all or a.name in named}
    seen = set()
    for axis in extra:
        if axis.name in seen:
            raise TypeError(f"axes: {axis.name} is there twice")
        if not takes_all and axis.name not in named:
            raise TypeError(f"axes: make_loader has no argument {axis.name}")
        seen.add(axis.name)
        axes[axis.name] = axis
    for axis in axes.values():
        for value in (axis.default, *axis.values):
            refusal = axis.refusal(value) if type(axis.default) in _TYPES else "its default is no integer, text or boolean"
            if refusal:
                raise TypeError(f"axes: {axis.name}={value!r}: {refusal}")
    return axes


def error_kind(error):
    """The protocol's word for an exception: unsupported, out_of_memory, bad_value or other."""
    if isinstance(error, (Unsupported, NotImplementedError, ImportError)):
        return "unsupported"
    if isinstance(error, MemoryError) or "out of memory" in str(error).lower():
        return "out_of_memory"
    return "bad_value" if isinstance(error, (TypeError, ValueError)) else "other"


class _Refused(ValueError):
    """A command that can't be followed: the other side's mistake, not the loader's."""


class _Gone(Exception):
    """The other side has closed its end, or said bye."""


class _Channel:
    """The protocol's two ends. From here on descriptor 0 is /dev/null and 1 is stderr, so that code that prints (C and
    worker processes too) can't get into the protocol."""

    def __init__(self):
        sys.stdout.flush()
        self._in, self._out = os.dup(0), os.dup(1)  # closed on exec by Python's own rule
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        os.dup2(2, 1)
        self._held = b""

    def send(self, **message):
        line = json.dumps(message, allow_nan=False).encode() + b"\n"  # ASCII: JSON's escapes
        if len(line) > LINE_LIMIT:
            raise ValueError(f"a message of {len(line)} bytes, the limit is {LINE_LIMIT}")
        try:
            while line:
                line = line[os.write(self._out, line):]
        except BrokenPipeError:
            raise _Gone from None

    def receive(self, wait):
        """The next command; None: there is none yet (only without `wait`)."""
        while b"\n" not in self._held:
            if len(self._held) >= LINE_LIMIT:
                self.send(event="error", kind="bad_value", text=f"a command of more than {LINE_LIMIT} bytes")
                raise _Gone  # where the next one begins can't be told
            if not wait and not select.select([self._in], [], [], 0)[0]:
                return None
            more = os.read(self._in, 65536)
            if not more:
                raise _Gone
            self._held += more
        line, self._held = self._held.split(b"\n", 1)
        try:
            command = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise _Refused(f"a command that is no JSON: {error}") from None
        if not isinstance(command, dict) or not isinstance(command.get("command"), str):
            raise _Refused("want an object with a `command`")
        return command


def _amount(command, name, kinds):
    value = command.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, kinds) or not 0 < value < math.inf:
        raise _Refused(f"{command['command']}.{name}: got {json.dumps(value)}, want a number > 0")
    return value


class _Adapter:
    def __init__(self, channel, make_loader, axes, step, count, phases):
        self.channel, self.make_loader, self.axes = channel, make_loader, axes
        self.step, self.count, self.phases = step, count, phases
        self.loader = self.batches = None
        self.epoch = 0

    def drop(self):
        loader, self.loader, self.batches = self.loader, None, None
        close = getattr(loader, "close", None)
        del loader
        if callable(close):
            close()
        gc.collect()  # worker processes end with their iterator, and iterators are in cycles

    def configure(self, command):
        values = command.get("values")
        if not isinstance(values, dict):
            raise _Refused("configure.values: want an object")
        for name, value in values.items():
            if name not in self.axes:
                raise _Refused(f"{name}: no axis of this loader, which has {', '.join(self.axes)}")
            refusal = self.axes[name].refusal(value)
            if refusal:
                raise _Refused(f"{name}: got {json.dumps(value)}, {refusal}")
        self.drop()
        full = {name: values.get(name, axis.default) for name, axis in self.axes.items()}
        handed = {name: self.axes[name].absent
                  if self.axes[name].collapses and full.get(self.axes[name].collapses[0]) == self.axes[name].collapses[1]
                  else value for name, value in full.items()}
        began = time.perf_counter()
        self.loader, self.epoch = self.make_loader(**handed), 0
        self.channel.send(event="ready", startup_s=time.perf_counter() - began, values=full)

    def next_batch(self):
        """The next batch, of the next epoch where one has ended; None: an epoch had none, so there won't be more."""
        for _ in range(2):
            if self.batches is None:
                self.batches = iter(self.loader)
                self.epoch += 1
            batch = next(self.batches, None)
            if batch is not None:
                return batch
            self.batches = None
        return None

    def run(self, command):
        if self.loader is None:
            raise _Refused("run: nothing is configured")
        batches, seconds = _amount(command, "batches", int), _amount(command, "seconds", (int, float))
        credit = _amount(command, "credit", int) or 0
        if (batches is None) == (seconds is None):
            raise _Refused("run: want either batches or seconds")
        began, done, reason = time.perf_counter(), 0, None
        while reason is None:
            while True:  # commands that have come; with no credit left, the next one is waited for
                got = self.channel.receive(wait=credit == 0)
                if got is None:
                    break
                if got["command"] == "stop":
                    reason = "stop"
                    break
                if got["command"] != "credit":
                    raise _Refused(f"{got['command']} while a run is on: want credit or stop")
                credit += _amount(got, "batches", int) or 0
            if reason:
                break
            asked = time.perf_counter()
            batch = self.next_batch()
            came = time.perf_counter()
            if batch is None:
                reason = "exhausted"
                break
            event = {"event": "batch", "index": done, "epoch": self.epoch - 1, "images": self.count(batch),
                     "bytes": count_bytes(batch), "wait_ms": (came - asked) * 1e3}
            if self.step is not None:
                began_step = time.perf_counter()
                self.step(batch)
                event["step_ms"] = (time.perf_counter() - began_step) * 1e3
            if self.phases is not None:
                event["phases_ms"] = self.phases(batch)
                unknown = set(event["phases_ms"]) - set(PHASES)
                if unknown:
                    raise ValueError(f"phases: {sorted(unknown)[0]} is none of {', '.join(PHASES)}")
            del batch
            self.channel.send(**event)
            done, credit = done + 1, credit - 1
            if batches is not None and done >= batches:
                reason = "batches"
            elif seconds is not None and time.perf_counter() - began >= seconds:
                reason = "seconds"
        self.channel.send(event="end", batches=done, reason=reason)


def serve(make_loader, step=None, *, axes=(), name=None, version="", data_digest=None, count=count_images, phases=None):
    """Speaks the protocol on stdin and stdout until the other side says bye or is gone.

    make_loader  called with the axes as arguments for every configuration; what it returns is iterated, again for each
                 epoch, and its close() is called, where it has one, before the next.
    step         called with each batch: the user's own training step, timed; None: feedtune's device takes the pace.
    axes         more axes, or other defaults and limits for the common ones.
    count        images in a batch;  phases: milliseconds by PHASES spent on a batch, where the loader knows them.
    Exceptions of make_loader, the loader, step, count and phases become `error` events, and the adapter goes on.
    Raises TypeError, before anything is said, for axes that can't be.
    """
    table = axes_of(make_loader, axes)
    channel = _Channel()
    adapter = _Adapter(channel, make_loader, table, step, count, phases)
    try:
        channel.send(event="hello", protocol=PROTOCOL, name=name or os.path.basename(sys.argv[0]) or "adapter",
                     version=version, own_step=step is not None, data_digest=data_digest,
                     axes=[axis.declaration() for axis in table.values()])
        while True:
            word = None
            try:
                command = channel.receive(wait=True)
                word = command["command"]
                if word == "bye":
                    adapter.drop()
                    channel.send(event="bye")
                    return
                if word == "configure":
                    adapter.configure(command)
                elif word == "run":
                    adapter.run(command)
                elif word not in ("stop", "credit"):  # those may cross with the end of a run
                    raise _Refused(f"{word}: want configure, run, credit, stop or bye")
            except _Gone:
                raise
            except Exception as error:  # the user's code may raise anything
                kind = error_kind(error)
                if word == "run" and kind == "bad_value" and not isinstance(error, _Refused):
                    kind = "other"  # a mistake in the loader's code, not in a setting
                try:
                    adapter.drop()
                except Exception:  # what went wrong first is told
                    pass
                channel.send(event="error", kind=kind, text=f"{type(error).__name__}: {error}"[:4000])
    except _Gone:
        adapter.drop()
