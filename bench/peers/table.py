"""The result as values, Markdown and JSON."""
import dataclasses
import json

import intervals
import targets

METRICS = ("images_per_s", "images_per_cpu_s", "first_batch_s", "first_batch_imported_s", "pss_bytes")


def _number(value):
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"


def with_interval(i, scale=1.0):
    """"383 [371, 395]": the median, and the interval where more than one value gives one."""
    if i is None:
        return "-"
    if i.low is None:
        return _number(i.median * scale)
    return f"{_number(i.median * scale)} [{_number(i.low * scale)}, {_number(i.high * scale)}]"


def _ratio(i):
    text = f"{i.mean:.3f}" if i.mean < 1 else f"{i.mean:.2f}"
    if i.low is None:
        return text
    return f"{text} [{i.low:.3f}, {i.high:.3f}]" if i.mean < 1 else f"{text} [{i.low:.2f}, {i.high:.2f}]"


def rows(run, loaders):
    """One per loader and number of workers: its intervals, the part of what libjpeg-turbo allows, and what was thrown away."""
    cells = targets.Samples(run.samples)
    found = []
    for name, loader in loaders.items():
        for workers in cells.workers():
            if not cells.values(name, workers, "images_per_s"):
                continue
            of_limit = intervals.paired_ratio(cells.values(name, workers, "images_per_s"),
                                              cells.values("limit_fused", workers, "images_per_s"))
            found.append({"loader": name, "title": loader.TITLE, "resize": loader.RESIZE, "workers": workers,
                          **{m: cells.interval(name, workers, m) for m in METRICS},
                          "of_limit": of_limit, "discarded": run.discarded.get(f"{name} {workers}", 0)})
    return found


def _throughput_table(found):
    lines = ["| loader | resize | workers | images/s | images/CPU-s | first batch s | of it after imports | PSS MB | "
             "of libjpeg-turbo alone | n | discarded |",
             "|---|---|---|---|---|---|---|---|---|---|---|"]
    for row in found:
        lines.append(f"| {row['title']} | {row['resize']} | {row['workers']} | {with_interval(row['images_per_s'])} | "
                     f"{with_interval(row['images_per_cpu_s'])} | {with_interval(row['first_batch_s'])} | "
                     f"{with_interval(row['first_batch_imported_s'])} | {with_interval(row['pss_bytes'], 1e-6)} | "
                     f"{_ratio(row['of_limit']) if row['of_limit'] else '-'} | {row['images_per_s'].n} | {row['discarded']} |")
    return lines


def _target_table(found):
    lines = ["| ratio | workers | wanted | measured | n | verdict |", "|---|---|---|---|---|---|"]
    for t in sorted(found, key=lambda t: not t.judged):
        sign = ">=" if t.at_least else "<="
        verdict = t.verdict if t.judged else f"({t.verdict})"
        what = t.metric if t.numerator == t.denominator else f"{t.metric}: {t.numerator} / {t.denominator}"
        lines.append(f"| {what} | {t.workers} | {sign} {t.bound:.3g} | {_ratio(t.ratio)} | {t.ratio.n} | {verdict} |")
    return lines


def _check_table(checks):
    lines = ["| loader | against | mean difference, levels | worst image | largest | note |", "|---|---|---|---|---|---|"]
    for name, check in checks.items():
        if "resize" not in check:
            lines.append(f"| {name} | - | - | - | - | {check['note']} |")
            continue
        lines.append(f"| {name} | {check['resize']} | {check['mean_levels']:.2f} | {check['worst_image_levels']:.2f} | "
                     f"{check['max_levels']:.0f} | {check['note']} |")
    return lines


def markdown(run, loaders):
    plan = run.plan
    lines = ["# Loaders side by side", "",
             f"{run.machine['cpus']} CPUs, {run.machine['cpu']}, Linux {run.machine['kernel']}; {plan['files']} files, "
             f"{plan['mean_bytes'] / 1e3:.0f} KB mean; {plan['started']}; {plan['rounds_done']} of {plan['repeats']} rounds, "
             f"windows of {plan['seconds']:g} s after {plan['warmup_s']:g} s of warm-up.",
             f"Medians; in brackets {intervals.METHOD}. `discarded`: samples thrown away because something else used more than "
             f"{plan['other_cpus_max']:g} CPUs meanwhile.", ""]
    lines += _throughput_table(rows(run, loaders))
    lines += ["", "## What it must show", "",
              "Geometric means of paired ratios; a verdict needs the whole interval on one side. In brackets: at a number of "
              "workers that the aim doesn't name.", ""]
    lines += _target_table(targets.evaluate(run.samples, loaders))
    lines += ["", "## Output against the reference, before timing", ""]
    lines += _check_table(run.checks) if run.checks else ["Not checked in this run (--no-check)."]
    if run.skipped:
        lines += ["", "## Left out", ""] + [f"- {name}: {reason}" for name, reason in run.skipped.items()]
    versions = {}
    for sample in run.samples:
        versions.update(sample.versions)
    lines += ["", "Versions: " + ", ".join(f"{k} {v}" for k, v in sorted(versions.items())), ""]
    return "\n".join(lines)


def as_json(run, loaders):
    def plain(value):
        return dataclasses.asdict(value) if dataclasses.is_dataclass(value) else str(value)

    document = {"schema": "feedtune.peers", "schema_version": "0.1", "machine": run.machine, "plan": run.plan,
                "method": intervals.METHOD, "rows": rows(run, loaders),
                "targets": targets.evaluate(run.samples, loaders), "checks": run.checks, "skipped": run.skipped,
                "discarded": run.discarded, "samples": run.samples}
    return json.dumps(document, default=plain, indent=1, allow_nan=False) + "\n"
