#!/usr/bin/env python3
"""Guided search against the exhaustive grid, live on this machine: what it loses and what it costs.

    bench/search/live.py --feedtune build/feedtune --out DIR [--seeds 5] [--blocks 12] -- SWEEP OPTIONS

SWEEP OPTIONS are those of `feedtune sweep`: data, device and the axes of the grid. First the whole grid, then guided sweeps with seeds
1, 2, ..., all with their confirmation; what is already in DIR is not measured again. Their picks then meet in fresh blocks: each block
measures every one of them once, in random order. No sweep's own figure enters the comparison, so no one's luck does either.
The grid's fastest is the yardstick, chosen before the blocks; a loss is the geometric mean of the blocks' ratios to it, with a 95 % Student
interval. Costs are shares of one trial of every configuration. Interrupted, it goes on where it was. Needs no package.
"""
import argparse
import json
import math
import pathlib
import random
import shlex
import statistics
import subprocess
import sys

# Two-sided 95 % quantiles of Student's t by degrees of freedom (any table); between two of them the lower freedom's counts.
T95 = {1: 12.71, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 7: 2.365, 9: 2.262, 11: 2.201, 14: 2.145, 19: 2.093, 29: 2.045, 59: 2.001}


def t95(freedom):
    return T95[max(f for f in T95 if f <= freedom)]


def text(configuration):
    return json.dumps(configuration, sort_keys=True)


class Bench:
    def __init__(self, arguments):
        self.arguments = arguments
        self.out = pathlib.Path(arguments.out)
        self.out.mkdir(parents=True, exist_ok=True)

    def sweep(self, folder, options):
        """The result of a sweep in `folder`, which is run, or gone on with, where it has not ended."""
        result = folder / "result.json"
        if not (result.exists() and json.loads(result.read_text())["complete"]):
            command = [self.arguments.feedtune, "sweep", "--no-anchors", "--quiet", "--out", str(folder)]
            command += (["--resume"] if folder.exists() else []) + options
            done = subprocess.run(command, stdout=subprocess.DEVNULL)
            if done.returncode != 0:
                sys.exit(f"live.py: exit code {done.returncode} of {shlex.join(command)}")
        return json.loads(result.read_text())

    def without_axes(self):
        """The sweep's options less its axes."""
        options, kept = list(self.arguments.options), []
        while options:
            option = options.pop(0)
            if option == "--axis":
                options.pop(0)
            elif not option.startswith("--axis="):
                kept.append(option)
        return kept

    def blocks(self, picks):
        """Each pick's images/s, one list entry a block; kept in DIR/blocks.jsonl as they are measured."""
        path = self.out / "blocks.jsonl"
        rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        rows = [row for row in rows if set(row) == set(picks)]
        for number in range(len(rows), self.arguments.blocks):
            order = list(picks)
            random.Random(number).shuffle(order)
            row = {}
            for pick in order:
                axes = [f"--axis={name}={value}" for name, value in json.loads(pick).items()]
                folder = self.out / "block"
                options = [*self.without_axes(), *axes, "--strategy", "grid", "--budget", "1trials"]
                trials = [t for t in self.sweep(folder, options)["trials"] if t["purpose"] == "trial"]
                subprocess.run(["rm", "-r", str(folder)], check=True)
                if len(trials) != 1 or trials[0]["status"] != "ok":
                    sys.exit(f"live.py: {pick} did not run: {[t['status'] for t in trials]}")
                row[pick] = trials[0]["images_per_s"]["mean"]
            rows.append(row)
            with path.open("a") as file:
                file.write(json.dumps(row) + "\n")
        return rows


def cost(result, stages):
    return sum(t["cost_s"] for t in result["trials"] if t["stage"] in stages)


def one_of_each(grid):
    """What one trial of each configuration took, by configuration, s."""
    costs = {}
    for trial in grid["trials"]:
        if trial["purpose"] == "trial" and trial["stage"] == "explore":
            costs.setdefault(text(trial["configuration"]), trial["cost_s"])
    return costs


def loss(rows, pick, yardstick):
    """Per cent of `yardstick`'s images/s that `pick` lacks, and the interval's ends."""
    logs = [math.log(row[pick] / row[yardstick]) for row in rows]
    mean, half = statistics.mean(logs), t95(len(logs) - 1) * statistics.stdev(logs) / math.sqrt(len(logs))
    return [0.0 - 100 * math.expm1(log) for log in (mean, mean + half, mean - half)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--feedtune", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--blocks", type=int, default=12)
    parser.add_argument("options", nargs="+")
    arguments = parser.parse_args()
    if arguments.blocks < 2:
        parser.error("--blocks: an interval needs 2 at least")
    bench = Bench(arguments)

    grid = bench.sweep(bench.out / "grid", [*arguments.options, "--strategy", "grid", "--seed", "1"])
    guided = {seed: bench.sweep(bench.out / f"guided-{seed}", [*arguments.options, "--strategy", "guided", "--seed", str(seed)])
              for seed in range(1, arguments.seeds + 1)}
    pick_of = lambda result, name: text(result["recommendation"][name]["configuration"])
    yardstick = pick_of(grid, "fastest")
    named = {"grid": (pick_of(grid, "fastest"), pick_of(grid, "recommended"))}
    named |= {f"guided {seed}": (pick_of(result, "fastest"), pick_of(result, "recommended")) for seed, result in guided.items()}
    rows = bench.blocks(sorted({pick for picks in named.values() for pick in picks}))

    costs = one_of_each(grid)
    exhaustive = sum(costs.values())
    share = lambda result, *stages: f"{100 * cost(result, stages) / exhaustive:.1f} %"
    print(f"{len(costs)} configurations, {exhaustive:.0f} s for one trial of each; {len(rows)} fresh blocks of {len(rows[0])} picks")
    print("| sweep | search | confirmation | images/s lost by its fastest | by its recommended |\n|---|---|---|---|---|")
    for name, picks in named.items():
        result = grid if name == "grid" else guided[int(name.split()[1])]
        figures = ["{:.1f} [{:.1f}, {:.1f}] %".format(*loss(rows, pick, yardstick)) for pick in picks]
        print(f"| {name} | {share(result, 'component', 'explore')} | {share(result, 'confirm')} | {' | '.join(figures)} |")
    fastest = [loss(rows, picks[0], yardstick)[0] for name, picks in named.items() if name != "grid"]
    print(f"\nguided's fastest loses {statistics.mean(fastest):.2f} % in the mean of {len(fastest)} seeds, {max(fastest):.2f} % at worst")


if __name__ == "__main__":
    main()
