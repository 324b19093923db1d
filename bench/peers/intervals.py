"""Medians, 95 % intervals and paired ratios of a few repeats. Standard library only.

Throughput, memory and start-up times are positive and their noise is a share of them, so intervals are Student's t on the
logarithms: symmetric as a factor, exact for log-normal repeats. Ratios come from pairs taken in the same round, so what
slows a whole round down cancels.
"""
import dataclasses
import functools
import math
import statistics

LEVEL = 0.95
METHOD = "95 % Student t on logarithms; ratios: of pairs measured in the same round"


@dataclasses.dataclass(frozen=True)
class Interval:
    """`median` and `mean` (geometric) of `n` values; `low` and `high` bound the mean, None below two values."""
    median: float
    mean: float
    low: float | None
    high: float | None
    n: int


@functools.lru_cache(maxsize=None)
def t_quantile(probability, degrees):
    """Student's t: the x with P(T <= x) = probability, for probability in (0.5, 1)."""
    if not 0.5 < probability < 1 or degrees < 1:
        raise ValueError(f"t_quantile({probability}, {degrees}): want 0.5 < probability < 1 and degrees >= 1")
    log_scale = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2) - math.log(degrees * math.pi) / 2

    def density(x):
        return math.exp(log_scale - (degrees + 1) / 2 * math.log1p(x * x / degrees))

    def distribution(x, panels=2000):  # Simpson's rule from 0
        step = x / panels
        inner = sum((4 if k % 2 else 2) * density(k * step) for k in range(1, panels))
        return 0.5 + step / 3 * (density(0) + inner + density(x))

    low, high = 0.0, 1.0
    while distribution(high) < probability:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if distribution(middle) < probability else (low, middle)
    return (low + high) / 2


def interval(values):
    """Of at least one positive value."""
    values = list(values)
    if not values or min(values) <= 0:
        raise ValueError(f"interval({values}): want at least one value, all above 0")
    logs = [math.log(v) for v in values]
    n = len(logs)
    mean = statistics.fmean(logs)
    if n < 2:
        return Interval(statistics.median(values), math.exp(mean), None, None, n)
    half = t_quantile((1 + LEVEL) / 2, n - 1) * statistics.stdev(logs) / math.sqrt(n)
    return Interval(statistics.median(values), math.exp(mean), math.exp(mean - half), math.exp(mean + half), n)


def paired_ratio(numerator, denominator):
    """Interval of numerator / denominator over the rounds that both have ({round: value}); None without such a round."""
    rounds = sorted(numerator.keys() & denominator.keys())
    return interval(numerator[r] / denominator[r] for r in rounds) if rounds else None


def verdict(ratio, bound, at_least):
    """"holds" or "missed" when the whole interval lies on one side of the bound, else "not settled"."""
    if ratio is None or ratio.low is None:
        return "not settled"
    if at_least:
        return "holds" if ratio.low >= bound else "missed" if ratio.high < bound else "not settled"
    return "holds" if ratio.high <= bound else "missed" if ratio.low > bound else "not settled"
