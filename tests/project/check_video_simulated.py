# SPDX-License-Identifier: MIT
"""The simulated part of benchmarks/run --only video: which stages it simulates, what it asks benchmarks/mapping for,
what it computes, reports and refuses. The program is a stub, and expected numbers are computed by hand. Nothing is
timed."""

import json
import os
import sys
import unittest

import share

BENCHMARKS, SCRATCH = sys.argv[1:3]
sys.path.insert(0, BENCHMARKS)
from harness import charts, plans, programs, video_inputs, video_simulated, video_simulated_report  # noqa: E402
from harness import video_report, video_tables  # noqa: E402

# It keeps what it is given, and answers with the file beside it: {"choose": {key: {..}}, "adapt": {..}}; or fails.
MAPPING = """#!%s -SE
import json, sys
given = sys.argv[1:]
def option(name):
    return given[given.index(name) + 1] if name in given else None
spec = json.load(open(__file__ + ".json"))
stages = json.load(open(option("--adapt") or option("--stages")))
open(__file__ + ".calls", "a").write(json.dumps([given, stages]) + "\\n")
if "fail" in spec:
    print("something else\\nmapping: " + spec["fail"], file=sys.stderr)
    sys.exit(1)
answer = spec["adapt"] if "--adapt" in given else {"pipelines": [spec["choose"][stages[0]["name"]]]}
open(option("--json"), "w").write(spec.get("text") or json.dumps(answer))
""" % sys.executable

CPU1, CPU4, MG, DEVICE, COUPLED, BOTH = ("CPU-CG:000:1", "CPU-CG:000:4", "CPU-MG:000:5", "DP-CG:111:1", "CP-CG:100:5",
                                         "DP-MG:111:5")
RATES = {CPU1: 50, CPU4: 200, MG: 160, DEVICE: 100, COUPLED: 240, BOTH: None}
ENERGIES = {CPU1: 0.4, CPU4: 0.2, MG: 0.2, DEVICE: 0.1, COUPLED: 0.16, BOTH: None}


def choice(name, rate, energy, predicted, of_best):
    return {"chosen": name, "rate": rate, "energy": energy, "predicted": predicted, "predicted_energy": 0.2,
            "of_best": of_best, "of_best_simulated": 1, "training": 2, "dt": 0.5}


def answer(**more):
    """Of benchmarks/mapping --choose."""
    return {"name": "x", "measured": RATES, "energies": ENERGIES, "best": COUPLED,
            "rules": {rule: {"rates": {**RATES, COUPLED: 240 * off, BOTH: 300}, "energies": {**ENERGIES, BOTH: 0.1}}
                      for rule, off in (("capacity", 1.1), ("bounded", 0.8), ("paper", 1.5))},
            "choosers": {"capacity": choice(COUPLED, 236, 0.16, 260, 0.98), "paper": choice(CPU4, 200, 0.2, 300, 0.8),
                         "baseline": {**choice("CP-MG:100:5", 200, 0.25, None, 0.85), "predicted_energy": None}},
            **more}


def scene():
    """Neither a baseline nor medium grain."""
    rates, energies = {"CPU-CG:00:1": 50, "CP-CG:10:5": 220}, {"CPU-CG:00:1": 0.4, "CP-CG:10:5": 0.2}
    return answer(measured=rates, energies=energies, best="CP-CG:10:5", choosers={
        "capacity": choice("CP-CG:10:5", 220, 0.2, 220, 1.0), "paper": choice("CPU-CG:00:1", 50, 0.4, 50, 0.25),
        "baseline": None}, rules={rule: {"rates": rates, "energies": energies}
                                  for rule in ("capacity", "bounded", "paper")})


ADAPT = {"dts": 20, "of_once": 0.95, "pipelines": [
    {"name": "vivid-ld", "best": COUPLED, "own": {"rate": 600, "energy": 0.05}, "other": {"rate": 480, "energy": 0.06},
     "break_even": 2.0, "of_fixed": 0.99},
    {"name": "vivid-hd", "best": MG, "own": {"rate": 100, "energy": 0.4}, "other": {"rate": 100, "energy": None},
     "break_even": None, "of_fixed": 1.03}], "phases": [
         {"name": key, "seconds": 4, "items": 2000, "energy": energy, "training": 1, "dt": 0.2, "trainings": trainings,
          "at_end": COUPLED} for key, energy, trainings in (("vivid-ld", 0.05, 0), ("vivid-hd", None, 1),
                                                            ("vivid-ld", 0.05, 1))]}


def model(stages, cores=1, **more):
    return {"s": stages, "nC": cores, "T_CG1": [0.01] * stages, "T_CG": [0.01 * stages] * (cores + 1),
            "T_G": [0.005] * stages, "T_MG": [0.01] * stages, **more}


MODELS = {"vivid-ld": model(3), "vivid-ld-cores": model(3, 2, T_MG=[0.006, 0.01, 0.005]),
          "vivid-hd": model(3, T_CG1=[0.08] * 3), "srad": model(6), "tracking": model(3),
          "scene": model(2, device_ok="10", medium_grain=False, T_G=[0.005, 0])}


class Simulated(unittest.TestCase):
    def setUp(self):
        self.build = os.path.join(SCRATCH, self.id().rsplit(".", maxsplit=1)[-1])
        self.measurements = os.path.join(self.build, "measurements")
        self.program = os.path.join(self.build, "benchmarks/mapping")
        for folder in (self.measurements, os.path.dirname(self.program)):
            os.makedirs(folder)
        for name, content in MODELS.items():
            self.model(name, content)
        keys = [application.key for application in video_inputs.ALL]
        self.mapping({"choose": {key: scene() if key == "scene" else answer() for key in keys}, "adapt": ADAPT})

    def model(self, name, content):
        with open(os.path.join(self.measurements, f"{name}.json"), "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))

    def mapping(self, spec):
        with open(self.program + ".json", "w", encoding="utf-8") as file:
            json.dump(spec, file)
        with open(self.program, "w", encoding="utf-8") as file:
            file.write(MAPPING)
        os.chmod(self.program, 0o755)

    def calls(self):
        with open(self.program + ".calls", encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def measure(self, quick=True, factors=(0.25, 1.0, 4.0), seconds=None):
        self.told = []
        found = video_simulated.measure(self.build, self.measurements, quick, list(factors), self.told.append,
                                        seconds=seconds)
        return json.loads(json.dumps(found, allow_nan=False))

    def refuses(self, what, kind=programs.Failure):
        with self.assertRaises(kind) as caught:
            self.measure()
        self.assertIn(what, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))


class Stages(Simulated):
    def test_medium(self):
        """Two cores take 0.6 of one: a fifth can't be spread, so four take 0.2 + 0.8 / 4. No gain: none; ideal."""
        self.assertAlmostEqual(video_simulated.serial_share(1, 0.6, 2), 0.2)
        self.assertAlmostEqual(video_simulated.serial_share(1, 0.5, 4), 1 / 3)
        self.assertEqual(video_simulated.serial_share(1, 1.5, 2), 1)
        self.assertEqual(video_simulated.serial_share(1, 0.4, 2), 0)
        times, measured = video_simulated.medium_times(MODELS["vivid-ld"], MODELS["vivid-ld-cores"])
        self.assertTrue(measured)
        for value, expected in zip(times, (0.004, 0.01, 0.0025)):
            self.assertAlmostEqual(value, expected)
        self.assertEqual(video_simulated.medium_times(MODELS["tracking"], None), ([0.0025] * 3, False))
        # of HD nothing was measured on several cores, but of LD
        sources = {a.key: video_simulated.Source(a, self.measurements) for a in video_inputs.ALL}
        self.assertEqual([sources[key].spread() for key in ("vivid-ld", "vivid-hd", "tracking", "scene")],
                         ["measured", "measured", "ideal", "none"])

    def test_files(self):
        """Items take 20 ms of a core, of six stages 40; of a change of size the larger one's 80."""
        self.measure(factors=(1.0,))
        first = {stages[0]["name"]: stages for given, stages in reversed(self.calls()) if "--choose" in given}
        for key, item in (("vivid-ld", 20), ("vivid-hd", 20), ("srad", 40), ("tracking", 20), ("scene", 20)):
            self.assertEqual(len(first[key]), 1)
            self.assertAlmostEqual(sum(first[key][0]["core_ms"]), item)
            self.assertEqual(first[key][0]["nC"], 4)
        self.assertAlmostEqual(first["vivid-ld"][0]["device_ms"][1], 20 / 6)
        self.assertAlmostEqual(first["vivid-ld"][0]["medium_ms"][0], 20 / 3 * 0.4)
        self.assertAlmostEqual(first["tracking"][0]["medium_ms"][2], 20 / 3 / 4)
        self.assertEqual((first["scene"][0]["device_ok"], first["scene"][0]["medium_grain"]), ("10", False))
        self.assertNotIn("medium_ms", first["scene"][0])
        pair = [stages for given, stages in self.calls() if "--adapt" in given][0]
        self.assertEqual([one["name"] for one in pair], ["vivid-ld", "vivid-hd"])
        self.assertAlmostEqual(sum(pair[1]["core_ms"]), 80)
        self.assertAlmostEqual(sum(pair[0]["core_ms"]), 10)

    def options(self, key, factor, objective=None):
        """Of the only call."""
        found = [given for given, stages in self.calls() if "--choose" in given and stages[0]["name"] == key
                 and given[given.index("--device-factor") + 1] == str(factor)
                 and (given[given.index("--objective") + 1] if "--objective" in given else None) == objective]
        self.assertEqual(len(found), 1)
        return found[0]

    def most(self, *of):
        given = self.options(*of)
        return int(given[given.index("--most") + 1]) if "--most" in given else None

    def test_how_many(self):
        """All at the factor 1, but of SRAD's 384; few at others; none where only the choice is asked for."""
        self.measure(quick=False, factors=(0.125, 0.25, 4.0))
        self.assertEqual([self.most(key, 1.0) for key in ("vivid-ld", "srad", "scene")], [None, 64, None])
        self.assertEqual([self.most("srad", factor) for factor in (0.125, 0.25, 4.0)], [0, 12, 12])
        self.assertEqual(self.most("srad", 1.0, "ratio"), video_simulated.MOST_RATIO)
        rounds = [self.options("srad", factor) for factor in (0.125, 0.25)]
        self.assertEqual([given[given.index("--rounds") + 1] for given in rounds], ["1", "3"])
        self.assertEqual([given[given.index("--device-factor") + 1] for given, _ in self.calls() if "--adapt" in given],
                         ["1.0", "0.25", "4.0"])

    def test_quick(self):
        self.measure()
        self.assertEqual(sum("ratio" in given for given, _ in self.calls()), 5)
        self.assertEqual(sum("--adapt" in given for given, _ in self.calls()), 1)
        self.assertEqual(self.most("srad", 1.0), 24)
        self.assertIn("simulated: SRAD, device × 0.25", self.told)

    def test_in_turn(self):
        """What Table V and section V-B need comes first, and can be had at any time."""
        seen = []

        def keep(found):
            seen.append([(record["key"], record["factor"]) for record in found["applications"]])
            for entry in video_simulated_report.entries(found):
                self.assertEqual(len(entry), 4)

        video_simulated.measure(self.build, self.measurements, True, [0.25, 4.0], lambda text: None, keep)
        self.assertEqual(seen[0], [("vivid-ld", 1.0)])
        self.assertEqual(len(seen), 16)
        self.assertEqual(seen[5], seen[4])  # section V-B
        self.assertEqual(seen[-1][5:7], [("vivid-ld", 0.25), ("vivid-hd", 0.25)])

    def test_no_time(self):
        """--quick leaves out what has not begun in its time, and says so."""
        found = self.measure(seconds=-1)
        self.assertEqual(found["applications"], [])
        self.assertEqual(len(found["left_out"]), 16)
        notes = {heading: note for heading, note, _, _ in video_simulated_report.entries(found)}
        self.assertIn("no time for: ViVid LD, device × 1, ", notes["Table V, simulated"])

    def test_some(self):
        """Of what was measured; without both sizes there is no change of size."""
        for key in ("vivid-hd", "srad", "scene"):
            os.remove(os.path.join(self.measurements, f"{key}.json"))
        found = self.measure()
        self.assertEqual({record["key"] for record in found["applications"]}, {"vivid-ld", "tracking"})
        self.assertEqual(found["adaptations"], [])
        self.assertFalse(any("back" in text for text in self.told))
        notes = {heading: note for heading, note, _, _ in video_simulated_report.entries(found)}
        self.assertIn("Section V-B", notes)
        self.assertIn("Medium grain of Tracking is ideal", notes["Table V, simulated"])


class Figures(Simulated):
    def setUp(self):
        super().setUp()
        self.found = self.measure()
        self.records = {(record["key"], record["factor"]): record for record in self.found["applications"]}

    def test_record(self):
        """ViVid LD's item takes 30 ms here and 20 ms simulated: 240 simulated items/s are 160, and 0.16 J 0.24."""
        record = self.records["vivid-ld", 1.0]
        self.assertAlmostEqual(record["passes"][COUPLED][0]["rate"], 160)
        self.assertAlmostEqual(record["passes"][COUPLED][0]["energy"], 0.24)
        self.assertNotIn(BOTH, record["passes"])
        self.assertAlmostEqual(record["predicted"]["paper"][COUPLED]["rate"], 240)
        self.assertEqual(record["space"], 48)
        self.assertEqual([self.records[key, 1.0]["space"] for key in ("srad", "tracking", "scene")], [384, 48, 10])
        chosen = record["chosen"]["rate"]
        self.assertEqual((chosen["configuration"], chosen["of_best"]), (COUPLED, 0.98))
        self.assertAlmostEqual(chosen["training"]["dt"], 0.75)
        self.assertEqual([self.records[key, 1.0]["spread"] for key in ("vivid-ld", "tracking", "scene")],
                         ["measured", "ideal", "none"])

    def test_table_v(self):
        """236 against 200 items/s: 18 %; 236 / 0.16 against 200 / 0.25: 84.4 %. Scene has no baseline."""
        tables = {caption: rows for caption, _, rows in video_simulated_report.table_v(self.found)[1]}
        rows = {(row[0], row[1]): row[2:] for row in tables["Simulated, nC = 4"]}
        title = "ViVid LD, nC = 4, device × 1"
        self.assertEqual(rows[title, "items/s"], ["106.7", "133.3 (4)", "66.67", "133.3", "157.3", "+18.0 %", COUPLED])
        self.assertEqual(rows[title, "items/s/J"][-2:], ["+84.4 %", COUPLED])
        self.assertEqual(rows["Scene, nC = 4, device × 1", "items/s"][3:6], ["–", rows["Scene, nC = 4, device × 1",
                                                                                      "items/s"][4], "–"])

    def test_aims(self):
        """15 cases by rate, all within 5 %; predicted 260 of 236 is 10.2 % off, of Scene nothing."""
        rows = {row[0]: row[1:] for row in video_simulated_report.aims(self.found)}
        self.assertEqual(rows["chosen within 5 % of the best of all, items/s"], ["90 %", "100.0 % of 15", True])
        self.assertEqual(rows["chosen within 5 % of the best of all, items/s/J"], ["90 %", "100.0 % of 5", True])
        self.assertEqual(rows["rate of the chosen, × the baseline: least"], ["1.0", "1.180", True])
        self.assertEqual(rows["predicted rate of the chosen within 10 %"],
                         ["all", "20.0 % of 15, median 10.2 %", False])
        self.assertEqual(rows["LD to HD and back, device × 1, × switched at once"], ["0.93", "0.950", True])
        self.assertEqual(rows["LD to HD and back, device × 1, × the better one fixed"], ["1.0", "0.990", False])

    def test_regrets(self):
        rows = [row for row in video_simulated_report.regrets(self.found) if row[0] == "ViVid LD, device × 4"]
        self.assertEqual(rows, [["ViVid LD, device × 4", "items/s", "5 of 48", COUPLED, COUPLED, "+2.0 %", CPU4,
                                 "+20.0 %"]])

    def test_accuracy(self):
        """Of CP-CG the paper's rule says 1.5 times; Scene's is right: 4 of 5 in each of three factors."""
        off = video_tables.accuracy(self.found["applications"], "paper", "rate")["CP-CG"]
        self.assertEqual(off["n"], 12 + 3 + 5 - 5)
        self.assertAlmostEqual(off["most"], 0.5)

    def test_adaptation(self):
        """HD's item takes 240 ms here and 80 ms simulated."""
        one = self.found["adaptations"][0]
        self.assertAlmostEqual(one["pipelines"][0]["own"]["rate"], 200)
        self.assertAlmostEqual(one["pipelines"][0]["break_even"], 6)
        self.assertAlmostEqual(one["phases"][0]["seconds"], 12)
        self.assertAlmostEqual(one["phases"][0]["rate"], 500 / 3)
        rows = video_simulated_report.switch_rows(self.found, one)
        self.assertEqual(rows[0], ["ViVid HD to ViVid LD, device × 1", f"{MG} to {COUPLED}", "3", "0.6", "6",
                                   "+20.0 %", "+20.0 %", "+33.3 %"])
        self.assertEqual(rows[1], ["ViVid LD to ViVid HD, device × 1", f"{COUPLED} to {MG}", "3", "0.6", "–",
                                   "+0.0 %", "–", "–"])

    def test_turns(self):
        records = [{"factor": factor, "chosen": {"rate": {"configuration": name}}}
                   for factor, name in ((4, CPU4), (2, CPU4), (1, COUPLED), (0.5, DEVICE))]
        self.assertEqual(video_simulated_report.turns(records),
                         "CPU to CP between × 2 and × 1; CP to DP between × 1 and × 0.5")
        self.assertEqual(video_simulated_report.turns(records[:2]), "always CPU")

    def test_sections(self):
        """In the page of what was measured, too; simulated is called so."""
        headings = ["Table V, simulated", "Figures 4 to 8, simulated", "Device factors", "Section V-B",
                    "Accuracy, simulated"]
        entries = list(video_simulated_report.entries(self.found))
        self.assertEqual([heading for heading, _, _, _ in entries], headings)
        self.assertEqual([len(drawn) for _, _, _, drawn in entries], [0, 15, 1, 0, 0])
        for heading, note, tables, _ in entries:
            self.assertIn("imulated", note, heading)
            if heading != "Device factors":  # which has none
                self.assertIn("oules are ", note, heading)
            for _, head, rows in tables:
                self.assertEqual({len(row) for row in rows}, {len(head)}, heading)
        drawn = charts.Charts()
        measured = {"applications": [], "meter": None, "space": {}, "simulated": self.found}
        page = drawn.put(video_report.html(measured, drawn))
        for heading in headings:
            self.assertTrue(f"<h2>{heading}</h2>" in page, heading)
        if not charts.missing():
            self.assertEqual(page.count('role="img"'), 16)
        self.assertIn("Section V-B", [heading for heading, _, _ in video_report.kept(measured)])


class Refused(Simulated):
    def test_not_built(self):
        os.remove(self.program)
        self.refuses("benchmarks/mapping is not built", plans.Absent)

    def test_nothing_measured(self):
        for name in MODELS:
            os.remove(os.path.join(self.measurements, f"{name}.json"))
        self.refuses("nothing was measured", plans.Absent)
        self.model("srad", json.dumps({key: value for key, value in MODELS["srad"].items() if key != "T_G"}))
        self.refuses("nothing was measured", plans.Absent)

    def test_models(self):
        for content, what in (("{", "not JSON"), ("[]", "not a JSON object"), (json.dumps({"s": 3}), "don't fit"),
                              (json.dumps(model(3, T_CG1=[0.01])), "don't fit"),
                              (json.dumps(model(3, T_CG1=[0] * 3)), "don't fit"),
                              (json.dumps(model(3, T_MG=[-1] * 3)), "don't fit"),
                              (json.dumps(model(3, T_G=["x"] * 3)), "don't fit"),
                              (json.dumps(model(3, device_ok=1)), "don't fit"),
                              (json.dumps(model(3, T_G=[])), "don't fit")):
            self.model("tracking", content)
            self.refuses(what)
            self.refuses("tracking")

    def test_program(self):
        for spec, what in (({"fail": "no such thing"}, "mapping: no such thing"), ({"text": "{"}, "not JSON"),
                           ({"text": "{}"}, "another form: KeyError('pipelines')"),
                           ({"text": '{"pipelines": []}'}, "another form"),
                           ({"text": '{"pipelines": [3]}'}, "another form")):
            self.mapping({"choose": {application.key: {} for application in video_inputs.ALL}, **spec})
            self.refuses(what)

    def test_adapt(self):
        keys = [application.key for application in video_inputs.ALL]
        self.mapping({"choose": {key: answer() for key in keys}, "adapt": {"pipelines": []}})
        self.refuses("--adapt: its figures have another form")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], testLoader=share.Loader())
