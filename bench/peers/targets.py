"""What the comparison has to show, as ratios of pairs, each with its interval and verdict.

`samples` are sample.Sample objects; loaders are judged against the feedtune loader with their own kind of resize, `area`
against the antialiased one (it reads as many pixels).
"""
import dataclasses

import intervals

FEEDTUNE_FOR = {"linear": "feedtune_linear", "antialias": "feedtune_antialias", "area": "feedtune_antialias"}


@dataclasses.dataclass(frozen=True)
class Target:
    metric: str
    workers: int
    numerator: str
    denominator: str
    ratio: intervals.Interval
    bound: float
    at_least: bool
    judged: bool  # at the worker counts that the aim names; at others for information
    verdict: str


class Samples:
    """Values by loader and number of workers."""

    def __init__(self, samples):
        self._cells = {}
        for s in samples:
            self._cells.setdefault((s.loader, s.workers), {})[s.round] = s

    def values(self, loader, workers, metric):
        """{round: value}"""
        return {r: getattr(s, metric) for r, s in self._cells.get((loader, workers), {}).items()}

    def workers(self):
        return sorted({workers for _, workers in self._cells})

    def interval(self, loader, workers, metric):
        values = self.values(loader, workers, metric)
        return intervals.interval(values.values()) if values else None

    def best(self, names, workers, metric, largest):
        """The name with the best median; None where none was measured."""
        medians = {n: i.median for n in names if (i := self.interval(n, workers, metric)) is not None}
        return (max if largest else min)(medians, key=medians.get) if medians else None


def evaluate(samples, loaders):
    """`loaders`: {name: module}. Ratios that can't be formed (a loader missing) are left out."""
    cells = Samples(samples)
    of_family = {}
    for name, loader in loaders.items():
        of_family.setdefault(loader.FAMILY, []).append(name)
    peers = [n for n, loader in loaders.items() if loader.FAMILY not in ("feedtune", "limit")]
    found = []

    def add(metric, workers, numerator, denominator, bound, at_least, judged):
        if numerator is None or denominator is None:
            return
        ratio = intervals.paired_ratio(cells.values(numerator, workers, metric), cells.values(denominator, workers, metric))
        if ratio is not None:
            found.append(Target(metric, workers, numerator, denominator, ratio, bound, at_least, judged,
                                intervals.verdict(ratio, bound, at_least)))

    for workers in cells.workers():
        def against(peer, bound):
            if peer in loaders:
                add("images_per_cpu_s", workers, FEEDTUNE_FOR[loaders[peer].RESIZE], peer, bound, True, workers == 2)

        against("dali_linear", 1.9)
        against("dali_antialias", 1.7)
        against(cells.best(of_family.get("torch", []), workers, "images_per_cpu_s", True), 2.5)
        against("ffcv_jpeg", 2.0)
        against("tf_data", 2.2)
        if "feedtune_no_phases" in loaders:  # what recording costs
            add("images_per_cpu_s", workers, "feedtune_antialias", "feedtune_no_phases", 0.99, True, True)
        if "ffcv_raw" in loaders:
            add("images_per_cpu_s", workers, "feedtune_packed_raw", "ffcv_raw", 1.0, True, workers == 2)
        for kind in ("jpeg", "resized", "raw"):  # what a pack gains: no pack may lose
            add("images_per_cpu_s", workers, f"feedtune_packed_{kind}", "feedtune_antialias", 1.0, True, workers == 2)
        for metric in ("images_per_s", "images_per_cpu_s"):
            add(metric, workers, "feedtune_linear", "limit_fused", 0.95, True, workers in (1, 2))
        for metric, bound in (("first_batch_s", 0.1), ("pss_bytes", 1 / 3)):
            add(metric, workers, "feedtune_antialias", cells.best(peers, workers, metric, False), bound, False, workers == 2)
    found += _gains(cells)
    return found


def _gains(cells):
    """How feedtune's images/s grow with workers: against what the limit program gains, and with far too many."""
    found = []

    def gain(loader, more, fewer):
        a, b = (cells.values(loader, w, "images_per_s") for w in (more, fewer))
        return {r: a[r] / b[r] for r in a.keys() & b.keys()}

    ratio = intervals.paired_ratio(gain("feedtune_linear", 2, 1), gain("limit_fused", 2, 1))
    if ratio is not None:
        found.append(Target("gain in images_per_s from 1 to 2 workers", 2, "feedtune_linear", "limit_fused", ratio, 0.97,
                            True, True, intervals.verdict(ratio, 0.97, True)))
    many = gain("feedtune_linear", 64, 2)
    if many:
        ratio = intervals.interval(many.values())
        found.append(Target("images_per_s, 64 workers over 2", 64, "feedtune_linear", "feedtune_linear", ratio, 0.9, True,
                            True, intervals.verdict(ratio, 0.9, True)))
    return found
