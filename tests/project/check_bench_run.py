# SPDX-License-Identifier: MIT
"""benchmarks/run: what it computes, reports, refuses, and what it does when programs fail. Programs are stubs
that answer what the test wants; nothing is timed."""

import functools
import html.parser
import json
import math
import os
import pty
import re
import resource
import select
import signal
import subprocess
import sys
import types
import unittest

import share

WITHOUT_END = None  # seconds: tests/project/cold.sh ends what hangs
os.environ.pop("PYTHONUNBUFFERED", None)  # what users run has buffers, which are flushed again at the end
BENCHMARKS, SCRATCH = sys.argv[1:3]
sys.path.insert(0, BENCHMARKS)
from harness import charts, figures, machine, programs, sweeps  # noqa: E402

# A program with the variants that are in the file beside it. Runs take as long as they say.
STUB = """#!%s -SE
import json, os, signal, sys
spec = json.load(open(__file__ + ".json"))
given = sys.argv[1:]
open(__file__ + ".calls", "a").write(json.dumps(given) + "\\n")
def option(name):
    return given[given.index(name) + 1] if name in given else None
def misbehave(what):
    if what == "crash":
        print("about to crash", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    if what == "fail":
        print("no such thing", file=sys.stderr)
        sys.exit(3)
    if what == "wait":
        with open(__file__ + ".fifo", "w") as fifo:
            fifo.write(str(os.getpid()))
        while True:
            signal.pause()
    if what == "stubborn":  # it and its child: what they write to the pipe ends when both have
        fifo = os.open(__file__ + ".fifo", os.O_WRONLY)
        signal.signal(signal.SIGTERM, lambda number, frame: os.write(fifo, b"asked "))
        if not os.fork():
            os.close(1)
            os.close(2)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.write(fifo, b"child ")
        while True:
            signal.pause()
if "--list" in given:
    misbehave(spec.get("list"))
    for v in spec["variants"]:
        print(json.dumps({k: v[k] for k in v if k not in ("rates", "states", "hash", "bad", "line")}))
    sys.exit(0)
table, name, index = option("--table"), option("--run"), int(option("--round")) %% 9
v = [v for v in spec["variants"] if [v["table"], v["name"]] == [table, name]][0]
calibrating = option("--items") is None
if not calibrating or v.get("bad_calibration"):
    misbehave(v.get("bad", {}).get(str(index)))
items = 1234 if calibrating else int(option("--items"))
run = {"table": table, "name": name, "round": index, "items": items,
       "seconds": items / v["rates"][index], "cpu": 2 * items / v["rates"][index], "voluntary": items,
       "involuntary": items, "peak_bytes": 1000000 * (index + 1), "state": v["states"][index],
       "probe_ns": [1, 2], "others": 0, "busy": v["states"][index] == "neither", "hash": v["hash"][index]}
if "--expect" in given:
    run["expected"] = "e0"
run.update(v.get("line", {}))
print("a runtime says hello")
print(v["raw"] if "raw" in v else json.dumps(run))
""" % sys.executable


def without_note(errors):
    """That there is no gnuplot here, if so, is said by every run that writes a report."""
    return re.sub(rf"benchmarks/\w+: --html: no charts: {re.escape(charts.MISSING)}\n", "", errors) \
        if charts.missing() else errors


def variant(name, role="library", rates=(100, 100, 100), **more):
    base = {"table": "stubs", "unit": "items/s", "scale": 1, "least": 12, "times": False, "expect": False,
            "family": None, "sweep": None, "at": 0, "name": name, "role": role, "group": 0, "divide": 1,
            "one_thread": role == "serial", "absent": None, "parameters": {}, "again": [],
            "rates": list(rates),
            "states": ["near"] * 3, "hash": ["e0"] * 3}
    return {**base, **more}


def reference(rates=(100, 50, 200)):
    return variant("serial", "serial", rates)


class Bench(unittest.TestCase):
    """A folder with stubs, and a catalogue of them."""

    def setUp(self):
        self.build = os.path.join(SCRATCH, self.id().rsplit(".", maxsplit=1)[-1])
        os.makedirs(self.build)
        self.catalogue, self.aims = [], []

    def file(self, name):
        return os.path.join(self.build, name)

    def save(self, name, value):
        with open(self.file(name), "w", encoding="utf-8") as file:
            json.dump(value, file)
        return self.file(name)

    def program(self, name, variants, **more):
        """A stub of this name."""
        entry = {"program": name, "arguments": [[]]}
        entry.update({key: more.pop(key) for key in ("arguments", "quick", "needs") if key in more})
        self.catalogue.append(entry)
        self.save(name + ".json", {"variants": variants, **more})
        with open(self.file(name), "w", encoding="utf-8") as file:
            file.write(STUB)
        os.chmod(self.file(name), 0o755)

    def calls(self, name):
        with open(self.file(name + ".calls"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def command(self, *options):
        return [sys.executable, os.path.join(BENCHMARKS, "run"), "--build", self.build, "--programs",
                self.save("catalogue", self.catalogue), "--aims", self.save("aims", self.aims), "--json",
                self.file("json"), "--html", self.file("html"), *options]

    def run_it(self, *options, status=0, rounds="3"):
        done = subprocess.run([*self.command("--rounds", rounds), *options], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        self.said, self.errors = done.stdout, without_note(done.stderr)
        self.result = self.read_json() if os.path.exists(self.file("json")) else None
        return self.result

    def read_json(self):
        with open(self.file("json"), encoding="utf-8") as file:
            return json.load(file)

    def rows(self, state=0, table=0):
        found = self.result["tables"][table]["figures"]["states"][state]
        return {row["name"]: row for row in found["rows"]}

    def ratio(self, name, role, **where):
        return self.rows(**where)[name]["against"][role]["median"]


class Figures(Bench):
    def test_medians_and_ratios(self):
        """One table of two programs. Ratios are of one round: their median is none of medians."""
        self.program("ours", [reference(), variant("ideal", "ideal", (200, 100, 400)),
                              variant("team 2", rates=(180, 60, 380))])
        self.program("tbb_theirs", [reference((1, 1, 1)), variant("peer 4", "peer", (150, 75, 100), least=8),
                                variant("peer 8", "peer", (120, 90, 90), least=8)])
        self.run_it()
        self.assertTrue(self.result["complete"])
        self.assertEqual([t["title"] for t in self.result["tables"]], ["stubs"])
        row = self.rows()["team 2"]
        self.assertAlmostEqual(row["median"], 180)
        self.assertAlmostEqual(row["least"], 60)
        self.assertAlmostEqual(row["most"], 380)
        self.assertEqual(row["n"], 3)
        self.assertAlmostEqual(row["cores"], 2)
        self.assertAlmostEqual(row["switches"], 2)
        self.assertEqual(row["peak_bytes"], 3000000)
        self.assertAlmostEqual(self.ratio("team 2", "serial"), 1.8)  # of 1.8, 1.2, 1.9
        self.assertAlmostEqual(self.ratio("team 2", "ideal"), 0.9)  # of 0.9, 0.6, 0.95
        self.assertAlmostEqual(self.ratio("team 2", "peer"), 1.2)  # 180/150, 60/90, 380/100: the best peer
        self.assertAlmostEqual(self.ratio("peer 8", "peer"), 0.9)  # 120/150, 1, 90/100
        self.assertAlmostEqual(self.rows()["serial"]["median"], 100)  # not the second program's
        self.assertNotIn("limit", row["against"])
        self.assertIn("peer 8 [tbb] ", self.said)

    def test_rounds_interleave(self):
        """Items: what was calibrated, as a multiple of all leasts. Each round begins with another variant."""
        self.program("one", [variant("a"), reference(), variant("b", least=8, divide=10)])
        self.run_it()
        calls = self.calls("one")
        self.assertEqual(calls[0], ["--list"])
        self.assertIn("--seconds", calls[1])
        self.assertIn("serial", calls[1])  # wherever it stands
        order = [(call[call.index("--run") + 1], call[call.index("--round") + 1]) for call in calls[2:]]
        self.assertEqual(order,
                         [("a", "0"), ("serial", "0"), ("b", "0"), ("serial", "1"), ("b", "1"), ("a", "1"),
                                 ("b", "2"), ("a", "2"), ("serial", "2")])
        items = {run["name"]: run["items"] for run in self.result["tables"][0]["runs"]}
        self.assertEqual(items, {"serial": 1224, "a": 1224, "b": 120})  # of 1234, 24 is the least multiple

    def test_states_apart(self):
        self.program("one", [variant("serial", "serial", (100, 50, 200), states=["far", "near", "neither"]),
                             variant("team 2", rates=(150, 90, 10), states=["near", "far", "neither"])])
        self.run_it()
        states = self.result["tables"][0]["figures"]
        self.assertEqual([s["state"] for s in states["states"]], ["near", "far"])
        # one thread counts in any state, but not where others were busy
        self.assertEqual([self.rows(state)["serial"]["n"] for state in (0, 1)], [2, 2])
        self.assertAlmostEqual(self.rows(0)["team 2"]["median"], 150)
        self.assertAlmostEqual(self.ratio("team 2", "serial", state=0), 1.5)
        self.assertAlmostEqual(self.ratio("team 2", "serial", state=1), 1.8)
        self.assertEqual((states["hidden"], states["several"]), (1, 3))
        self.assertIn("1 of 3 runs", self.said)
        # beside each other
        self.assertRegex(self.said, r"\nteam 2 +1 +1 +150 +90 .* 1\.500 +1\.800\n")
        self.assertIn("stubs, cores near and far, 3 of 3 rounds.\n", self.said)

    def test_one_thread_has_no_state(self):
        """Nor have bytes, also where others were busy."""
        self.program("one", [variant("serial", "serial"), variant("team 1", one_thread=True)])
        self.program("two", [variant("team 2", table="memory", unit="bytes an actor", states=["neither"] * 3)])
        self.run_it()
        self.assertEqual([[of["state"] for of in table["figures"]["states"]] for table in self.result["tables"]],
                         [["either"], ["either"]])
        self.assertIn("stubs, one thread, 3 of 3 rounds.\n", self.said)
        self.program("one", [variant("team 1", one_thread=True, states=["neither"] * 3)])  # busy
        self.assertEqual(self.run_it()["tables"][0]["figures"]["states"][0]["state"], "any")

    def test_neither_alone_is_shown(self):
        self.program("one", [reference(), variant("team 2", rates=(10, 20, 30), states=["neither"] * 3)])
        self.run_it()
        self.assertEqual(self.result["tables"][0]["figures"]["states"][0]["state"], "any")
        self.assertAlmostEqual(self.rows()["team 2"]["median"], 20)

    def test_a_lucky_run_hides_nothing(self):
        """Of three variants one was near once: all are shown, too. Not where it is one of two."""
        for count, states in ((2, ["near"]), (3, ["near", "any"])):
            self.catalogue.clear()
            self.program("one", [reference(), variant("team 0", states=["neither", "near", "neither"]),
                                 *(variant(f"team {i}", states=["neither"] * 3) for i in range(1, count))])
            found = self.run_it()["tables"][0]["figures"]
            self.assertEqual([state["state"] for state in found["states"]], states)
            self.assertEqual(len(self.rows(len(states) - 1)), 2 if count == 2 else 4)
            self.assertEqual("not shown" in self.said, count == 2)

    def test_printed(self):
        """Columns are as wide as what is in them; what nothing is compared with has none."""
        self.program("one", [reference((5000, 5000, 5000)),
                             variant("team 2, a name that is longer than others are", rates=(46508,) * 3)])
        self.run_it()
        self.assertEqual(self.said.split("\n\n")[0].splitlines(), [
            "stubs, cores near and far, 3 of 3 rounds. No run that counts was far.",
            "items/s" + " " * 43 + "n       median        least         most       x serial",
            " " * 47 + "near  far    near  far    near  far    near  far      near  far",
            "team 2, a name that is longer than others are     3    -  46,508    -  46,508    -  46,508    -     9.302"
            "    -",
            "serial" + " " * 44 + "3    -   5,000    -   5,000    -   5,000    -     1.000    -"])

    def test_times(self):
        """Figures are times; ratios still say how many times as fast."""
        times = {"times": True, "unit": "us an item", "scale": 1000}
        self.program("one", [{**reference((1e6, 1e6, 1e6)), **times},
                             variant("team 2", rates=(2e6, 4e6, 4e6), **times)])
        self.run_it()
        self.assertAlmostEqual(self.rows()["team 2"]["median"], 0.25)
        self.assertAlmostEqual(self.ratio("team 2", "serial"), 4)

    def test_only(self):
        self.program("one", [reference(), variant("team 1"), variant("team 2"), variant("peer", "peer")])
        self.run_it("--only", "stubs: TEAM 2")
        self.assertEqual(set(self.rows()), {"serial", "team 2"})
        self.run_it("--only", "^one: stubs: team 1$")
        self.assertEqual(set(self.rows()), {"serial", "team 1"})
        # the last one is in the path of the build folder only
        for pattern in ("nothing like it", os.path.basename(self.build)):
            for more in ([], ["--list"]):
                self.run_it("--only", pattern, *more, status=2)
                self.assertEqual(self.errors, f"benchmarks/run: no variant has '{pattern}' in its name: "
                                 "--list shows them\n")

    def test_library_of_a_peer(self):
        """Of a program of peers the library isn't taken."""
        os.mkdir(self.file("peers"))
        self.program("one", [reference(), variant("team 1")])
        self.program("peers/two", [reference(), variant("team 1"), variant("team 2"), variant("p", "peer")])
        self.run_it()
        self.assertEqual(set(self.rows()), {"serial", "team 1", "p"})

    def test_help(self):
        self.run_it("--help")
        self.assertTrue(self.said.startswith("usage: benchmarks/run"), self.said)
        # scripts/bench asks so before it installs anything
        for wrong in (["--frob"], ["word"], ["--rounds"]):
            self.run_it(*wrong, "--help", status=2)
            self.assertIn("error:", self.errors)

    def test_quick(self):
        nine = {key: 3 * reference()[key] for key in ("rates", "states", "hash")}
        self.program("one", [{**reference(), **nine}], arguments=[["-a"], ["-b"]], quick=[["-q"]])
        done = subprocess.run(self.command("--quick"), capture_output=True, text=True,
                              check=True)
        options = self.read_json()["options"]
        self.assertEqual((options["rounds"], options["minutes"]), (9, 15))
        self.assertEqual({call[0] for call in self.calls("one")}, {"-q"})
        self.assertRegex(without_note(done.stderr), r"\Abenchmarks/run: it takes 15 minutes at most\n"
                         r"1 variants, 1 tables, rounds: 9, fewer where time is up; about \d+ s\n"
                         r"round 1 of 9, \d+ s left\n(?s:.*)\nround 9 of 9\n\Z")

    def test_time_is_up(self):
        """After a round of all; the report says how many each has."""
        nine = {key: 3 * reference()[key] for key in ("rates", "states", "hash")}
        self.program("one", [{**v, **nine} for v in (reference(), variant("team 2"))])
        self.run_it("--minutes", "0.05", rounds="1001")
        self.assertTrue(self.result["complete"])
        rounds = self.result["rounds"]
        self.assertLess(rounds, 1001)
        self.assertEqual(self.result["tables"][0].get("rounds", 0), rounds)
        self.assertIn(f"stubs, cores near and far, {rounds} of 1001 rounds, then time was up.", self.said)
        self.assertIn(f"{rounds} of 1001 rounds in 0.05 minutes of 0.25 s a run", " ".join(self.report_words()))
        for wrong in ("0", "x", "nan"):
            self.run_it("--minutes", wrong, status=2)
            self.assertIn(f"'{wrong}' is no number from 0.001 to 10000", self.errors)

    def report_words(self):
        page = Balance()
        with open(self.file("html"), encoding="utf-8") as file:
            page.feed(file.read())
        return page.words

    def test_again(self):
        self.program("one", [variant("serial", "serial", again=["-b", "77"])], arguments=[["-H"]])
        self.run_it()
        self.assertTrue(all(call[:3] == ["-H", "-b", "77"] for call in self.calls("one")[1:]))

    def test_list(self):
        self.program("one", [reference(), variant("team 2", absent="no second core")])
        self.run_it("--list")
        self.assertIsNone(self.result)
        self.assertRegex(self.said, r"serial +serial +one")
        self.assertIn("absent: stubs: team 2: no second core", self.said)


class Outputs(Bench):
    def test_wrong_hash(self):
        self.program("one", [reference(), variant("a")])
        self.program("two", [variant("b", hash=["e0", "bad", "e0"])])
        self.run_it(status=1)
        for said in ("'b'", "'serial'", "bad", "e0", "1224 items"):
            self.assertIn(said, self.errors)
        self.assertFalse(self.result["complete"])
        self.assertEqual(self.result["rounds"], 1)  # it ended in the second
        self.assertEqual(self.result["failures"][0]["variant"], "b")

    def test_unexpected_hash(self):
        """All agree, but with nothing that was found in another way."""
        self.program("one", [variant(n, expect=True, hash=["bad"] * 3) for n in "ab"])
        self.run_it(status=1)
        self.assertIn("what is expected", self.errors)

    def test_expectation_is_asked_once(self):
        self.program("one", [variant("a", expect=True), variant("b", expect=True),
                             variant("c", expect=True, group=1)])
        self.run_it()
        self.assertEqual(sum("--expect" in call for call in self.calls("one")), 2)

    def test_groups_may_differ(self):
        self.program("one", [reference(), variant("a", group=1, hash=["other"] * 3),
                             variant("b", divide=10, hash=["less"] * 3)])
        self.run_it()
        self.assertEqual(len(self.rows()), 3)


class Failures(Bench):
    def test_absent(self):
        self.program("one", [reference(), variant("x", absent="it needs a <device>")])
        self.catalogue.append({"program": "peers/none", "arguments": [[]], "needs": "libnone-dev"})
        self.run_it()
        whats = {a["what"]: a["why"] for a in self.result["absent"]}
        self.assertEqual(whats["peers/none"],
                         "not built; it needs libnone-dev; make builds it if configure found that")
        self.assertEqual(whats["stubs: x"], "it needs a <device>")
        self.assertNotIn("x", self.rows())

    def test_crash(self):
        """Others go on; the status says that something failed."""
        self.program("one", [reference(), variant("a", bad={"1": "crash"}), variant("b")])
        self.run_it(status=1)
        self.assertTrue(self.result["complete"])
        self.assertEqual(self.result["failures"][0]["variant"], "a")
        self.assertIn("was killed by SIGSEGV: about to crash", self.said)
        self.assertEqual({n: r["n"] for n, r in self.rows().items()}, {"serial": 3, "a": 1, "b": 3})

    def test_no_list(self):
        self.program("one", [], list="fail")
        self.program("two", [reference()])
        self.run_it(status=1)
        self.assertIn("ended with status 3: no such thing", self.result["failures"][0]["what"])
        self.assertIn("serial", self.rows())
        self.program("two", [], list="fail")
        for more in ([], ["--list"]):
            self.run_it(*more, status=1)
            self.assertIn("ended with status 3", self.errors)
            self.assertIn("nothing to run", self.errors)

    def test_calibration_fails(self):
        """The next one calibrates; where none can, the table has no runs."""
        self.program("one",
                     [variant("serial", "serial", bad={"0": "fail"}, bad_calibration=True), variant("a")])
        self.run_it(status=1)
        self.assertEqual(set(self.rows()), {"a"})
        self.program("one", [variant("serial", "serial", bad={"0": "fail"}, bad_calibration=True)])
        self.run_it(status=1)
        self.assertEqual(self.result["tables"][0]["runs"], [])

    def test_bad_answers(self):
        wrong = {"items": {"items": 7}, "name": {"name": "another"}, "seconds": {"seconds": 0},
                 "state": {"state": "middling"}, "hash": {"hash": None}, "no number": {"seconds": math.nan},
                 "nearly 0": {"seconds": 1e-320}, "endless": {"cpu": math.inf}, "huge": {"items": 10 ** 400},
                 "channels": {"channel_bytes": "x"}, "truth": {"voluntary": True},
                 "expected": {"expected": ["e0"]}}
        self.program("one", [reference(), *(variant(n, line=line) for n, line in wrong.items()),
                             variant("raw", raw="{ not JSON"), variant("silent", raw="nothing"),
                             variant("deep", raw='{"a":' + "[" * 100000)])
        self.run_it(status=1)
        whats = {f["variant"]: f["what"] for f in self.result["failures"]}
        for name, said in (("items", "ran 7 items instead of"), ("name", "ran 'another'"),
                           ("seconds", "in 0 s"),
                           ("state", "middling"), ("hash", "without a proper 'hash'"), ("raw", "is not JSON"),
                           ("no number", "is not JSON"), ("nearly 0", "in 1e-320 s"),
                           ("endless", "is not JSON"), ("huge", "proper 'items'"),
                           ("channels", "proper 'channel_bytes'"), ("truth", "proper 'voluntary'"),
                           ("expected", "proper 'expected'"), ("deep", "is not JSON"),
                           ("silent", "no line of JSON")):
            self.assertIn(said, whats[name])
        self.assertEqual(set(self.rows()), {"serial"})

    def test_bad_lists(self):
        for name, wrong in (("role", {"role": "boss"}), ("least", {"least": 0}), ("unit", {"unit": 5}),
                            ("parameter", {"parameters": {"block": "x"}}), ("again", {"again": [1]}),
                            ("zero", {"again": ["a\0b"]}), ("family", {"family": 1}),
                            ("large", {"scale": 1e300}), ("small", {"scale": 1e-300}),
                            ("surrogate", {"unit": "\ud800"})):
            self.program(name, [variant(name, **wrong)])
        self.program("ok", [reference(), variant("tasks", "peer")])
        self.program("twin", [variant("tasks", "peer")])
        self.program("scale", [variant("scale", scale=10)])
        self.run_it(status=1)
        whats = {os.path.basename(f["program"]): f["what"] for f in self.result["failures"]}
        for name, said in (("role", "unknown role 'boss'"), ("least", "too small"), ("unit", "proper 'unit'"),
                           ("parameter", "a parameter that is no number"), ("again", "not made of words"),
                           ("zero", "not made of words"), ("family", "proper 'family'"),
                           ("large", "proper 'scale'"), ("small", "too small"),
                           ("surrogate", "proper 'unit'"), ("scale", "in another way"),
                           ("twin", "give them different names")):
            self.assertIn(said, whats[name])

    def test_full_disk(self):
        """Rounds go on, all files are tried, the report is printed. A limit on files stands for the disk."""
        self.program("one", [reference(), variant("team", parameters={f"p{i}": i for i in range(300)})])
        with open(self.file("doc.md"), "w", encoding="utf-8") as file:
            file.write("x" * 3000 + "\n<!-- end -->\n")
        command = self.command("--rounds", "2", "--doc", self.file("doc.md"))
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)))
        self.assertEqual(done.returncode, 1)
        self.assertIn("round 2 of 2", done.stderr)
        for name in ("json", "html", "doc.md"):
            self.assertIn(f"cannot write '{self.file(name)}': File too large; make room", done.stderr)
        self.assertRegex(done.stdout, r"team +2 +- +100 ")
        self.assertNotIn("Traceback", done.stderr)
        self.assertFalse([name for name in os.listdir(self.build) if name.endswith(".new")])

    def test_nobody_reads(self):
        """The files are whole, also when the progress goes nowhere, too."""
        self.program("one", [reference()])
        for both in (False, True):
            out, into = os.pipe()
            os.close(out)
            for options, status in ((["--rounds", "2"], 1), (["--list"], 1)):
                with subprocess.Popen(self.command(*options), stdout=into, text=True,
                                      stderr=into if both else subprocess.PIPE) as driver:
                    _, errors = driver.communicate()
                self.assertEqual(driver.returncode, status)
                self.assertRegex(errors or "", r"\A\Z" if both else
                                 r"cannot print the report: Broken pipe\n\Z")
            os.close(into)
            self.assertTrue(self.read_json()["complete"])
            os.remove(self.file("json"))
            os.remove(self.file("html"))

    def test_stuck(self):
        self.program("one", [], list="wait")
        os.mkfifo(self.file("one.fifo"))
        reader = os.open(self.file("one.fifo"), os.O_RDONLY | os.O_NONBLOCK)
        with self.assertRaisesRegex(programs.Failure, "was stopped after"):
            programs.call([self.file("one"), "--list"], 1)
        pid = os.read(reader, 20)
        os.close(reader)
        if pid:  # it had come so far
            self.assertRaises(ProcessLookupError, os.kill, int(pid), 0)
        with self.assertRaisesRegex(programs.Failure, "cannot be run"):
            programs.call([self.file("nothing")], 1)
        self.assertIn("signal 99", programs.ending(-99, ""))

    def test_interrupted_while_it_starts(self):
        """What has just been started is ended, too."""
        children = []

        def start(*arguments, **options):
            children.append(subprocess.Popen(*arguments, **options))
            os.kill(os.getpid(), signal.SIGUSR1)
            return children[0]
        before = signal.signal(signal.SIGUSR1, programs.INTERRUPTS.handle)
        programs.subprocess = types.SimpleNamespace(**{**vars(subprocess), "Popen": start})
        try:
            self.assertRaises(KeyboardInterrupt, programs.call, ["cat", "/dev/zero"], WITHOUT_END)
        finally:
            programs.subprocess = subprocess
            signal.signal(signal.SIGUSR1, before)
        self.assertIsNotNone(children[0].returncode)
        self.assertEqual(programs.call(["echo", "again"], WITHOUT_END), "again\n")

    def interrupted(self, number):
        self.program("one", [reference(), variant("a", bad={"1": "wait"}), variant("b")])
        os.mkfifo(self.file("one.fifo"))
        # where all tests ignore it (nohup), the driver would, too
        with subprocess.Popen(self.command("--rounds", "3"), stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True,
                              preexec_fn=lambda: signal.signal(number, signal.SIG_DFL)) as driver:
            with open(self.file("one.fifo"), encoding="utf-8") as fifo:  # returns when it waits
                pid = int(fifo.read())
            os.kill(driver.pid, number)
            said, _ = driver.communicate()
        self.assertEqual(driver.returncode, 130)
        self.assertRaises(ProcessLookupError, os.kill, pid, 0)
        self.result = self.read_json()
        self.assertFalse(self.result["complete"])
        self.assertEqual(self.result["rounds"], 1)
        self.assertEqual({n: r["n"] for n, r in self.rows().items()}, {"serial": 1, "a": 1, "b": 1})
        self.assertIn("stubs, cores near and far, 1 of 3 rounds", said)
        with open(self.file("html"), encoding="utf-8") as file:
            self.assertIn("ended early", file.read())

    def test_interrupted(self):
        self.interrupted(signal.SIGINT)

    def heard(self, fifo, what):
        """What the pipe gives has this in it; b"": it ends."""
        said = b""
        while not said or not what or what not in said:
            select.select([fifo], [], [])  # until it has been opened for writing; a read would not wait
            part = os.read(fifo, 100)
            said += part
            if not part:
                break
        self.assertIn(what, said)

    def test_interrupted_twice(self):
        """A program that doesn't end when it is asked to is killed at the second one, with its child."""
        self.program("one", [reference(), variant("a", bad={"0": "stubborn"})])
        os.mkfifo(self.file("one.fifo"))
        fifo = os.open(self.file("one.fifo"), os.O_RDONLY | os.O_NONBLOCK)
        os.set_blocking(fifo, True)
        with subprocess.Popen(self.command("--rounds", "1"), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as driver:
            self.heard(fifo, b"child ")
            os.kill(driver.pid, signal.SIGINT)
            self.heard(fifo, b"asked ")
            os.kill(driver.pid, signal.SIGINT)
            _, errors = driver.communicate()
        self.assertEqual(driver.returncode, 130, errors)
        self.heard(fifo, b"")
        os.close(fifo)
        self.assertEqual(self.read_json()["failures"], [])

    def test_children_end(self):
        """Of a program that ends by itself, or was asked to."""
        left = 'sleep 100 >&- 2>&- & echo said'
        for shell, seconds in ((left, WITHOUT_END), (left + "; wait", 1)):
            ours, theirs = os.pipe()
            os.set_inheritable(theirs, True)
            start = functools.partial(subprocess.Popen, pass_fds=[theirs])
            programs.subprocess = types.SimpleNamespace(**{**vars(subprocess), "Popen": start})
            try:
                self.assertEqual(programs.call(["sh", "-c", shell], seconds), "said\n")
            except programs.Failure as failure:
                self.assertIn("was stopped", str(failure))
            finally:
                programs.subprocess = subprocess
                os.close(theirs)
            self.heard(ours, b"")
            os.close(ours)

    def test_hung_up(self):
        self.interrupted(signal.SIGHUP)

    def test_terminated(self):
        self.interrupted(signal.SIGTERM)


class Usage(Bench):
    def test_refused(self):
        self.program("one", [reference()])
        broken, no_aim = self.file("broken"), self.save("no_aim", [{"what": "x"}])
        no_role = self.save("no_role",
                            [{"what": "", "table": "", "variant": "", "against": "me", "at_least": 1}])
        os.mkfifo(self.file("pipe"))
        no_entry = self.save("no_entry", [{"program": "x"}])
        with open(broken, "w", encoding="utf-8") as file:
            file.write("[")
        for options in (["--rounds", "0"], ["--rounds", "many"], ["--seconds", "0"], ["--only", "("],
                        ["more"],
                        ["--build", self.file("none")], ["--json", self.file("none/file")],
                        ["--html", self.build], ["--json", "/proc/x.json"], ["--html", self.file("pipe")],
                        ["--doc", broken], ["--doc", "/proc/none/x.md"],
                        ["--qui"], ["--aims", broken], ["--aims", no_aim], ["--aims", no_role],
                        ["--programs", self.file("none")], ["--programs", no_entry]):
            with self.subTest(options):
                self.run_it(*options, status=2)
                self.assertIn("usage:", self.errors)
        self.assertFalse(os.path.exists(self.file("one.calls")))
        for option, given, said in (("--seconds", "abc", "'abc' is no number from 0.0001 to 3600"),
                                    ("--seconds", "nan", "'nan' is no number from"),
                                    ("--rounds", "1002", "'1002' is no whole number from 1 to 1001")):
            self.run_it(option, given, status=2)
            self.assertIn(f"argument {option}: {said}", self.errors)
        for option in ("--programs", "--aims", "--paper"):
            self.run_it(option, "none", status=2)
            self.assertRegex(self.errors,
                             f"{option}: cannot read 'none': No such file .*; without {option} it is ")

    def test_terminal(self):
        """A line a run."""
        self.program("one", [reference(), variant("a", bad={"0": "fail"})])
        try:
            ours, theirs = pty.openpty()
        except OSError as error:  # a chroot without /dev/pts
            self.skipTest(str(error))
        with subprocess.Popen(self.command("--rounds", "1"), stdout=subprocess.DEVNULL,
                              stderr=theirs) as driver:
            os.close(theirs)
            said = b""
            while True:
                try:
                    part = os.read(ours, 4096)
                except OSError:  # the other end is closed
                    break
                if not part:
                    break
                said += part
        os.close(ours)
        self.assertEqual(driver.returncode, 1)
        self.assertRegex(said.decode(), r"1/2  stubs: serial: 100 items/s, near")
        self.assertRegex(said.decode(), r"stubs: a: FAILED")


class Aims(Bench):
    def aim(self, **more):
        self.aims.append({"what": "w", "table": "stubs", "variant": "^team", "against": "ideal",
                          "at_least": 1,
                          **more})

    def test_aims(self):
        self.program("one", [reference(), variant("ideal", "ideal", (200, 200, 200)),
                             variant("team 1", rates=(100, 100, 100)),
                             variant("team 2", rates=(190, 190, 300)),
                             variant("DAL, paper", "baseline", (100, 100, 100)),
                             variant("DAL, best", "baseline", (200, 200, 200))])
        self.aim(at_least=0.95)
        self.aim(at_least=1)
        self.aim(variant="team 1", at_least=0.4)
        self.aim(against="peer")
        self.aim(table="other")
        self.aim(against="baseline", named="paper", at_least=1.8)
        self.run_it()
        lines = self.result["aims"]
        self.assertEqual([line["met"] for line in lines], [True, False, True, None, None, True])
        self.assertEqual(lines[0]["variant"], "team 2")
        self.assertAlmostEqual(lines[0]["median"], 0.95)
        self.assertAlmostEqual(lines[1]["by"], -0.05)
        self.assertEqual(lines[2]["variant"], "team 1")
        self.assertAlmostEqual(lines[5]["median"], 1.9)
        self.assertIn("missed by 5.0 %", self.said)
        self.assertIn("not measured", self.said)

    def test_aims_of_states(self):
        """Each state has its own; in one without an aim the figure is said."""
        states = ["near", "far", "far"]
        self.program("one", [reference(), variant("ideal", "ideal", (200, 200, 200), states=states),
                             variant("team 2", rates=(190, 170, 190), states=states)])
        self.aim(at_least={"near": 0.97, "far": 0.85})
        self.aim(at_least={"near": 0.9})
        self.run_it()
        self.assertEqual([(line["state"], line["bound"], line["met"]) for line in self.result["aims"]],
                         [("near", 0.97, False), ("far", 0.85, True), ("near", 0.9, True), ("far", None, None)])
        self.assertIn("w: 0.950 of the ideal (at least 0.97 near, at least 0.85 far): missed by 2.1 %", self.said)
        self.assertIn("w: 0.900 of the ideal (at least 0.90 near): no aim", self.said)

    def test_aims_that_are_figures(self):
        """At most so much in the table's unit, of the one that takes least."""
        times = {"times": True, "unit": "bytes an actor", "scale": 1}
        self.program("one", [variant("team 2, a", rates=(1e6, 1e6, 1e6), **times),
                             variant("team 2, b", rates=(2e6, 2e6, 2e6), **times)])
        for most in (500, 400):
            self.aims.append({"what": "w", "table": "stubs", "variant": "^team", "at_most": most})
        self.run_it()
        lines = self.result["aims"]
        self.assertEqual([(line["variant"], line["median"], line["met"], line["by"]) for line in lines],
                         [("team 2, b", 500, True, 0), ("team 2, b", 500, False, -0.25)])
        self.assertIn("w: 500 bytes an actor (at most 400): missed by 25.0 %  [stubs / team 2, b / one thread]",
                      self.said)
        self.assertEqual(self.result["main"], [])

    def test_aims_against_ones_own(self):
        self.program("one", [reference(), variant("team 2, ten", rates=(200, 200, 200)),
                             variant("team 2, many", rates=(190, 190, 190))])
        self.aim(against="library", named="ten$", at_least=0.8)
        line = self.run_it()["aims"][0]
        self.assertEqual((line["variant"], line["median"], line["met"]), ("team 2, many", 0.95, True))
        for wrong in ({"against": "library"}, {"at_least": {"nearly": 1}}, {"at_least": {}}, {"at_least": True},
                      {"at_most": 5}, {"at_least": {"near": "x"}}):
            self.aims.clear()
            self.aim(**wrong)
            self.run_it(status=2)
            self.assertIn("/aims: an aim ", self.errors)


class Balance(html.parser.HTMLParser):
    """Each element is closed, in order."""

    VOID = {"meta", "br", "hr", "img"}

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.words, self.wrong = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.words.append(data)


class Report(Bench):
    def report(self):
        page = Balance()
        with open(self.file("html"), encoding="utf-8") as file:
            self.page = file.read()
        page.feed(self.page)
        page.close()
        self.assertEqual((page.wrong, page.open), ([], []))
        return page

    def test_report(self):
        """It is well-formed, says what was measured, and fetches nothing."""
        nasty = 'team <b> & "co"'
        self.program("one",
                     [reference(), variant(nasty, rates=(180, 60, 380)), variant("x", absent="no </p>"),
                             variant("crash & burn", bad={"0": "crash"})])
        self.aims.append({"what": "much & more", "table": "stubs", "variant": "team", "against": "serial",
                          "at_least": 2})
        self.run_it(status=1)
        page = self.report()
        words = " ".join(page.words)
        for said in (nasty, "no </p>", "crash & burn", "much & more", "missed by 10.0 %", "items/s", "180",
                     "1.800", "× serial", "SIGSEGV", machine.platform.release()):
            self.assertIn(said, words)
        for tag, attributes in page.seen:
            self.assertNotIn(tag, ("script", "link", "img", "iframe"))
            self.assertFalse({"src", "href"} & set(attributes))
            self.assertTrue(attributes.get("xlink:href", "#").startswith("#"))
        self.assertIsNone(re.search(r"https?:|@import|url\(", self.page))
        self.assertIn("prefers-color-scheme: dark", self.page)
        if not charts.missing():
            drawn = [attributes for tag, attributes in page.seen if tag == "svg"]
            self.assertEqual([chart["aria-label"] for chart in drawn], ["stubs: medians"])
            self.assertIn('team <b> & ”co”', words)
            self.assertEqual(self.page.count("<defs>"), 1)

    def test_sweeps(self):
        """Variants that differ in a number are points of a curve, tables of a family, too."""
        depths = [variant(f"team 2, depth {d}", rates=(50 * d,) * 3, parameters={"team": 2, "depth": d})
                  for d in (2, 4, 8)]
        family = {"family": "stub family", "sweep": "actors"}
        other = {"table": "more stubs", **family, "at": 1000}
        self.program("one", [{**reference(), **family, "at": 10}, *depths])
        self.program("two", [{**reference(), **other}, {**depths[0], **other}])
        self.result = self.run_it()
        page = self.report()
        if not charts.missing():
            labels = [a["aria-label"] for tag, a in page.seen if tag == "svg"]
            self.assertEqual(labels, ["stubs: medians", "stubs: items/s over depth", "more stubs: medians",
                                      "stub family over actors, cores near"])
            self.assertEqual(sum(a.get("xlink:href") == "#gpPt6" for tag, a in page.seen if tag == "use"),
                             3 + 1 + 2 * (2 + 1))  # a mark for each point, and one in each key
            self.assertIn("times as fast as serial", page.words)
        for said in ("depth", "actors", "stub family over actors, cores near"):
            self.assertIn(said, " ".join(page.words))

    def test_curves(self):
        table = {"variants": [variant(f"8 tokens, depth {d}", parameters={"tokens": 8, "depth": d})
                              for d in (1, 2, 4)]}
        rows = [{"name": v["name"], "median": i} for i, v in enumerate(table["variants"])]
        self.assertEqual(sweeps.in_table(table, rows), {"depth": {"8 tokens": [(1, 0), (2, 1), (4, 2)]}})
        self.assertEqual(sweeps.in_table(table, rows[:2]), {})
        series = {str(i): [(1, i)] for i in range(20)}
        self.assertEqual(list(sweeps.best(series)), [str(i) for i in range(19, 19 - charts.SERIES, -1)])
        self.assertEqual(list(sweeps.best(series, True)), [str(i) for i in range(charts.SERIES)])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], testLoader=share.Loader(), verbosity=2)
