#!/usr/bin/env python3
"""scripts/loaders/feedtune_loader.py, over its protocol: what goes wrong here is blamed on the user's loader. Needs only Python 3."""
import json
import os
import re
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTS = os.path.join(HERE, "../../scripts/loaders")
sys.path.insert(0, SCRIPTS)
import feedtune_loader as feedtune


class Session:
    def __init__(self, *arguments, program=None):
        program = program or [os.path.join(HERE, "adapter_under_test.py"), *arguments]
        self.child = subprocess.Popen([sys.executable, "-B", *program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": SCRIPTS})
        self.hello = self.receive()

    def raw(self, data):
        self.child.stdin.write(data)
        self.child.stdin.flush()

    def send(self, command, **members):
        self.raw(json.dumps({"command": command, **members}).encode() + b"\n")

    def receive(self):
        line = self.child.stdout.readline()
        return json.loads(line) if line else None

    def until_end(self):
        events = []
        while not events or events[-1]["event"] not in ("end", "error"):
            events.append(self.receive())
        return events

    def configure(self, **values):
        self.send("configure", values=values)
        return self.receive()

    def run(self, **members):
        self.send("run", **members)
        return self.until_end()

    def end(self):
        """Says bye; returns what else came on stdout, and stderr."""
        self.send("bye")
        out, err = self.child.communicate(timeout=20)
        return out, err.decode()


class Case(unittest.TestCase):
    def session(self, *arguments, **options):
        session = Session(*arguments, **options)

        def stop():
            session.child.kill()
            session.child.wait()
            for pipe in (session.child.stdin, session.child.stdout, session.child.stderr):
                try:
                    pipe.close()
                except BrokenPipeError:  # what was not read any more
                    pass
        self.addCleanup(stop)
        return session


class Protocol(Case):
    def test_hello_declares_the_axes_that_make_loader_takes_and_no_other(self):
        hello = self.session().hello
        self.assertEqual((hello["event"], hello["protocol"], hello["own_step"]), ("hello", 1, False))
        axes = {axis["name"]: axis for axis in hello["axes"]}
        self.assertEqual(set(axes), {"batch_size", "num_workers", "prefetch_factor", "what"})
        self.assertEqual(axes["prefetch_factor"]["collapses"], {"num_workers": 0})
        self.assertEqual(axes["batch_size"]["minimum"], 1)

    def test_batches_are_counted_over_epochs_and_the_run_ends_where_asked(self):
        session = self.session()
        self.assertEqual(session.configure(batch_size=8)["event"], "ready")
        events = session.run(batches=7, credit=100)
        batches, end = events[:-1], events[-1]
        self.assertEqual([b["index"] for b in batches], list(range(7)))
        self.assertEqual([b["epoch"] for b in batches], [0, 0, 0, 1, 1, 1, 2])  # three batches an epoch
        self.assertEqual({b["images"] for b in batches}, {8})
        self.assertEqual({b["bytes"] for b in batches}, {8 * 4 * 4 * 3 + 8})
        self.assertEqual(end, {"event": "end", "batches": 7, "reason": "batches"})
        self.assertEqual(session.end()[0], b'{"event": "bye"}\n')
        self.assertEqual(session.child.returncode, 0)

    def test_without_credit_no_batch_is_taken(self):
        session = self.session()
        session.configure()
        session.send("run", batches=5, credit=2)
        self.assertEqual([session.receive()["index"] for _ in range(2)], [0, 1])
        session.send("credit", batches=1)
        self.assertEqual(session.receive()["index"], 2)
        session.send("stop")
        self.assertEqual(session.receive(), {"event": "end", "batches": 3, "reason": "stop"})

    def test_the_wait_is_the_loaders_own_time(self):
        session = self.session()
        session.configure(what="slow")
        for batch in session.run(batches=3, credit=3)[:-1]:
            self.assertGreaterEqual(batch["wait_ms"], 50)

    def test_the_users_own_step_is_timed_and_not_part_of_the_wait(self):
        session = self.session("step")
        self.assertTrue(session.hello["own_step"])
        session.configure()
        batches = session.run(batches=3, credit=3)[:-1]
        self.assertTrue(all(b["step_ms"] >= 20 for b in batches))
        self.assertLess(min(b["wait_ms"] for b in batches), 20)

    def test_seconds_end_a_run(self):
        session = self.session()
        session.configure(what="slow")
        end = session.run(seconds=0.12, credit=1000)[-1]
        self.assertEqual(end, {"event": "end", "batches": end["batches"], "reason": "seconds"})
        self.assertLessEqual(end["batches"], 3)  # of at least 50 ms each

    def test_code_that_prints_stays_out_of_the_protocol(self):
        session = self.session()
        session.configure(what="prints")
        self.assertEqual([e["event"] for e in session.run(batches=1, credit=1)], ["batch", "end"])
        out, err = session.end()
        self.assertEqual(out, b'{"event": "bye"}\n')
        for noise in ("noise from Python", "noise from C", "noise from a child"):
            self.assertIn(noise, err)

    def test_an_axis_that_means_nothing_is_handed_over_as_absent(self):
        session = self.session()
        session.configure(num_workers=0, prefetch_factor=4)
        session.configure(num_workers=1, prefetch_factor=4)
        err = session.end()[1]
        self.assertEqual(re.findall("prefetch_factor (.*)", err), ["None", "4"])
        self.assertEqual(err.count("closed"), 2)  # the first before the second was made


class Faults(Case):
    def assert_error(self, event, kind, text):
        self.assertEqual((event["event"], event["kind"]), ("error", kind), event)
        self.assertIn(text, event["text"])

    def test_what_make_loader_raises_is_told_by_kind_and_the_adapter_goes_on(self):
        session = self.session()
        for what, kind, text in (("memory", "out_of_memory", "2.00 GiB"), ("unsupported", "unsupported", "needs a GPU"),
                                 ("value", "bad_value", "too large"), ("broken", "other", "no such folder")):
            self.assert_error(session.configure(what=what), kind, text)
        self.assertEqual(session.configure()["event"], "ready")

    def test_values_outside_what_was_declared_are_refused_with_what_is_accepted(self):
        session = self.session()
        self.assert_error(session.configure(batch_size=0), "bad_value", "batch_size: got 0, want >= 1")
        self.assert_error(session.configure(batch_size=True), "bad_value", "want an integer")
        self.assert_error(session.configure(what="x"), "bad_value", "want one of")
        self.assert_error(session.configure(colour=1), "bad_value", "colour: no axis of this loader, which has batch_size")

    def test_a_loader_that_fails_in_mid_run_is_no_bad_setting(self):
        session = self.session()
        session.configure(what="raises")
        events = session.run(batches=3, credit=3)
        self.assertEqual(events[0]["event"], "batch")
        self.assert_error(events[-1], "other", "a broken file")
        self.assert_error(session.run(batches=1, credit=1)[-1], "bad_value", "nothing is configured")

    def test_an_empty_epoch_ends_the_run(self):
        session = self.session()
        session.configure(what="empty")
        self.assertEqual(session.run(batches=3, credit=3), [{"event": "end", "batches": 0, "reason": "exhausted"}])

    def test_a_batch_whose_images_cannot_be_counted_says_so(self):
        session = self.session()
        session.configure(what="lists")
        self.assert_error(session.run(batches=1, credit=1)[-1], "other", "count(batch)")

    def test_commands_that_are_none_are_answered(self):
        session = self.session()
        for line in (b"garbage\n", b"[1]\n", b"{\"command\": 3}\n", b"\xff\xfe\n", b"{\"command\": \"dance\"}\n",
                     b"[" * 100000 + b"\n", b"{\"command\": \"run\", \"batches\": -1}\n"):
            session.raw(line)
            self.assertEqual(session.receive()["kind"], "bad_value", line[:40])
        self.assertEqual(session.configure()["event"], "ready")
        for members in ({}, {"batches": 1, "seconds": 1}, {"batches": True}, {"seconds": 0}):
            session.configure()
            self.assert_error(session.run(**members)[-1], "bad_value", "run")

    def test_a_command_over_the_limit_ends_the_adapter_with_the_reason(self):
        session = self.session()
        session.raw(b"x" * feedtune.LINE_LIMIT)
        self.assert_error(session.receive(), "bad_value", str(feedtune.LINE_LIMIT))
        self.assertIsNone(session.receive())
        self.assertEqual(session.child.wait(20), 0)

    def test_it_ends_when_the_other_side_is_gone(self):
        for command in (None, {"batches": 5, "credit": 1}):
            session = self.session()
            session.configure()
            if command:
                session.send("run", **command)
            session.child.stdin.close()
            self.assertEqual(session.child.wait(20), 0)


class Parts(unittest.TestCase):
    class Array:
        def __init__(self, *shape):
            self.shape = shape

    def test_images_are_counted_without_guessing(self):
        a = self.Array
        for batch, images in ((a(8, 3, 4, 4), 8), ((a(8, 3, 4, 4), a(8)), 8), ([a(8, 3, 4, 4), a(8)], 8),
                              ({"x": a(8, 3, 4, 4), "name": "y"}, 8), ((a(8, 3, 4, 4), [1] * 8), 8)):
            self.assertEqual(feedtune.count_images(batch), images)
        for batch in ([a(3, 4, 4)] * 8, (a(8, 3), a(7)), [(1, 2)] * 8, [], None, "text", a()):
            with self.assertRaises(TypeError):
                feedtune.count_images(batch)

    def test_axes_that_cannot_be_are_refused_before_the_first_word(self):
        def make(batch_size):
            return [batch_size]
        axis = feedtune.Axis
        for extra in ([axis("other", 1)], [axis("batch_size", 1), axis("batch_size", 2)], [axis("batch_size", 1.5)],
                      [axis("batch_size", 0, minimum=1)], [axis("batch_size", 1, (1, "x"))]):
            with self.assertRaises(TypeError):
                feedtune.axes_of(make, extra)
        self.assertEqual(set(feedtune.axes_of(lambda **all: None)), {a.name for a in feedtune.COMMON})


class Documentation(Case):
    def test_the_readmes_adapter_runs_as_it_is_printed(self):
        with open(os.path.join(SCRIPTS, "README.md"), encoding="utf-8") as file:
            program = re.search(r"```python\n(.*?)```", file.read(), re.S).group(1)
        session = self.session(program=["-c", program])
        self.assertEqual(session.configure(batch_size=4, num_workers=0)["event"], "ready")
        events = session.run(batches=2, credit=2)
        self.assertEqual([e["event"] for e in events], ["batch", "batch", "end"], events)
        self.assertEqual(events[0]["images"], 4)


if __name__ == "__main__":
    unittest.main()
