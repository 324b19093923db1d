#!/usr/bin/env python3
"""The figures of bench/peers: wrong statistics would make one loader look better than it is. Needs only Python 3."""
import json
import math
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench/peers"))

import equality
import intervals
import process_tree
import registry
import run
import sample
import table
import targets


def one(loader, workers, number, images_per_s=100.0, images_per_cpu_s=100.0, first_batch_s=1.0, pss_bytes=10**8):
    return sample.Sample(loader=loader, workers=workers, round=number, images_per_s=images_per_s,
                         images_per_cpu_s=images_per_cpu_s, first_batch_s=first_batch_s, first_batch_imported_s=0.5,
                         pss_bytes=pss_bytes, other_cpus=0.0, window_s=6.0, versions={"libx": "1.0"})


def all_loaders():
    return {name: registry.load(name) for name in registry.names()}


class Quantiles(unittest.TestCase):
    def test_student_t_is_that_of_printed_tables(self):
        for degrees, wanted in ((1, 12.7062), (2, 4.3027), (4, 2.7764), (6, 2.4469), (9, 2.2622), (30, 2.0423)):
            self.assertAlmostEqual(intervals.t_quantile(0.975, degrees), wanted, places=4)
        self.assertAlmostEqual(intervals.t_quantile(0.95, 5), 2.0150, places=4)

    def test_one_degree_is_the_cauchy_distribution(self):
        self.assertAlmostEqual(intervals.t_quantile(0.9, 1), math.tan(math.pi * 0.4), places=6)


class Intervals(unittest.TestCase):
    def test_interval_of_known_logarithms(self):
        # Logarithms 1, 2, 3: mean 2, standard deviation 1, so 2 +- 4.3027 / sqrt(3).
        found = intervals.interval([math.e, math.e**2, math.e**3])
        self.assertAlmostEqual(math.log(found.mean), 2)
        self.assertAlmostEqual(math.log(found.high), 2 + 4.302653 / math.sqrt(3), places=5)
        self.assertAlmostEqual(math.log(found.low), 2 - 4.302653 / math.sqrt(3), places=5)
        self.assertAlmostEqual(found.median, math.e**2)
        self.assertEqual(found.n, 3)

    def test_one_value_has_no_interval(self):
        found = intervals.interval([5.0])
        self.assertEqual((found.median, found.low, found.high, found.n), (5.0, None, None, 1))

    def test_what_no_throughput_can_be_is_refused(self):
        for values in ([], [1.0, 0.0], [-1.0]):
            with self.assertRaises(ValueError):
                intervals.interval(values)

    def test_a_slow_spell_of_both_does_not_widen_their_ratio(self):
        slow = {0: 1.0, 1: 0.5, 2: 0.8, 3: 0.25}
        ratio = intervals.paired_ratio({r: 200 * s for r, s in slow.items()}, {r: 100 * s for r, s in slow.items()})
        self.assertAlmostEqual(ratio.mean, 2)
        self.assertAlmostEqual(ratio.low, 2)
        self.assertAlmostEqual(ratio.high, 2)

    def test_only_rounds_of_both_are_paired(self):
        ratio = intervals.paired_ratio({0: 4.0, 1: 6.0, 5: 999.0}, {0: 2.0, 1: 2.0, 7: 1.0})
        self.assertEqual(ratio.n, 2)
        self.assertAlmostEqual(ratio.mean, math.sqrt(6))
        self.assertIsNone(intervals.paired_ratio({0: 1.0}, {1: 1.0}))

    def test_a_verdict_needs_the_whole_interval(self):
        def between(low, high):
            return intervals.Interval(1.0, 1.0, low, high, 5)

        self.assertEqual(intervals.verdict(between(2.0, 2.2), 2.0, True), "holds")
        self.assertEqual(intervals.verdict(between(1.9, 2.2), 2.0, True), "not settled")
        self.assertEqual(intervals.verdict(between(1.8, 1.9), 2.0, True), "missed")
        self.assertEqual(intervals.verdict(between(0.05, 0.1), 0.1, False), "holds")
        self.assertEqual(intervals.verdict(between(0.2, 0.3), 0.1, False), "missed")
        self.assertEqual(intervals.verdict(intervals.interval([9.0]), 2.0, True), "not settled")


class Targets(unittest.TestCase):
    def find(self, samples, metric, denominator, workers=2):
        return [t for t in targets.evaluate(samples, all_loaders())
                if (t.metric, t.denominator, t.workers) == (metric, denominator, workers)]

    def test_a_peer_is_compared_with_the_same_kind_of_resize(self):
        samples = []
        for r in range(3):
            samples += [one("feedtune_linear", 2, r, images_per_cpu_s=800), one("feedtune_antialias", 2, r, images_per_cpu_s=600),
                        one("dali_linear", 2, r, images_per_cpu_s=400), one("dali_antialias", 2, r, images_per_cpu_s=400),
                        one("ffcv_jpeg", 2, r, images_per_cpu_s=300)]
        [linear] = self.find(samples, "images_per_cpu_s", "dali_linear")
        [antialias] = self.find(samples, "images_per_cpu_s", "dali_antialias")
        [area] = self.find(samples, "images_per_cpu_s", "ffcv_jpeg")
        self.assertAlmostEqual(linear.ratio.mean, 2)
        self.assertAlmostEqual(antialias.ratio.mean, 1.5)
        self.assertAlmostEqual(area.ratio.mean, 2)
        self.assertEqual((linear.verdict, antialias.verdict, area.verdict), ("holds", "missed", "holds"))

    def test_the_best_torch_loader_and_the_smallest_peer_are_the_ones_to_beat(self):
        samples = []
        for r in range(3):
            samples += [one("feedtune_antialias", 2, r, images_per_cpu_s=700, pss_bytes=2 * 10**8),
                        one("torch_pil", 2, r, images_per_cpu_s=200, pss_bytes=9 * 10**8),
                        one("torch_torchvision", 2, r, images_per_cpu_s=280, pss_bytes=8 * 10**8),
                        one("limit_fused", 2, r, pss_bytes=10**7)]
        self.assertEqual(self.find(samples, "images_per_cpu_s", "torch_pil"), [])
        [torch] = self.find(samples, "images_per_cpu_s", "torch_torchvision")
        self.assertAlmostEqual(torch.ratio.mean, 2.5)
        [memory] = self.find(samples, "pss_bytes", "torch_torchvision")
        self.assertAlmostEqual(memory.ratio.mean, 0.25)

    def test_the_gain_from_a_second_worker_is_counted_over_the_limits_own(self):
        samples = []
        for r in range(3):
            samples += [one("feedtune_linear", 1, r, images_per_s=800), one("feedtune_linear", 2, r, images_per_s=1600),
                        one("limit_fused", 1, r, images_per_s=1000), one("limit_fused", 2, r, images_per_s=1900)]
        [gain] = self.find(samples, "gain in images_per_s from 1 to 2 workers", "limit_fused")
        self.assertAlmostEqual(gain.ratio.mean, 2 / 1.9)
        self.assertEqual(gain.verdict, "holds")


class Plan(unittest.TestCase):
    def test_every_round_holds_every_loader_once_a_worker_count_and_no_two_rounds_are_alike(self):
        class Asked:
            seed, workers = 1, [0, 1, 2]

        loaders = all_loaders()
        rounds = [run.cells_of_round(loaders, Asked, number) for number in range(6)]
        wanted = sorted((n, w) for n, loader in loaders.items() for w in Asked.workers if w or loader.INLINE)
        for cells in rounds:
            self.assertEqual(sorted(cells), wanted)
            counts = [workers for _, workers in cells]
            self.assertEqual(len([1 for a, b in zip(counts, counts[1:]) if a != b]), 2, "one worker count after the other")
        self.assertEqual(len({tuple(cells) for cells in rounds}), 6)


class Process(unittest.TestCase):
    def test_a_process_name_with_brackets_and_blanks_shifts_no_field(self):
        fields = process_tree.stat_fields("12 (a) b (c) S 1 2 3 " + " ".join(str(k) for k in range(7, 53)))
        self.assertEqual(fields[:4], ["S", "1", "2", "3"])

    def test_cpu_time_is_the_sessions_and_includes_reaped_children(self):
        with tempfile.TemporaryDirectory() as proc:
            for pid, session, ticks in ((10, 10, (100, 50, 20, 5)), (11, 10, (30, 0, 0, 0)), (12, 99, (7, 7, 7, 7))):
                os.mkdir(f"{proc}/{pid}")
                with open(f"{proc}/{pid}/stat", "w") as file:
                    file.write(f"{pid} (x) S 1 {session} {session} 0 0 0 0 0 0 0 {' '.join(map(str, ticks))} 0 0\n")
            self.assertAlmostEqual(process_tree.cpu_s(10, proc), 205 / process_tree.TICKS_PER_S)

    def test_stolen_time_counts_as_busy_and_idling_does_not(self):
        with tempfile.TemporaryDirectory() as proc:
            with open(f"{proc}/stat", "w") as file:
                file.write("cpu  10 20 30 4000 500 1 2 7 0 0\n")
            self.assertAlmostEqual(process_tree.machine_busy_s(proc), 70 / process_tree.TICKS_PER_S)


class Equality(unittest.TestCase):
    def kinds(self, worst, unreadable=0):
        return {"420": {"images": 2, "unreadable": 0, "mean_levels": 0.1, "worst_image_levels": 0.2, "max_levels": 1.0},
                "grey": {"images": 1, "unreadable": unreadable, "mean_levels": worst, "worst_image_levels": worst,
                         "max_levels": 9.0},
                "cmyk": {"images": 1, "unreadable": 0, "mean_levels": 40.0, "worst_image_levels": 40.0, "max_levels": 200.0}}

    def test_a_loader_that_makes_other_pixels_is_not_timed(self):
        loader = registry.load("torch_pil")
        self.assertAlmostEqual(equality.judge(loader, self.kinds(0.3))["mean_levels"], 0.5 / 3)
        self.assertIn("cmyk differs", equality.judge(loader, self.kinds(0.3))["note"])
        with self.assertRaisesRegex(equality.CheckFailed, "grey differs by 5.00"):
            equality.judge(loader, self.kinds(5.0))
        with self.assertRaisesRegex(equality.CheckFailed, "1 of 1 grey files unreadable"):
            equality.judge(loader, self.kinds(0.3, unreadable=1))


class Report(unittest.TestCase):
    def test_one_round_gives_a_table_and_strict_json(self):
        plan = {"files": 10, "mean_bytes": 1e5, "started": "now", "rounds_done": 1, "repeats": 1, "seconds": 2,
                "warmup_s": 1, "other_cpus_max": 0.1}
        samples = [one("feedtune_linear", 1, 0, images_per_s=800), one("limit_fused", 1, 0, images_per_s=1000)]
        measured = run.Run(machine={"cpu": "c", "cpus": 2, "kernel": "k"}, plan=plan, samples=samples, checks={},
                           skipped={"spdl": "no environment"}, discarded={"limit_fused 1": 2})
        text = table.markdown(measured, all_loaders())
        self.assertIn("| feedtune, linear | linear | 1 | 800 |", text)
        self.assertIn("0.800", text)
        self.assertIn("- spdl: no environment", text)
        document = json.loads(table.as_json(measured, all_loaders()))
        self.assertEqual(document["samples"][0]["images_per_s"], 800)
        self.assertEqual(document["rows"][0]["of_limit"]["low"], None)


if __name__ == "__main__":
    unittest.main()
