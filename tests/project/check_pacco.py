# SPDX-License-Identifier: MIT
"""benchmarks/pacco: what it gathers, reports, skips and refuses, with programs that answer what the test wants. And the
plans of its graphs, against vectors of the tests' own. Nothing is timed."""

import base64
import contextlib
import html.parser
import importlib.machinery
import importlib.util
import io
import json
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import unittest
import zlib

import share

SOURCE, BUILD, SCRATCH = sys.argv[1:4]
PACCO = os.path.join(SOURCE, "benchmarks/pacco")
os.environ.pop("PYTHONUNBUFFERED", None)
sys.path.insert(0, os.path.join(SOURCE, "benchmarks"))
from harness import charts, pacco_paper, pacco_parts, pictures, plans, programs, timeline  # noqa: E402

# Its answer, by its options, is in the file beside it: the first of [words, answer] of which all words are there.
STUB = """#!%s -SE
import json, os, signal, sys
given = sys.argv[1:]
open(__file__ + ".calls", "a").write(json.dumps([given, os.environ.get("PENSTOCK_MEMORY")]) + "\\n")
for words, answer in json.load(open(__file__ + ".json")):
    if all(word in given for word in words):
        break
else:
    sys.exit("no answer to " + " ".join(given))
def option(name):
    return given[given.index(name) + 1] if name in given else None
if "wait" in answer:
    with open(__file__ + ".fifo", "w") as fifo:
        fifo.write(str(os.getpid()))
    while True:
        signal.pause()
if "fail" in answer:
    print(answer["fail"], file=sys.stderr)
    sys.exit(3)
if "remove" in answer:
    os.rmdir(answer["remove"])
for name, content in answer.get("files", {}).items():
    path = option(name) or os.environ.get(name)
    if path:
        open(path + content.get("behind", ""), "wb").write(bytes.fromhex(content["hex"]))
for content in answer.get("traces", []):
    open(os.environ["PENSTOCK_TRACE"] + content[0], "w").write(content[1])
if option("-j") and "json" in answer:
    open(option("-j"), "w").write(answer["json"] if isinstance(answer["json"], str) else json.dumps(answer["json"]))
print(answer.get("said", ""))
""" % sys.executable


# what starts a program twice, once: `mpirun -n 2 PROGRAM ..`
MPIRUN = os.path.join(SCRATCH, "mpirun")
with open(MPIRUN, "w", encoding="utf-8") as launcher:
    launcher.write('#!/bin/sh\nshift 2\nexec "$@"\n')
os.chmod(MPIRUN, 0o755)
os.environ["MPIRUN"] = MPIRUN


def vector(name):
    with open(os.path.join(SOURCE, f"tests/data/pacco-{name}.json"), encoding="utf-8") as file:
        return json.load(file)


def hexed(data):
    return {"hex": data.hex()}


# -- what the programs answer --

POINT = {"nb_loop": 0, "kernel_s": 0.0, "hop_s": 0.016, "on_s": 0.016, "off_s": 0.02, "by_hand_s": 0.017,
         "phases_s": 0.016, "serial_s": 0.032, "model_on_s": 0.016, "model_phases_s": 0.016, "model_serial_s": 0.032,
         "planned_on_s": 0.016, "planned_off_s": 0.016}
POINTS = [POINT, {**POINT, "nb_loop": 160, "kernel_s": 0.016, "on_s": 0.0165, "phases_s": 0.033,
                  "model_phases_s": 0.032}]
PIIC = {"figure": 15, "driver": "timed", "incrementers": 2, "points": POINTS, "plan": {
    "on": {"latency": {"P": 0, "I1": 2, "I2": 5, "C": 7}, "bytes": 224000000, "taken": 224000192},
    "off": {"latency": {"P": 0, "I1": 1, "I2": 3, "C": 4}, "bytes": 112000000, "taken": 112000192}}}
HOSTS = {"figure": 15, "hosts": 2, "network": "modelled", "points": [
    {**point, "net_s": 0.03, "by_hand_over_on": 1.04, "on_s": 0.031, "model_on_s": 0.03} for point in POINTS], "plan": {
        way: {"latency": {}, "memory": dict.fromkeys(("c0", "c0/g0", "c1", "c1/g0"), size), "taken": [2 * size] * 2}
        for way, size in (("on", 64000000), ("off", 32000000))}}
GRANULOMETRY = {"figure": 20, "driver": "timed", "openings": 40, "reading_s": 0.00434, "one_s": 0.0131,
                "points": [{"n": n, "predicted_s": 0.005 + 1e-5 * n, "measured_s": 0.0051 + 1e-5 * n}
                           for n in (1, 28, 39)],
                "best": {"predicted": 28, "measured": 27, "auto": 28},
                "speedup": {"predicted": 2.71, "measured": 2.65, "paper": 2.7},
                "curve": {"G": [806, 806, 797, 0], "PS": [0, 9, 797], "main": 2}}
STEPS = ("window", "fft", "gabor", "ifft", "interactions", "normalize", "sum")
SALIENCY = {"table2": [{"size": size, "steps": [{"name": name, "cores_s": 0.004, "device_s": 0.002}
                                                for name in STEPS]} for size in ("512x512", "720x576")],
            "team": [{"size": "512x512", "one_s": 0.2, "team_s": 0.1, "ratio": 1.987}],
            "by_hand": [{"size": "512x512", "library_s": 0.1, "by_hand_s": 0.099, "ratio": 0.991}],
            "two_devices": {"split": {"rate": 12.5, "evenness": 0.03, "in_order": True, "bytes": 4000000},
                            "dealt": {"rate": 10.0, "evenness": 0.31, "in_order": False, "bytes": 8000000},
                            "timed": {"size": "720x576", "paper": {"rate": 32.1, "planned": 32.62}}},
            "filters": {"width": 3, "height": 2, "rows": 4, "columns": 6, "pgm": "f"}, "trace": "t"}
PGM = b"P5\n# a comment\n3 2\n255\n\x00\x40\x80\xc0\xff\x10"


def trace(*spans):
    """Of one device: (queue, category, start, length) in us."""
    names = [{"ph": "M", "pid": 3, "name": "process_name", "args": {"name": "pstk:gpu:0 (a device)"}}]
    names += [{"ph": "M", "pid": 3, "tid": tid, "name": "thread_name", "args": {"name": f"queue {tid}"}}
              for tid in {span[0] for span in spans}]
    names.append({"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 5, "cat": "firing", "name": "P"})
    return json.dumps({"traceEvents": names + [
        {"ph": "X", "pid": 3, "tid": tid, "cat": kind, "ts": start, "dur": length, "name": "x"}
        for tid, kind, start, length in spans]})


def turns(step, shift):
    """Transfers and kernels of 100 us, one of each so many us behind the one before."""
    return trace(*((1, "transfer", step * k, 100) for k in range(9)),
                 *((2, "kernel", step * k + shift, 100) for k in range(9)))


SERIAL, BESIDE = turns(200, 100), turns(100, 50)


def small_plan(mapping, latency):
    return {"schedule": {name: i for i, name in enumerate(latency)}, "latency": latency, "mapping": mapping,
            "buffers": [], "memory": {"h/g0": {"bytes": 200, "merged_bytes": 100}}, "period": 0.02, "simulated": 0.02}


def plan_answers():
    """What penstock plan says of each graph: vectors where there are any."""
    def of(graph, *words):
        return [os.path.join(pacco_parts.EXAMPLES, f"plan_{graph}.yaml"), *words]

    def said(what):
        return {"said": json.dumps(what)}
    svg = [["svg"], {"said": '<?xml version="1.0"?>\n<svg width="9pt"><g id="g"><text>drawn</text></g></svg>'}]
    answers = [svg]
    for name, graph in (("fig5", "fig5"), ("piic", "piic"), ("saliency-cost", "saliency")):
        found = vector(name)
        answers += [[of(graph, way), said({"simulated": found[way]["period"], **found[way]})] for way in ("on", "off")]
    auto = {**vector("saliency-cost")["on"], "mapping": {}}
    answers.append([of("saliency", "auto"), said({**auto, "period": 0.029584})])
    for way, one, two in (("on", 4, 7), ("off", 2, 4)):
        for words, sink in ((["second=h/g0"], one), ([], two)):
            latency = {"source": 0, "first": 1, "second": 2, "sink": sink}
            answers.append([of("granulometry", way, *words), said(small_plan(dict.fromkeys(latency, "h"), latency))])
    return answers


def machine_answer(measured):
    link = {"between": ["host", "host/gpu0"], "kind": "copy"}
    if measured:
        link |= {"rate": 5e9, "latency": 1e-5, "duplex": "full", "measured": [
            {"memory": memory, "at_once": k, "there": k * rate, "back": k * rate + 1e6}
            for memory, rate in (("pageable", 2e9), ("locked", 3e9)) for k in (1, 2, 6)]}
    return {"said": json.dumps({"machine": {"hosts": {}, "links": [link]}})}


class Pacco(unittest.TestCase):
    """A build folder with stubs."""

    def setUp(self):
        self.build = os.path.join(SCRATCH, self.id().rsplit(".", maxsplit=1)[-1])
        os.makedirs(self.build)

    def file(self, name):
        return os.path.join(self.build, name)

    def program(self, name, answers):
        path = self.file(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path + ".json", "w", encoding="utf-8") as file:
            json.dump(answers, file)
        with open(path, "w", encoding="utf-8") as file:
            file.write(STUB)
        os.chmod(path, 0o755)

    def calls(self, name):
        with open(self.file(name) + ".calls", encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def all_programs(self):
        self.program("apps/penstock/penstock", [[["machine"], machine_answer(True)], *plan_answers()])
        self.program("benchmarks/piic", [
            [["pocl"], {"said": "piic: not here: driver 'pocl' has not 2 devices"}],
            [["gpu"], {"json": PIIC, "said": ""}],
            [["-i"], {"json": {**PIIC, "figure": 4}}],
            [["18"], {"json": PIIC, "traces": [[".3", BESIDE], [".10", SERIAL]]}],
            [[], {"json": PIIC}]])
        self.program("benchmarks/piic_hosts", [[[], {"json": HOSTS}]])
        self.program("benchmarks/granulometry", [
            [["pocl"], {"said": "granulometry: not here: there is no OpenCL device"}], [[], {"json": GRANULOMETRY}]])
        self.program("benchmarks/saliency", [[[], {"json": SALIENCY, "files": {
            "-F": hexed(PGM), "-T": hexed(BESIDE.encode())}}]])

    def command(self, *options):
        return [sys.executable, "-B", PACCO, "--build", self.build, *options]

    def run_it(self, *options, status=0, **more):
        more = {"cwd": self.build, **more}
        done = subprocess.run(self.command(*options), capture_output=True, text=True, check=False, **more)
        self.said, self.errors = done.stdout, done.stderr
        self.assertEqual(done.returncode, status, self.said + self.errors)

    def figures(self, *options, status=0, **more):
        """Of a run."""
        self.run_it("--json", self.file("json"), *options, status=status, **more)
        return self.read("json")

    def read(self, name):
        with open(self.file(name), encoding="utf-8") as file:
            return json.load(file) if name == "json" else file.read()


class Balance(html.parser.HTMLParser):
    """Each element is closed, in order; names are unique."""

    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.names = [], [], []

    def handle_starttag(self, tag, attrs):
        self.names += [value for key, value in attrs if key == "id" and not value.startswith("gn")]
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass


class Whole(Pacco):
    def setUp(self):
        super().setUp()
        self.all_programs()
        # the graphs' names, as the program names them, are relative to where it runs
        self.here = {"cwd": os.getcwd()}

    def test_all(self):
        """Each table and figure is in the JSON, the text and the page."""
        found = self.figures("--html", self.file("html"), **self.here)
        self.assertEqual(" ".join(found["figures"]), "9 10 14 18 19 24 3 2 4 15 20 17 22 23")
        self.assertEqual(set(found["figures"]), set(pacco_paper.FIGURES))
        self.assertEqual(set(found["tables"]), set(pacco_paper.TABLES))
        self.assertTrue(found["complete"])
        self.assertEqual(found["failures"], [])
        self.figure_values(found["figures"], found["tables"])
        page = self.read("html")
        for kind, known in (("Table", pacco_paper.TABLES), ("Figure", pacco_paper.FIGURES)):
            for key, (title, differs) in known.items():
                self.assertIn(f"{kind} {key}: {title}".replace("'", "&#x27;"), page)
                self.assertIn(differs.replace("'", "&#x27;"), page)
                self.assertIn(f"{kind.lower()} {key}: {title}\n{differs}\n", self.said)
        balance = Balance()
        balance.feed(page)
        balance.close()
        self.assertEqual((balance.wrong, balance.open), ([], []))
        self.assertEqual(len(balance.names), len(set(balance.names)))
        self.assertIn("data:image/png;base64,", page)
        self.assertNotIn("<script", page)
        self.assertIsNone(re.search(r'(?:src|href)="(?!data:|#)', page))
        if not charts.missing():
            self.assertEqual(page.count('role="img"'), 1 + 1 + 1 + 3 + 1 + 1 + 1)
        drawn = bool(shutil.which("dot"))
        self.assertEqual(page.count(">drawn<"), 5 if drawn else 0)
        self.assertEqual("the drawing of figure 9: there is no dot" in page, not drawn)

    def figure_values(self, figures, tables):
        self.assertEqual(figures["15"]["points"], POINTS)
        self.assertEqual(list(figures["15"]["drivers"]), ["gpu"])
        hosts = figures["15"]["two_hosts"]["points"]
        self.assertEqual([p["nb_loop"] for p in hosts if p["kernel_s"] == 16e6 / 2.6e9], [120])
        self.assertEqual(figures["15"]["two_hosts_measured"], HOSTS)
        self.assertEqual((figures["2"]["cycles_between"], figures["3"]["cycles_between"]), (3, 6))
        self.assertAlmostEqual(figures["2"]["overlapped"], 0)
        self.assertGreater(figures["3"]["overlapped"], 0.99)
        self.assertEqual([figures["19"][way]["extra"] for way in ("on", "off")], [3, 2])
        self.assertEqual([figures["19"][way]["paper_loop_extra"] for way in ("on", "off")], [3, 1])
        self.assertEqual(figures["10"]["on"]["freed"], 2)
        self.assertEqual(figures["14"]["off"]["memory"]["c0"]["bytes"], 32000000)
        self.assertEqual(figures["24"]["chosen"]["contiguous"]["period_s"], 0.029584)
        self.assertAlmostEqual(figures["24"]["split"]["second_busy"], 0.557, 3)
        self.assertEqual(figures["17"], GRANULOMETRY["curve"])
        self.assertEqual(figures["20"]["best"]["measured"], 27)
        self.assertEqual(tables["1"]["links"][0]["locked"], 1.5)
        self.assertFalse(tables["1"]["forced"])
        step = tables["2"]["sizes"][1]["steps"][5]
        self.assertEqual((step["name"], step["paper_s"], step["device_s"]), ("normalize", 0.011393, 0.002))
        self.assertAlmostEqual(tables["2"]["sizes"][0]["paper_total_s"], 0.022839)
        self.assertEqual(tables["2"]["two_devices"], {key: SALIENCY["two_devices"][key] for key in ("split", "dealt")}
                         | {"timed": {"paper": {"rate": 32.1, "planned": 32.62}}})

    def test_said(self):
        """The paper's value, the predicted and the measured beside each other."""
        self.run_it("--quick", **self.here)
        lines = [re.split(r"  +", line) for line in self.said.splitlines()]
        for line in (["", "the paper", "predicted", "measured"],
                     ["P-I-I-C, one host: most that overlap gives, timed", "–", "2.00", "2.00"],
                     ["P-I-I-C, two hosts: most that overlap gives (fig. 15)", "2.7 (its formula: 2.52)", "4.85",
                      "1.06"],
                     ["library with overlap, × the paper's runtime by hand, least of all points, two hosts",
                      "–", "–", "1.04"],
                     ["period with overlap on two hosts, farthest from max(a n, Tib, Th)", "–", "–", "3.3 %"],
                     ["with overlap", "64", "64", "64", "64", "64", "128", "128"],
                     ["cycles from producer to consumer, with overlap (fig. 3)", "6", "6", "–"],
                     ["memory with overlap, × without (fig. 14)", "2", "2.00", "2.00"],
                     ["granulometry: best N of 40 openings (fig. 20)", "28", "28", "27"],
                     ["saliency on one device, 512x512, frames/s by table 2", "44", "–", "71.43"],
                     ["saliency over two devices, × frames dealt in turn", "–", "–", "1.25"],
                     ["frames dealt in turn", "10", "–", "0.31", "no", "8"],
                     ["split as the paper's, the paper's times", "32.1", "32.62", "–", "–", "–"],
                     ["saliency, split as the paper's, on devices that take its times, frames/s", "33", "32.62",
                      "32.1"],
                     ["with overlap", "4", "7", "3", "1", "3"], ["without", "2", "4", "2", "3", "1"],
                     ["c1/g0", "80", "48", "1.67"],
                     ["host – host/gpu0", "locked", "there", "3", "6", "18", "1.50"]):
            self.assertIn(line, lines)
        self.assertIn("figure 15 on pocl: piic: not here: driver 'pocl' has not 2 devices", self.said)
        for program in ("granulometry", "saliency"):
            self.assertTrue(all("-q" in words for words, _ in self.calls(f"benchmarks/{program}")))
        self.assertTrue(all(words[words.index("-n") + 1] == "1" for words, _ in self.calls("benchmarks/piic")))

    def test_forced(self):
        """Where nothing is copied, transfers are forced, and that is said."""
        self.program("apps/penstock/penstock", [[["machine"], machine_answer(False)]])
        found = self.figures("--only", "table1", **self.here)
        self.assertEqual(found["tables"], {})
        self.assertIn("there is no OpenCL device to measure", found["skipped"][0]["why"])
        self.assertEqual([memory for _, memory in self.calls("apps/penstock/penstock")], [None, "copy"])

    def test_only(self):
        found = self.figures("--only", "piic1,granulometry", **self.here)
        self.assertEqual(list(found["figures"]), ["4", "20", "17"])
        self.assertFalse(os.path.exists(self.file("benchmarks/saliency.calls")))
        found = self.figures("--only", "drivers", "--html", self.file("html"), **self.here)
        self.assertEqual(list(found["figures"]["15"]), ["drivers"])
        self.assertIn("ms a token, gpu driver", self.read("html"))
        found = self.figures("--only", "hosts,piic", **self.here)
        self.assertEqual(set(found["figures"]["15"]), {*PIIC, "two_hosts"})
        found = self.figures("--only", "hosts", "--html", self.file("html"), **self.here)
        self.assertEqual(list(found["figures"]["15"]), ["two_hosts"])
        self.assertIn("two hosts, planned", self.read("html"))
        found = self.figures("--only", "ranks", "--html", self.file("html"), **self.here)
        self.assertEqual(list(found["figures"]["15"]), ["two_hosts_measured"])
        self.assertIn("two hosts, a modelled network", self.read("html"))

    def test_no_ranks(self):
        """Without MPI two hosts are planned only."""
        nowhere = {**{k: v for k, v in os.environ.items() if k != "MPIRUN"}, "PATH": self.file("none")}
        found = self.figures("--only", "hosts,ranks", cwd=os.getcwd(), env=nowhere)
        self.assertEqual(list(found["figures"]["15"]), ["two_hosts"])
        self.assertIn("there is no mpirun", found["skipped"][0]["why"])

    def test_document(self):
        """A section, which the next run replaces, and figure 15 beside it; also later, from the figures."""
        with open(self.file("p.md"), "w", encoding="utf-8") as file:
            file.write("# Measured\n\n<!-- end -->\n\n<!-- benchmarks/table: x -->\n### x\n<!-- end -->\n")
        self.figures("--doc", self.file("p.md"), **self.here)
        once = self.read("p.md")
        self.assertTrue(once.startswith("# Measured\n\n<!-- end -->\n\n<!-- benchmarks/table: x -->\n### x\n"))
        for said in ("### PACCO, ", "| buffers that merging frees (fig. 10) | 2 | 2 | – |", "#### Table 2: ",
                     "#### Figure 15: ", "#### Figure 20: ", "- not here: figure 15 on pocl: "):
            self.assertEqual(once.count(said), 1, said)
        self.assertEqual([line for line in once.splitlines() if len(line) > 120], [])
        drawn = not charts.missing()
        self.assertEqual(os.path.exists(self.file("piic.svg")), drawn)
        if drawn:
            picture = self.read("piic.svg")
            self.assertTrue(picture.startswith("<?xml"))
            self.assertTrue(picture.endswith("</svg>\n"))
            self.assertIn("library, with overlap", picture)
            os.remove(self.file("piic.svg"))
        self.run_it("--from", self.file("json"), "--doc", self.file("p.md"), "--html", self.file("html"))
        self.assertEqual(self.read("p.md"), once)
        self.assertEqual(os.path.exists(self.file("piic.svg")), drawn)
        self.assertIn("Figure 24", self.read("html"))


class Missing(Pacco):
    def test_nothing_built(self):
        found = self.figures("--html", self.file("html"))
        self.assertEqual((found["tables"], found["figures"], found["failures"]), ({}, {}, []))
        skipped = {s["what"]: s["why"] for s in found["skipped"]}
        for what in ("figures 9, 10, 14, 18, 19, 24: plans", "table 1: transfers", "figure 15: P-I-I-C",
                     "figure 15 on pocl", "figures 17, 20: granulometry", "table 2, figures 22, 23: saliency"):
            self.assertIn("is not built", skipped[what])
            self.assertIn(f"skipped: {what}: ", self.said)
        self.assertIn("is not built", self.read("html"))

    def test_no_tools(self):
        """Neither gnuplot nor dot: tables, and the reason why there are no pictures."""
        self.all_programs()
        nowhere = {**os.environ, "PATH": self.file("none")}
        found = self.figures("--html", self.file("html"), cwd=os.getcwd(), env=nowhere)
        self.assertIn(charts.MISSING, self.errors)
        self.assertIn("No charts: ", self.read("html"))
        self.assertEqual([s["why"] for s in found["skipped"] if "drawing" in s["what"]], [plans.NO_DOT] * 5)
        self.assertEqual(found["failures"], [])

    def test_no_json(self):
        """A penstock without jansson."""
        self.program("apps/penstock/penstock", [[[], {"fail": "penstock: --json: this build has no jansson"}]])
        found = self.figures("--only", "plans,table1")
        self.assertEqual([s["why"] for s in found["skipped"]],
                         ["this penstock was built without jansson, so it writes no JSON"] * 2)

    def test_some(self):
        """No picture, no trace, no curve, a driver that is not here."""
        self.program("benchmarks/saliency", [[[], {"json": SALIENCY}]])
        self.program("benchmarks/granulometry", [[["timed"], {"json": {**GRANULOMETRY, "curve": None}}],
                                                 [["pocl"], {"json": GRANULOMETRY}]])
        found = self.figures("--only", "saliency,granulometry")
        self.assertEqual([s["what"] for s in found["skipped"]], ["figure 22", "figure 23"])
        self.program("benchmarks/saliency", [[[], {"json": {"table2": [
            {"size": "9x9", "steps": [{"name": "fft", "cores_s": 1e-3}]}]}}]])
        found = self.figures("--only", "saliency", "--html", self.file("html"))
        self.assertEqual((found["tables"]["2"]["team"], found["tables"]["2"]["two_devices"]), ([], {}))
        self.assertIn("saliency on one device, 9x9, frames/s by table 2", self.said)
        self.program("benchmarks/saliency", [[[], {"json": {}}]])
        found = self.figures("--only", "saliency")
        self.assertEqual([s["what"] for s in found["skipped"]], ["table 2", "figure 22", "figure 23"])
        found = self.figures("--only", "granulometry")
        self.assertEqual(list(found["figures"]), ["20", "17"])
        self.assertEqual(list(found["figures"]["20"]["drivers"]), ["pocl"])
        self.program("benchmarks/granulometry", [[["timed"], {"json": {**GRANULOMETRY, "curve": None}}],
                                                 [["pocl"], {}]])
        found = self.figures("--only", "granulometry")
        self.assertEqual([s["what"] for s in found["skipped"]], ["figure 20 on pocl", "figure 17"])
        self.program("benchmarks/granulometry", [[[], {"said": "granulometry: not here: nothing"}]])
        found = self.figures("--only", "granulometry")
        self.assertEqual(found["skipped"][0]["why"], "granulometry: not here: nothing")

    def test_no_time(self):
        """What --quick has no time for is skipped."""
        loader = importlib.machinery.SourceFileLoader("pacco_script", PACCO)
        script = importlib.util.module_from_spec(importlib.util.spec_from_loader("pacco_script", loader))
        loader.exec_module(script)
        minutes, script.pacco_parts.QUICK_MINUTES = script.pacco_parts.QUICK_MINUTES, 0
        try:
            options = script.parse(["--quick", "--build", self.build])
            result = {"failures": [], "machine": {}}
            with contextlib.redirect_stderr(io.StringIO()):
                script.measure(result, options)
        finally:
            script.pacco_parts.QUICK_MINUTES = minutes
        self.assertEqual({s["why"] for s in result["skipped"]}, {"no time is left of --quick"})
        self.assertEqual(len(result["skipped"]), len(pacco_parts.PARTS))
        self.assertTrue(result["complete"])


class Faults(Pacco):
    def failures(self, part, status=1):
        return self.figures("--only", part, status=status, cwd=os.getcwd())["failures"]

    def test_programs(self):
        """What a program does wrong is said, and others go on."""
        for answer, said in (({"fail": "no such thing"}, "ended with status 3: no such thing"),
                             ({"json": "{"}, "not JSON"), ({"json": "[]"}, "not a JSON object"),
                             ({"json": {"points": []}}, "no points"), ({"json": {}}, "no 'points'"),
                             ({"json": {"points": [{**POINT, "on_s": "x"}]}}, "no number 'on_s'"),
                             ({"json": '{"points": [], "x": NaN}'}, "its figures")):
            with self.subTest(said):
                self.program("benchmarks/piic", [[[], answer]])
                self.program("benchmarks/granulometry", [[[], {"json": GRANULOMETRY}]])
                found = self.figures("--only", "piic,granulometry", "--html", self.file("html"), status=1)
                self.assertEqual(list(found["figures"]), ["20", "17"])
                self.assertIn(said, found["failures"][0])
                self.assertIn(said, self.said)
                self.assertIn("figure 15: P-I-I-C: ", self.read("html"))

    def test_granulometry(self):
        for change in ({"points": []}, {"points": [{"n": 1}]}, {"best": 1}, {"speedup": {}}):
            self.program("benchmarks/granulometry", [[[], {"json": {**GRANULOMETRY, **change}}]])
            self.assertEqual(len(self.failures("granulometry")), 1)

    def test_saliency(self):
        good = {"-F": hexed(PGM), "-T": hexed(BESIDE.encode())}
        for answer in ({"json": {"table2": 1}}, {"json": {"table2": [{}]}}, {"json": {"table2": [{"steps": [1]}]}},
                       {"json": {**SALIENCY, "team": 1}}, {"json": {**SALIENCY, "by_hand": [1]}},
                       {"json": SALIENCY, "files": {**good, "-F": hexed(b"P5 3 2 255 x")}},
                       {"json": SALIENCY, "files": {**good, "-T": hexed(b"[1]")}},
                       {"json": SALIENCY, "files": {**good, "-T": hexed(b"[]")}}):
            self.program("benchmarks/saliency", [[[], answer]])
            self.assertEqual(len(self.failures("saliency")), 1)

    def test_traces(self):
        """Of both runs there must be one."""
        self.program("benchmarks/piic", [[[], {"json": PIIC, "traces": [["", BESIDE]]}]])
        self.assertIn("has not written two traces", self.failures("traces")[0])
        self.program("benchmarks/piic", [[[], {"json": {**PIIC, "plan": {"on": {}}},
                                               "traces": [["", BESIDE], [".2", SERIAL]]}]])
        self.assertIn("no number 'P'", self.failures("traces")[0])

    def test_penstock(self):
        for said in ("", "[]", "{}"):
            self.program("apps/penstock/penstock", [[[], {"said": said}]])
            self.assertEqual(len(self.failures("plans")), 1)
            self.assertEqual(len(self.failures("table1")), 1)


class Usage(Pacco):
    def test_refused(self):
        with open(self.file("broken"), "w", encoding="utf-8") as file:
            file.write("[")
        for options, said in ((["more"], "unrecognized"), (["--qui"], "unrecognized"),
                              (["--only", "x"], "'x' is none of plans, "), (["--only", ""], "'' is none of"),
                              (["--build", self.file("none")], "there is no folder"),
                              (["--json", self.file("none/x")], "cannot write"),
                              (["--html", self.build], "cannot write"), (["--json", "/proc/x.json"], "cannot write"),
                              (["--doc", self.file("broken")], "it has no line"),
                              (["--doc", "/proc/none/x.md"], "cannot write"),
                              (["--from", self.file("none")], "cannot read"),
                              (["--from", self.file("broken")], "not JSON"),
                              (["--from", self.file("broken"), "--quick"], "--from measures nothing")):
            with self.subTest(options):
                self.run_it(*options, status=2)
                self.assertIn("usage:", self.errors)
                self.assertIn(said, self.errors)
        with open(self.file("other"), "w", encoding="utf-8") as file:
            file.write("{}")
        self.run_it("--from", self.file("other"), status=2)
        self.assertIn("not of the format", self.errors)

    def test_help(self):
        self.run_it("--help")
        for option in ("--quick", "--json", "--html", "--doc", "--only", "--from", "--build"):
            self.assertIn(option, self.said)

    def test_unwritable(self):
        """A folder that is gone at the end: said, and the report is printed all the same."""
        os.mkdir(self.file("gone"))
        self.program("benchmarks/piic", [[[], {"json": PIIC, "remove": self.file("gone")}]])
        for option in ("--json", "--html"):
            os.makedirs(self.file("gone"), exist_ok=True)
            self.run_it("--only", "piic", option, self.file("gone/x"), status=1)
            self.assertIn("cannot write", self.errors)
            self.assertIn("figure 15: ", self.said)

    def test_full_disk(self):
        """The old file stays."""
        self.program("benchmarks/piic", [[[], {"json": PIIC}]])
        with open(self.file("json"), "w", encoding="utf-8") as file:
            file.write("old")
        self.run_it("--only", "piic", "--json", self.file("json"), status=1, preexec_fn=lambda: (
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.setrlimit(resource.RLIMIT_FSIZE, (900, 900))))
        self.assertIn("cannot write", self.errors)
        with open(self.file("json"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "old")

    def test_no_reader(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run(self.command("--only", "piic"), stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"cannot print the report", done.stderr)


class Interrupted(Pacco):
    def interrupted(self, number):
        self.program("benchmarks/granulometry", [[[], {"json": GRANULOMETRY}]])
        self.program("benchmarks/saliency", [[[], {"wait": True}]])
        os.mkfifo(self.file("benchmarks/saliency.fifo"))
        with open(self.file("p.md"), "w", encoding="utf-8") as file:
            file.write("<!-- end -->\n")
        command = self.command("--only", "saliency,granulometry", "--json", self.file("json"),
                               "--html", self.file("html"), "--doc", self.file("p.md"))
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              preexec_fn=lambda: signal.signal(number, signal.SIG_DFL)) as driver:
            with open(self.file("benchmarks/saliency.fifo"), encoding="utf-8") as fifo:  # returns when it waits
                pid = int(fifo.read())
            os.kill(driver.pid, number)
            said, errors = driver.communicate()
        self.assertEqual(driver.returncode, 130, errors)
        self.assertRaises(ProcessLookupError, os.kill, pid, 0)
        found = self.read("json")
        self.assertFalse(found["complete"])
        self.assertEqual((list(found["figures"]), found["failures"]), (["20", "17"], []))
        self.assertIn("figure 20: ", said)
        self.assertIn("ended early", self.read("html"))
        self.assertEqual(self.read("p.md"), "<!-- end -->\n")
        self.assertIn("is as it was: not all parts were done", errors)

    def test_interrupted(self):
        self.interrupted(signal.SIGINT)

    def test_terminated(self):
        self.interrupted(signal.SIGTERM)

    def test_hung_up(self):
        self.interrupted(signal.SIGHUP)


class Parts(Pacco):
    def write(self, name, text):
        with open(self.file(name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return self.file(name)

    def test_timeline(self):
        """The middle: five of the fullest queue's spans; what is outside is cut."""
        rows = timeline.rows(self.write("t", BESIDE))
        self.assertEqual([(r["device"], r["name"], r["kind"]) for r in rows],
                         [("pstk:gpu:0", "queue 2", "kernel"), ("pstk:gpu:0", "queue 1", "transfer")])
        shown = [[[round(t * 1e6) for t in span] for span in row["spans"]] for row in rows]
        self.assertEqual(shown, [[[100 * k, 100 * k + 100] for k in range(5)],
                                 [[0, 50], *([100 * k + 50, 100 * k + 150] for k in range(4)), [450, 500]]])
        self.assertAlmostEqual(timeline.overlapped(rows), 1)
        other = [{**rows[0], "device": "another"}, rows[1]]
        self.assertEqual(timeline.overlapped(other), 0)
        self.assertEqual(timeline.overlapped(rows[:1]), 0)
        places = [timeline.place_of({"name": name, "kind": kind}) for name, kind in (
            ("a -> b: to the device", "transfer"), ("b", "kernel"), ("b -> c: from the device", "transfer"))]
        self.assertEqual(places, [0, 1, 2])
        self.assertAlmostEqual(timeline.overlapped(timeline.rows(self.write("t", SERIAL))), 0)

    def test_timeline_files(self):
        for name in ("t.json", "t.json.10", "t.json.2", "t.jsonx", "t.json.x"):
            self.write(name, "")
        self.assertEqual(timeline.files(self.file("t.json")),
                         [self.file(name) for name in ("t.json", "t.json.2", "t.json.10")])

    def test_no_timeline(self):
        for text in ("", "1", "[1]", '{"traceEvents": 1}', "[]", '[{"ph": "X", "cat": "kernel"}]'):
            self.assertRaises(programs.Failure, timeline.rows, self.write("t", text))
        self.assertRaises(programs.Failure, timeline.rows, self.file("none"))

    def test_picture(self):
        made = base64.b64decode(pictures.load(self.write("p", PGM)))
        self.assertEqual(struct.unpack(">II", made[16:24]), (3, 2))
        data = re.search(rb"IDAT(.*)....\0\0\0\0IEND", made, re.DOTALL).group(1)
        self.assertEqual(zlib.decompress(data), b"\0" + PGM[-6:-3] + b"\0" + PGM[-3:])
        self.assertEqual(base64.b64decode(pictures.load(self.write("q", made))), made)
        for wrong in (PGM[:-1], PGM + b"x", b"", b"P5 0 0 255 ", b"P6 1 1 255 xxx"):
            self.assertRaises(programs.Failure, pictures.load, self.write("w", wrong))
        self.assertRaises(programs.Failure, pictures.load, self.file("none"))


class Plans(Pacco):
    """The graphs, by the penstock that was built."""

    def setUp(self):
        super().setUp()
        try:
            plans.plan(BUILD, pacco_parts.graph("piic"))
        except plans.Absent as absent:
            self.skipTest(str(absent))

    def test_vectors(self):
        for name, graph in (("fig5", "fig5"), ("piic", "piic"), ("saliency-cost", "saliency")):
            expected = vector(name)
            for way, found in plans.both(BUILD, pacco_parts.graph(graph)).items():
                for key in ("schedule", "latency", "memory"):
                    self.assertEqual(found[key], expected[way][key], (name, way, key))
                self.assertAlmostEqual(found["period"], expected[way]["period"], 12)
                for ours, theirs in zip(found["buffers"], expected[way]["buffers"], strict=True):
                    for key in ("place", "from", "to", "depth", "bytes", "readers"):
                        self.assertEqual(ours[key], theirs[key], (name, way, theirs))
                same = [[a["group"] == b["group"] for b in plan["buffers"]] for plan in (found, expected[way])
                        for a in plan["buffers"]]
                self.assertEqual(same[:len(same) // 2], same[len(same) // 2:])

    def test_second_device(self):
        """Granulometry's: three cycles with overlap, two in the phases of a run without."""
        session = pacco_parts.Session(BUILD, True, lambda: None)
        pacco_parts.all_plans(session)
        self.assertEqual([session.figures["19"][way]["extra"] for way in ("on", "off")], [3, 2])
        self.assertEqual([session.figures["10"][way]["freed"] for way in ("on", "off")], [2, 2])
        self.assertEqual(session.figures["10"]["on"]["memory"]["c1/g0"], {"bytes": 80000000, "merged_bytes": 48000000})
        self.assertAlmostEqual(session.figures["24"]["chosen"]["contiguous"]["period_s"], 0.029584, 9)

    def test_two_hosts(self):
        """The paper's formula: 2 + 2.6 / 5, where the kernel takes as long as the network."""
        session = pacco_parts.Session(BUILD, True, lambda: None)
        pacco_parts.two_hosts(session)
        points = session.figures["15"]["two_hosts"]["points"]
        best = max(points, key=lambda p: p["model_phases_s"] / p["planned_on_s"])
        self.assertEqual(best["nb_loop"], 120)
        self.assertAlmostEqual(best["model_phases_s"] / best["planned_on_s"], 2.52, 2)
        for point in points:
            self.assertAlmostEqual(point["planned_on_s"] / point["model_on_s"], 1, 3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], testLoader=share.Loader(), verbosity=2)
