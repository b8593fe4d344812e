# SPDX-License-Identifier: MIT
"""benchmarks/run --only video: what it gathers, computes, reports and refuses. Programs are stubs that answer what the
test wants, and expected numbers are computed by hand; nothing is timed."""

import html.parser
import json
import math
import os
import subprocess
import sys
import unittest

import share

BENCHMARKS, SCRATCH = sys.argv[1:3]
os.environ.pop("PYTHONUNBUFFERED", None)
sys.path.insert(0, BENCHMARKS)
from harness import charts, plans, video, video_inputs, video_report, video_runs  # noqa: E402
from harness import video_simulated, video_tables  # noqa: E402

# What a video application says. In the file beside it: "runs": {configuration: [[rate, energy], ..]}, one after the
# other; "chosen": {objective: configuration}; "fail": {configuration: what it says}; "devices"; "why"; "windows".
PROGRAM = """#!%s -SE
import json, os, sys
spec = json.load(open(__file__ + ".json"))
given = sys.argv[1:]
open(__file__ + ".calls", "a").write(json.dumps(given) + "\\n")
def option(name):
    return given[given.index(name) + 1] if name in given else None
if "--devices" in given:
    if "devices" not in spec:
        sys.exit("no OpenCL device")
    print("selector    device  platform  driver  units  memory")
    for selector, units in spec["devices"]:
        print(f"{selector}  A chip  A platform  3.1+x  {units}  100 MiB")
    sys.exit(0)
name = option("--pipeline") or "adaptive"
if name == "adaptive":
    name = spec["chosen"]["paper" if option("--rule") == "paper" else option("--objective")]
elif name == "baseline":
    name = spec["baseline"]
if name.startswith("none:"):
    unit = "pairs" if "tracking" in sys.argv[0] else "frames"
    json.dump(spec.get("stats", {unit + "_per_second": spec["apart"].get(name[5:], 5)}), open(option("--stats"), "w"))
    sys.exit(0)
if name in spec.get("fail", {}):
    sys.exit(spec["fail"][name])
asked = option("--pipeline") or "adaptive"
key = "baseline" if asked == "baseline" else name
counts = json.load(open(__file__ + ".counts")) if os.path.exists(__file__ + ".counts") else {}
counts[key] = counts.get(key, -1) + (asked != "adaptive")
json.dump(counts, open(__file__ + ".counts", "w"))
runs = spec["runs"].get(key, [[100, 1]])
rate, energy = runs[max(0, counts[key]) %% len(runs)]
if option("--save-measurements"):
    json.dump({"s": 3}, open(option("--save-measurements"), "w"))
json.dump(spec["stats"] if "stats" in spec else {"pipelines": [{
    "configuration": name, "why": spec.get("why", "fixed"), "measured": {"mean_rate": rate, "mean_energy": energy},
    "predicted": {"rate": spec["predicted"], "energy": 1}, "trainings": [{"items": 20, "seconds": 1.5, "dt": 0.5}],
    "windows": {"count": spec.get("windows", 3), "starved": 0, "blocked": 0},
    "meter": {"name": "sim", "joules": ["simulated"]}}]}, open(option("--stats"), "w"))
""" % sys.executable

# What `penstock map` says: all configurations of a file, by counting them another way than the mapper, with the rates
# of the file beside it. Of measurements that a program above has saved: those that are there.
PENSTOCK = """#!%s -SE
import itertools, json, sys
spec = json.load(open(__file__ + ".json"))
given = sys.argv[1:]
model = json.load(open(given[given.index("--model") + 1]))
rule = given[given.index("--rule") + 1]
def all_of(m):
    for bits in itertools.product("01", repeat=m["s"]):
        mask = "".join(bits)
        if any(a > b for a, b in zip(mask, m.get("device_ok", "1" * m["s"]))):
            continue
        kind = "CPU" if "1" not in mask else "CP" if "0" in mask else "DP"
        yield from (f"{kind}-CG:{mask}:{n}" for n in range(1, m["nC"] + 2))
        if m.get("medium_grain", True):
            yield f"{kind}-MG:{mask}:{m['nC'] + 1}"
names = list(all_of(model)) if "nC" in model else list(spec["names"])
rates = spec.get(rule, {})
print(json.dumps({"rule": rule, "configurations": [
    {"configuration": n, "rate": rates.get(n, 50), "energy": 1} for n in names], "best": {"configuration": names[0]}}))
""" % sys.executable

DEVICE = [["pocl:cpu:0", 2]]
CPU1, CPU2, MG, DEVICE1, COUPLED, PAPER = ("CPU-CG:000:1", "CPU-CG:000:2", "CPU-MG:000:2", "DP-CG:111:1",
                                           "CP-CG:100:2", "CP-MG:110:2")
NAMES = [CPU1, CPU2, MG, DEVICE1, COUPLED, PAPER]
# in three rounds; the first of a row of one thread is the probe
RUNS = {CPU1: [[22, 0.5], [20, 0.5], [22, 0.5], [21, 0.5]], CPU2: [[30, 0.6], [33, 0.6], [30, 0.6]],
        MG: [[35, 0.5], [40, 0.4], [36, 0.4]], DEVICE1: [[10, 1], [12, 1], [11, 1]],
        COUPLED: [[60, 0.4], [50, 0.5], [66, 0.4]], PAPER: [[54, 0.27], [50, 0.25], [60, 0.30]],
        "baseline": [[40, 0.4], [50, 0.4], [44, 0.4]]}
VIVID = {"devices": DEVICE, "runs": RUNS, "baseline": "CP-MG:100:2", "predicted": 66, "why": "tried",
         "chosen": {"throughput": COUPLED, "ratio": PAPER, "paper": PAPER}, "apart": {"100": 48, "110": 40}}
CATALOGUE = [{"program": f"apps/{name}/{name}", "arguments": [], "part": "video"}
             for name in ("vivid", "srad", "tracking", "scene_recognition")]


class Page(html.parser.HTMLParser):
    """Headings, and cells of tables."""

    def __init__(self, text):
        super().__init__()
        self.inside, self.headings, self.cells = None, [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.inside = tag

    def handle_data(self, data):
        if self.inside in ("h2", "h3"):
            self.headings.append(data)
        if self.inside in ("td", "span"):
            self.cells.append(data)

    def handle_endtag(self, tag):
        self.inside = None


class Bench(unittest.TestCase):
    result = said = errors = build = None

    def setUp(self):
        self.build = os.path.join(SCRATCH, self.id().rsplit(".", maxsplit=1)[-1])
        self.program("penstock", PENSTOCK, {"names": NAMES, "capacity": {COUPLED: 63, CPU1: 22},
                                            "paper": {COUPLED: 120}})

    def path(self, name):
        return os.path.join(self.build, "apps", name, name)

    def program(self, name, text, spec):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name) + ".json", "w", encoding="utf-8") as file:
            json.dump(spec, file)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path(name), 0o755)

    def calls(self, name):
        with open(self.path(name) + ".calls", encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def run_it(self, *options, status=0):
        catalogue, aims = os.path.join(self.build, "catalogue"), os.path.join(self.build, "aims")
        for path, value in ((catalogue, CATALOGUE), (aims, [])):
            with open(path, "w", encoding="utf-8") as file:
                json.dump(value, file)
        names = {key: os.path.join(self.build, key) for key in ("json", "html")}
        done = subprocess.run([sys.executable, os.path.join(BENCHMARKS, "run"), "--build", self.build, "--programs",
                               catalogue, "--aims", aims, "--quick", "--json", names["json"], "--html", names["html"],
                               *options], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        self.said, self.errors = done.stdout, done.stderr
        if os.path.exists(names["json"]):
            with open(names["json"], encoding="utf-8") as file:
                self.result = json.load(file)
        return self.result

    def page(self):
        with open(os.path.join(self.build, "html"), encoding="utf-8") as file:
            return Page(file.read())


class Whole(Bench):
    def test_an_application(self):
        """A space of six configurations has rounds alone. Ratios are of one round, all else medians."""
        self.program("vivid", PROGRAM, VIVID)
        result = self.run_it("--only", "video: ViVid LD: beside")
        self.assertTrue(result["complete"])
        self.assertEqual(result["failures"], [])
        record, = result["video"]["applications"]
        self.assertEqual((record["key"], record["size"], record["cores"], record["device"]),
                         ("vivid-ld", "600x416", 1, "pocl:cpu:0/1of2"))
        self.assertEqual(list(record["passes"]), NAMES)
        self.assertEqual([run["rate"] for run in record["passes"][COUPLED]], [60, 50, 66])
        rate, ratio = video_tables.table5(record)
        self.assertEqual((rate["CPU MG"], rate["CPU CG"], rate["CPU CG n"], rate["device"]), (36, 30, 2, 11))
        self.assertEqual((rate["baseline"], rate["best"], rate["configuration"]), (44, 60, COUPLED))
        self.assertAlmostEqual(rate["improvement"], 0.5)  # 60/40, 50/50, 66/44
        self.assertEqual(record["by_hand"], "100")
        found = video_tables.regret(record, "rate")
        self.assertAlmostEqual(found["by_hand"], 60 / 48)
        self.assertIsNone(video_tables.regret(record, "ratio")["by_hand"])  # whole runs have no joules
        self.assertEqual((ratio["baseline"], ratio["configuration"]), (110, PAPER))
        self.assertAlmostEqual(ratio["best"], 200)  # 54/0.27, 50/0.25, 60/0.30
        self.assertAlmostEqual(ratio["improvement"], 200 / 110 - 1)  # 2, 1.6, 200/110
        self.assertAlmostEqual(video_tables.energy_improvement(record), 0.4 / 0.27 - 1)
        row = next(line for line in self.said.splitlines() if "items/s " in line and "beside" in line)
        self.assertRegex(row, r"items/s +36 +30 \(2\) +11 +44 +60 +\+50\.0 % +CP-CG:100:2$")
        self.assertIn("Table V: What is lost by the choice, against the best of all configurations\n", self.said)
        self.assertNotIn("beside pocl:cpu:0/1of2: all configurations\n", self.said)  # these are long
        self.assertIn("Joules here are the meter's 'sim' (simulated)", " ".join(self.said.split()))
        self.assertEqual(result["video"]["space"]["vivid-ld"],
                         {"CPU-CG": 5, "CPU-MG": 1, "CP-CG": 30, "CP-MG": 6, "DP-CG": 5, "DP-MG": 1})
        page = self.page()
        headings = [section["heading"] for section in result["video"]["report"]]
        for heading in video_report.HEADINGS:
            self.assertIn(heading, page.headings)
            self.assertIn(heading, headings)
        table = result["video"]["report"][headings.index("Table V")]["tables"][0]
        self.assertEqual((table["caption"], len(table["head"])), ("Measured", len(table["rows"][0])))
        self.assertEqual(table["rows"][0][-2:], ["+50.0 %", COUPLED])
        figure = result["video"]["report"][headings.index("Figure 4")]
        self.assertEqual(figure["charts"][0], "ViVid LD, 600x416, nC = 1 beside pocl:cpu:0/1of2: items/s")
        self.assertEqual(len(figure["tables"][0]["rows"]), len(NAMES))
        self.assertIn("+50.0 %", page.cells)
        self.assertIn("chosen (items/s), best (items/s)", page.cells)

    def test_how_it_is_called(self):
        """As a user calls it: whole frames, the meter and the place; each round begins with another configuration."""
        self.program("vivid", PROGRAM, VIVID)
        self.run_it("--only", "ViVid LD: beside", "--meter", "sim:x")
        calls = self.calls("vivid")[1:]
        for call in calls:
            at = dict(zip(call[::2], call[1::2]))
            self.assertEqual((at["--size"], call[call.index("--cores") + 1], at["--device"], at["--meter"]),
                             ("600x416", "1", "pocl:cpu:0/1of2", "sim:x"))
            if "none" in at.get("--pipeline", ""):  # a team of all cores
                self.assertEqual(at["--cores"], str(len(os.sched_getaffinity(0))))
        asked = [dict(zip(call[::2], call[1::2])).get("--pipeline", "adaptive") for call in calls]
        self.assertEqual(asked[:4], [CPU1, "adaptive", "adaptive", "adaptive"])
        masks = [f"none:{bits:03b}" for bits in range(8)]  # each once, then the best one in turn with others
        self.assertEqual(asked[4:12], masks)
        self.assertEqual(asked[12:20], [*NAMES, "baseline", "none:100"])
        self.assertEqual(asked[20:28], [*NAMES[1:], "baseline", "none:100", CPU1])
        self.assertEqual([" ".join(call).partition("--objective ")[2].split(" --save")[0] for call in calls[1:4]],
                         ["throughput --max-overhead 0", "ratio --max-overhead 0",
                          "throughput --max-overhead 0 --rule paper --candidates 1"])

    def test_a_large_space(self):
        """All configurations once, then the best of them and what is compared with in turn."""
        names = [*NAMES, *(f"CP-CG:{mask}:{n}" for mask in ("010", "001", "011") for n in (1, 2))]
        self.program("penstock", PENSTOCK, {"names": names})
        self.program("vivid", PROGRAM, VIVID)
        record, = self.run_it("--only", "ViVid LD: beside")["video"]["applications"]
        self.assertEqual([len(runs) for runs in record["passes"].values()], [1] * 12)
        few = {name for one in record["rounds"] for name in one}
        # two of those without runs of their own, 100 items/s, are the fastest; by rate / energy PAPER and COUPLED are
        self.assertEqual(few, {"CP-CG:010:1", "CP-CG:010:2", COUPLED, PAPER, CPU2, MG, DEVICE1, "baseline", "by hand"})

    def test_no_device(self):
        self.program("vivid", PROGRAM, {**VIVID, "devices": []})
        result = self.run_it("--only", "ViVid LD")
        self.assertEqual([r["device"] for r in result["video"]["applications"]], [None])
        self.assertIn("absent: video: all beside a device: there is no OpenCL device with two parts", self.said)
        self.assertIn("install pocl-opencl-icd", self.said)

    def test_the_slow_one_is_last(self):
        """.. of the runs, not of the report: --quick may have no time for it."""
        self.program("vivid", PROGRAM, VIVID)
        self.program("tracking", PROGRAM, VIVID)
        self.run_it("--only", "video: (vivid hd|tracking): beside")
        self.assertEqual([r["key"] for r in self.result["video"]["applications"]], ["vivid-hd", "tracking"])
        self.assertLess(self.errors.index("Tracking, nC"), self.errors.index("ViVid HD, nC"))

    def test_a_device_that_is_given(self):
        """A GPU has all cores beside it, a part of the cores one."""
        self.program("vivid", PROGRAM, VIVID)
        self.run_it("--only", "ViVid LD: beside", "--device", "cuda:gpu:0")
        record, = self.result["video"]["applications"]
        self.assertEqual((record["device"], record["cores"]), ("cuda:gpu:0", len(os.sched_getaffinity(0))))
        self.assertNotIn("on a GPU", self.said)
        self.run_it("--only", "ViVid LD: beside", "--device", "gpu")  # any one
        self.assertNotIn("on a GPU", self.said)

    def test_no_device_is_given(self):
        for device in ("cores", ""):
            self.run_it("--only", "ViVid LD", "--device", device, status=2)
            self.assertIn(f"argument --device: '{device}' is no device: without --device half of PoCL's stands beside "
                          "the cores, and --only 'cores alone' leaves out all devices", " ".join(self.errors.split()))

    def test_no_meter(self):
        """Rates are measured all the same, and no goal needs joules."""
        self.program("vivid", PROGRAM, {**VIVID, "runs": {name: [[rate, None] for rate, _ in runs]
                                                          for name, runs in RUNS.items()}})
        record, = self.run_it("--only", "ViVid LD: beside", "--meter", "none")["video"]["applications"]
        self.assertEqual(list(record["chosen"]), ["rate"])
        self.assertFalse(any("ratio" in call for call in self.calls("vivid")))
        self.assertEqual([row["metric"] for row in video_tables.table5(record)], ["rate"])

    def test_missing_program(self):
        self.program("vivid", PROGRAM, VIVID)
        self.run_it("--only", "video: (srad|vivid ld): beside")
        self.assertIn("absent: SRAD, nC = 1 beside pocl:cpu:0/1of2: apps/srad is not built: make builds it", self.said)
        self.assertEqual(len(self.result["video"]["applications"]), 1)
        os.remove(self.path("penstock"))
        self.run_it("--only", "ViVid LD: beside")
        self.assertIn("apps/penstock/penstock is not built", self.said)

    def test_failed_run(self):
        """The configuration is named, other applications go on, and the status says it."""
        self.program("vivid", PROGRAM, {**VIVID, "fail": {MG: "the device has burnt"}})
        self.program("tracking", PROGRAM, VIVID)
        self.run_it("--only", "video: (vivid ld|tracking): beside", status=1)
        what = "ended with status 1: the device has burnt"
        self.assertIn(f"failed: video (ViVid LD, nC = 1 beside pocl:cpu:0/1of2): ViVid LD, nC = 1 beside "
                      f"pocl:cpu:0/1of2: --pipeline {MG}: {what}", self.said)
        self.assertEqual([r["key"] for r in self.result["video"]["applications"]], ["tracking"])

    def test_wrong_figures(self):
        for stats, why in (({}, "no pipeline among its figures"), ([], "not a JSON object"),
                           ({"pipelines": [{}]}, "no configuration"),
                           ({"pipelines": [{"configuration": CPU1, "measured": {"mean_rate": None}}]},
                            "it ended before its second window")):
            self.program("vivid", PROGRAM, {**VIVID, "stats": stats})
            self.run_it("--only", "ViVid LD: beside", status=1)
            self.assertIn(why, self.said)

    def test_it_never_stops_training(self):
        self.program("vivid", PROGRAM, {**VIVID, "why": "training"})
        self.run_it("--only", "ViVid LD: beside", status=1)
        self.assertRegex(self.said, r"--objective throughput.*: it still trains after \d+ items")

    def test_list(self):
        self.program("vivid", PROGRAM, VIVID)
        self.run_it("--only", "video: vivid", "--list")
        self.assertEqual([line.split("library")[1].rsplit(" ", 1)[0].strip() for line in self.said.splitlines()
                          if "library" in line], ["video: ViVid LD: beside a device", "video: ViVid LD: cores alone",
                          "video: ViVid HD: beside a device"])  # --quick leaves the fourth out
        self.run_it("--only", "nothing like it", status=2)
        self.assertIn("no variant has 'nothing like it' in its name", self.errors)

    def test_wrong_usage(self):
        for text in ("0", "1/0", "x", "1,,2", "2000", "nan"):
            self.run_it("--only", "video", "--device-factor", text, status=2)
            self.assertIn("is no number from 0.001 to 1000, such as 2 or 1/8", self.errors)


def run_of(rate, energy=None):
    return {"rate": rate, "energy": energy, "waited": False}


class Tables(unittest.TestCase):
    """Of a record that is made by hand."""

    def record(self, rounds, **more):
        return {"key": "srad", "title": "SRAD", "place": "here", "device": "d", "cores": 1, "chosen": {}, "passes": {},
                "predicted": {}, "rounds": rounds, **more}

    def test_regret(self):
        rounds = [{COUPLED: run_of(90), PAPER: run_of(100)}, {COUPLED: run_of(99), PAPER: run_of(110)},
                  {COUPLED: run_of(120), PAPER: run_of(100)}]
        record = self.record(rounds, chosen={"rate": {"configuration": COUPLED}}, paper={"configuration": PAPER})
        found = video_tables.regret(record, "rate")
        self.assertEqual((found["best"], found["value"], found["chosen"]), (PAPER, 100, COUPLED))
        self.assertAlmostEqual(found["of_best"], 0.9)  # 0.9, 0.9, 1.2
        self.assertAlmostEqual(found["paper_of_best"], 1)
        self.assertIsNone(video_tables.regret(record, "ratio"))  # nothing was chosen by it

    def test_lesson(self):
        def one(coarse, medium, best):
            return self.record([{CPU1: run_of(coarse), MG: run_of(medium), best: run_of(100)}])
        self.assertEqual(video_tables.lesson(one(2, 3, PAPER), "rate"), {"said": "MG", "best": PAPER, "holds": True})
        self.assertFalse(video_tables.lesson(one(2, 3, COUPLED), "rate")["holds"])
        self.assertTrue(video_tables.lesson(one(3, 2, COUPLED), "rate")["holds"])
        self.assertIsNone(video_tables.lesson(one(2, 3, CPU2), "rate"))  # no device takes part
        caption, rows = video_report.lessons([one(2, 3, PAPER), one(2, 3, COUPLED)])
        self.assertIn("Here in 1 of 2 cases", caption)
        self.assertEqual([row[-1] for row in rows], ["yes", "no"])

    def test_change_of_size(self):
        """A switch from 40 to 50 items/s pays a training of 0.5 s after 0.5 / (1 - 40/50) s."""
        rounds = {"vivid-ld": {COUPLED: run_of(100), MG: run_of(60)}, "vivid-hd": {COUPLED: run_of(40), MG: run_of(50)}}
        records = [{**self.record([one]), "key": key, "passes": {name: [run] for name, run in one.items()},
                    "chosen": {"rate": {"training": {"items": 300, "seconds": 7, "dt": 0.5}}}}
                   for key, one in rounds.items()]
        found = video_tables.change(records, "rate", "vivid-ld", "vivid-hd")
        self.assertEqual((found["former"], found["latter"]), (COUPLED, MG))
        self.assertAlmostEqual(found["gain"], 0.25)
        self.assertAlmostEqual(found["pays"], 2.5)
        back = video_tables.change(records, "rate", "vivid-hd", "vivid-ld")
        self.assertAlmostEqual(back["gain"], 100 / 60 - 1)
        self.assertIsNone(video_tables.change(records[:1], "rate", "vivid-ld", "vivid-hd"))
        _, tables, _ = video_report.changes({"applications": records})
        self.assertEqual(tables[0][2][0],
                         ["LD to HD, here", "items/s", COUPLED, MG, "+25.0 %", "300", "7", "0.5", "2.5"])

    def test_change_of_size_by_joules(self):
        """From 4 to 3 J an item: a third more items of a joule, which pays after 0.5 / (1 - 3/4) s."""
        joules = {"vivid-ld": {COUPLED: run_of(9, 1), MG: run_of(9, 2)}, "vivid-hd": {COUPLED: run_of(9, 4),
                                                                                    MG: run_of(9, 3)}}
        records = [{**self.record([one]), "key": key, "passes": {name: [run] for name, run in one.items()},
                    "chosen": {"rate": {"training": {"dt": 0.5}}}} for key, one in joules.items()]
        found = video_tables.change(records, "energy", "vivid-ld", "vivid-hd")
        self.assertEqual((found["former"], found["latter"]), (COUPLED, MG))
        self.assertAlmostEqual(found["gain"], 1 / 3)
        self.assertAlmostEqual(found["pays"], 2)
        _, tables, _ = video_report.changes({"applications": records})
        self.assertEqual([row[1] for row in tables[0][2]], ["items/s", "J/item", "items/s/J"] * 2)

    def test_accuracy(self):
        passes = {CPU1: [run_of(10), run_of(20), run_of(30)], COUPLED: [run_of(50)], "CP-CG:010:1": [run_of(40)],
                  PAPER: [run_of(100, 2)]}
        said = {CPU1: {"rate": 22}, COUPLED: {"rate": 60}, "CP-CG:010:1": {"rate": 28},
                PAPER: {"rate": 90, "energy": 3}}
        record = self.record([], passes=passes, predicted={"paper": said})
        found = video_tables.accuracy([record], "paper", "rate")
        self.assertEqual(list(found), ["CPU-CG", "CP-CG", "CP-MG"])
        self.assertAlmostEqual(found["CPU-CG"]["mean"], 0.1)
        self.assertEqual(found["CP-CG"]["n"], 2)
        self.assertAlmostEqual(found["CP-CG"]["mean"], 0.25)  # +0.2, -0.3
        self.assertAlmostEqual(found["CP-CG"]["most"], -0.3)
        self.assertAlmostEqual(video_tables.accuracy([record], "paper", "energy")["CP-MG"]["most"], 0.5)
        self.assertEqual(video_tables.accuracy([record], "bounded", "rate"), {})

    def test_aims(self):
        def one(chosen, baseline, best, said):
            return self.record([{COUPLED: run_of(chosen, 1), PAPER: run_of(best, 1), "baseline": run_of(baseline, 1),
                                 "by hand": run_of(100)}],
                               chosen={"rate": {"configuration": COUPLED, "predicted": {"rate": said}},
                                       "ratio": {"configuration": COUPLED}})
        met = video_tables.aims([one(98, 90, 100, 100), one(100, 90, 90, 105)])
        self.assertEqual([line[3] for line in met], [True] * 5)
        self.assertEqual([line[2] for line in met], ["2.0 %, 1.0 %", "1.089", "1.089", "0.980", "5.0 %"])
        # medians of 12 and 20, but faster in two of three rounds: nothing is lost, and no loss of others made up for
        lucky = {**one(1, 1, 1, 1), "rounds": [{COUPLED: run_of(a), PAPER: run_of(b)}
                                               for a, b in ((12, 10), (30, 20), (5, 100))]}
        self.assertEqual(video_tables.aims([lucky, one(90, 90, 100, 100)])[0][2], "10.0 %, 5.0 %")
        missed = video_tables.aims([one(88, 90, 100, 100)])
        self.assertEqual([line[3] for line in missed], [False] * 5)
        self.assertEqual([line[3] for line in video_tables.aims([])], [None] * 5)

    def test_figure(self):
        """Of coupled masks the one with the highest rate / energy."""
        passes = {CPU1: [run_of(10, 1)], CPU2: [run_of(20, 1)], COUPLED: [run_of(50, 1)],
                  "CP-CG:010:1": [run_of(40, 0.1)], "CP-CG:010:2": [run_of(41, 0.2)], MG: [run_of(30, 1)]}
        predicted = {"capacity": {name: {"rate": 2 * runs[0]["rate"], "energy": 1} for name, runs in passes.items()},
                     "paper": {"CP-CG:010:1": {"rate": 99, "energy": 1}}}
        shown = video_tables.figure(self.record([], passes=passes, predicted=predicted), "rate")
        self.assertEqual(shown["marks"], {"CPU-CG, measured": [(1, 10), (2, 20)],
                                          "CP-CG 010, measured": [(1, 40), (2, 41)]})
        self.assertEqual(shown["lines"], {"CPU-CG, predicted": [(1, 20), (2, 40)],
                                          "CP-CG 010, capacity": [(1, 80), (2, 82)], "CP-CG 010, paper": [(1, 99)]})
        self.assertEqual(shown["bars"], [{"name": "CPU-MG", "measured": 30, "predicted": 60}])
        height, script = charts.configurations(shown, "items/s")
        self.assertEqual(height, charts.HEIGHT)
        self.assertIn("set xtics (\"1\" 1, \"2\" 2, \"CPU-MG\" 4)", script)

    def test_figure_of_rules(self):
        """Rules that say the same of all cores have one line, others one each."""
        passes = {name: [run_of(10)] for name in (CPU1, DEVICE1)}
        predicted = {rule: {CPU1: {"rate": 12}, DEVICE1: {"rate": device}}
                     for rule, device in (("capacity", 8), ("bounded", 9), ("paper", 9))}
        shown = video_tables.figure(self.record([], passes=passes, predicted=predicted), "rate")
        self.assertEqual(shown["lines"], {"CPU-CG, predicted": [(1, 12)], "DP-CG, capacity": [(1, 8)],
                                          "DP-CG, bounded": [(1, 9)], "DP-CG, paper": [(1, 9)]})

    def test_joules(self):
        """What they are is said wherever there are some: marks of J/item need not be measured."""
        record = self.record([], figure=6, size="1x1", passes={CPU1: [run_of(1, 1)]})
        found = {"applications": [record], "meter": {"name": "sim:x", "joules": ["simulated"]}, "space": {}}
        for heading, note, _, _ in video_report.entries(found):
            if heading[:6] in ("Table ", "Figure", "Accura") or heading == "Section V-B, measured":
                self.assertIn("Joules here are the meter's 'sim:x' (simulated)", note, heading)
        self.assertIn("the meter's 'none' (not told)", video_report.figure_of(6, {**found, "meter": None})[0])

    def test_figures_of_two_places(self):
        """ViVid at the first place is figure 4, at the second one figure 5."""
        records = [self.record([], figure=4, size="1x1", place=place, passes={CPU1: [run_of(1)]}) for place in "ab"]
        for number, place in ((4, "a"), (5, "b")):
            _, tables, _ = video_report.figure_of(number, {"applications": records})
            self.assertEqual([table[0] for table in tables], [f"SRAD, 1x1, {place}: all configurations"])

    def test_most_frequent(self):
        choices = [{"configuration": name, "n": n} for n, name in enumerate((CPU1, MG, MG))]
        self.assertEqual(video.most_frequent(choices)["n"], 1)

    def test_without_energy(self):
        """A meter that tells none: there are rates, and no other row."""
        record = self.record([{COUPLED: run_of(3), "baseline": run_of(2)}],
                             chosen={"rate": {"configuration": COUPLED}, "ratio": {"configuration": COUPLED}})
        self.assertEqual([row["metric"] for row in video_tables.table5(record)], ["rate"])
        self.assertEqual(video_tables.improvements([record])["ratio"], [])


class Time(Bench):
    def test_quick_ends(self):
        """What has not begun in time is left out, and said."""
        self.program("vivid", PROGRAM, VIVID)
        result = {"absent": [], "failures": []}
        session = video.Session(result, self.build, True, lambda text: None, lambda: None)
        session.began -= video.QUICK_SECONDS
        session.run(video.Plan(CATALOGUE, "ViVid LD: beside", True), None, video.METER, [1.0])
        self.assertEqual(result["video"]["applications"], [])
        self.assertIn({"what": "ViVid LD, nC = 1 beside pocl:cpu:0/1of2", "why": "no time is left of --quick"},
                      result["absent"])
        whole = video.Session(result, self.build, False, None, None)
        whole.in_time(video_inputs.ALL[1])  # always
        self.assertIsNone(whole.seconds_left())

    def test_quick_in_all(self):
        """The slow one begins early or not; what is simulated gets what is left, and no more than it needs."""
        session = video.Session({"absent": [], "failures": []}, self.build, True, None, None)
        slow, other = (next(a for a in video_inputs.ALL if a.key == key) for key in (video.SLOW, "srad"))
        session.in_time(slow)
        self.assertAlmostEqual(session.seconds_left(), video_simulated.QUICK_SECONDS)
        session.began -= video.QUICK_SLOW_SECONDS
        session.in_time(other)
        with self.assertRaises(plans.Absent):
            session.in_time(slow)
        session.began -= 11 * 60
        with self.assertRaises(plans.Absent):
            session.in_time(other)
        self.assertAlmostEqual(session.seconds_left(), video.QUICK_ALL_SECONDS - video.QUICK_SLOW_SECONDS - 11 * 60, 0)


class Inputs(unittest.TestCase):
    def test_stream(self):
        """Frames are one picture, moved by what is said: tracked pixels are there to be found."""
        path = os.path.join(SCRATCH, "stream.gray")
        width, height = 40, 30
        video_inputs.make_stream(path, (width, height))
        with open(path, "rb") as file:
            data = file.read()
        self.assertEqual(len(data), video_inputs.FRAMES * width * height)
        frames = [data[i * width * height:(i + 1) * width * height] for i in range(video_inputs.FRAMES)]
        for y in range(height - 1):
            for x in range(width - 2):
                self.assertEqual(frames[1][y * width + x], frames[0][(y + 1) * width + x + 2])
        self.assertEqual(frames[1], frames[3])
        self.assertGreater(len(set(frames[0])), 15)

    def test_floats(self):
        path = os.path.join(SCRATCH, "floats")
        video_inputs.make_floats(path, 100, -1)
        self.assertEqual(os.path.getsize(path), 400)

    def test_places(self):
        """Half of a CPU, a GPU beside all cores, the cores alone."""
        found = [("pocl:cpu:0", 2), ("cuda:gpu:0", 132)]
        self.assertEqual([(p.cores, p.device) for p in video_runs.places(found, 16, "m")],
                         [(1, "pocl:cpu:0/1of2"), (16, "cuda:gpu:0"), (16, None)])
        self.assertEqual([p.device for p in video_runs.places([("pocl:cpu:0", 1)], 1, "m")], [None])
        for given, cores in (("gpu", 16), ("cuda", 16), ("cuda:gpu:0/1of2", 16), ("cpu", 1), ("cpu/1of2", 1),
                             ("pocl/2of2", 1), ("pocl:cpu:0", 1), ("other", 16)):
            place = video_runs.places(found, 16, "m", given)[0]
            self.assertEqual((place.device, place.cores, place.gpu), (given, cores, cores == 16 and given != "other"))

    def test_others(self):
        share = video_runs.Others().share()
        self.assertTrue(share is None or 0 <= share <= 1 and math.isfinite(share))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], testLoader=share.Loader())
