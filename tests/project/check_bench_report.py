# SPDX-License-Identifier: MIT
"""benchmarks/run: the main table, the paper's tables, ablation, memory, which peer counts, curves over
tables, how long it takes, what is kept; and benchmarks/table. Expected figures are worked out by hand from
the stubs' rates."""

import copy
import json
import os
import re
import subprocess
import sys
import unittest

import check_bench_run as stubs
import share
from harness import aims, budget, charts, figures, machine, markdown, paper, programs, rounds, sections, sweeps
from check_bench_run import BENCHMARKS, SCRATCH, reference, variant

PAPER = {
    "source": "A paper & its tables", "settings": "DAL, paper's settings",
    "columns": [
        {"key": "dal", "name": "DAL", "on": "cores", "role": "baseline",
         "variant": "^DAL, paper's settings(, [a-z]+ [0-9]+)*$"},
        {"key": "free", "name": "free", "on": "cores", "role": "library", "variant": "^threads",
         "over": "dal"},
        {"key": "device", "name": "device", "on": "device", "role": "library", "variant": "", "over": "dal",
         "over_best": ["dal", "free"], "note": "of ours"}],
    "tables": [{"title": "Stubs", "unit": "items/s",
                "published": [{"machine": "m <1>", "dal": 400, "free": 500, "device": 2000},
                              {"machine": "m 2"}],
                "rows": [{"name": "light & fast", "cores": "stubs", "device": "device.*"},
                         {"name": "never run", "cores": "none"}]}],
    "memory": [{"name": "all", "table": "stubs", "dal": "^DAL, paper's settings, r 1$", "ours": "^threads",
                "published": {"dal": 770000}}]}


def baseline(change, rates, **parameters):
    name = "".join(f", {word} {value}" for word, value in parameters.items())
    return variant(f"DAL, paper's settings{name}{change}", "baseline", rates, parameters=parameters)


class Report(stubs.Report):
    """Runs with a paper of its own."""

    paper = PAPER

    def command(self, *options):
        return [*super().command(*options), "--paper", self.save("paper", self.paper)]

    def run_tables(self):
        self.program("one", [
            reference((10, 10, 10)), baseline("", (100, 50, 100), r=1), baseline("", (80, 80, 80), r=4),
            baseline(", not pinned", (120, 75, 90), r=1), baseline(", spin", (40, 40, 40), r=4),
            variant("DAL, best effort, r 4", "baseline", (200, 200, 200), parameters={"r": 4}),
            variant("threads, r 1", rates=(150, 100, 140), line={"channel_bytes": 850000,
                                                               "channel_bytes_taken": 690000}),
            variant("threads, r 4", rates=(10, 10, 10), line={"channel_bytes": 900000})])
        self.program("two", [variant("a", rates=(500, 600, 700), table="device of stubs")])
        return self.run_it()

    test_report = test_sweeps = test_curves = None  # the other file's


class Paper(Report):
    def test_tables(self):
        result = self.run_tables()
        table = result["paper"]["tables"][0]
        self.assertEqual([row["name"] for row in table["measured"]], ["light & fast", "never run"])
        cells = table["measured"][0]["cells"]
        self.assertEqual(cells["dal"]["variant"], "DAL, paper's settings, r 1")  # 100, not 80, no ablation
        self.assertAlmostEqual(cells["dal"]["median"], 100)
        self.assertEqual(cells["free"]["variant"], "threads, r 1")
        self.assertAlmostEqual(cells["free"]["over"]["median"], 1.5)  # of 1.5, 2, 1.4
        self.assertTrue(cells["free"]["over"]["rounds"])
        self.assertAlmostEqual(cells["device"]["over"]["median"], 6)  # of medians: another table
        self.assertFalse(cells["device"]["over"]["rounds"])
        self.assertAlmostEqual(cells["device"]["over_best"]["median"], 600 / 140)
        published = table["published"][0]["cells"]
        self.assertAlmostEqual(published["free"]["over"]["median"], 1.25)
        self.assertAlmostEqual(published["device"]["over_best"]["median"], 4)
        self.assertEqual(table["published"][1]["cells"], {})
        words = " ".join(self.report().words)
        self.assertEqual(table["measured"][1]["why"], dict.fromkeys(("dal", "free", "device"),
                                                                    "not built, or no program has it"))
        for said in ("A paper & its tables", "the paper: m <1>", "light & fast", "1.50×", "1.25×*",
                     "6.00×* / 4.29×*", "a: not built, or no program has it",
                     "device (of ours), × DAL, × the best on cores"):
            self.assertIn(said, words)
        self.assertRegex(self.said, r"free +140  1\.50× +threads, r 1")

    def test_other_units_have_no_ratio(self):
        self.program("one", [reference(), variant("threads", rates=(5, 5, 5))])
        self.program("two", [variant("a", table="device", unit="Mitems/s")])
        cells = self.run_it()["paper"]["tables"][0]["measured"][0]["cells"]
        self.assertEqual(set(cells), {"free", "device"})
        self.assertFalse({"over", "over_best"} & (set(cells["free"]) | set(cells["device"])))

    def test_states_have_rows(self):
        states = ["near", "far", "near"]
        self.program("one", [variant("threads", rates=(8, 3, 6), states=states),
                             baseline("", (2, 3, 3), r=1) | {"states": states}])
        rows = self.run_it()["paper"]["tables"][0]["measured"][:2]
        self.assertEqual([(row["state"], row["cells"]["free"]["over"]["median"]) for row in rows],
                         [("near", 3), ("far", 1)])  # of 4 and 2; 1
        self.assertRegex(" ".join(self.report().words), r"free, × DAL .* 7   3\.00× 3   1\.00×")

    def test_reasons(self):
        """Of a cell that nothing fills in any state: the file's, else the run's."""
        self.paper = copy.deepcopy(PAPER)
        self.paper["tables"][0]["why"] = {"device": "there is none"}
        self.paper["tables"][0]["rows"] += [{"name": "device", "cores": "more"}, {"name": "own", "cores": "more",
                                                                                "why": {"dal": "not in the paper"}}]
        states = ["far", "far", "far"]
        self.program("one", [variant("threads", states=states), variant("threads", table="more", absent="no <core>"),
                             {**baseline("", (1, 1, 1), r=1), "states": ["neither"] * 3}, variant("x", table="more")])
        rows = self.run_it()["paper"]["tables"][0]["measured"]
        self.assertEqual([row["why"] for row in rows], [
            {"dal": "no run of it counts: the state changed, others were busy, or time was up",
             "device": "there is none"},
            dict.fromkeys(("dal", "free"), "not built, or no program has it") | {"device": "there is none"},
            {"dal": "not built, or no program has it", "free": "no <core>", "device": "there is none"},
            {"dal": "not in the paper", "free": "no <core>", "device": "there is none"}])
        self.assertIn("b: not built, or no program has it", self.report().words)
        self.assertRegex(self.said, r"free +-  no <core>\n")
        rows = self.run_it("--only", "threads")["paper"]["tables"][0]["measured"]
        self.assertEqual(rows[1]["why"]["free"], "--only leaves it out")

    def test_columns_of_a_table(self):
        """It may have its own, and a row may be about some variants."""
        self.paper = copy.deepcopy(PAPER)
        self.paper["tables"][0].update(
            columns=[{"key": "x", "name": "x", "on": "cores", "role": "library", "variant": "^threads"}],
            rows=[{"name": f"r {r}", "cores": "stubs", "variants": {"cores": f"r {r}$"}} for r in (1, 4)])
        cells = [row["cells"] for row in self.run_tables()["paper"]["tables"][0]["measured"]]
        self.assertEqual([cell["x"]["variant"] for cell in cells], ["threads, r 1", "threads, r 4"])

    def test_nothing_measured(self):
        self.program("one", [reference()])
        self.run_it()
        self.assertNotIn("The paper's tables", self.report().words)

    def test_memory(self):
        result = self.run_tables()
        row = result["paper"]["memory"][0]
        self.assertEqual(row["measured"], {"ours": {"bytes": 850000, "variant": "threads, r 1"}})
        rows = {r["name"]: r for r in result["tables"][0]["figures"]["memory"]}
        self.assertEqual(rows["threads, r 1"]["channel_bytes_taken"], 690000)
        self.assertEqual(rows["threads, r 4"]["channel_bytes_taken"], 0)
        self.assertNotIn("channel_bytes", rows["serial"])
        words = " ".join(self.report().words)
        self.assertRegex(words, r"all\s+0\.77\s+–\s+not run\s+0\.85")
        self.assertRegex(words, r"threads, r 1\s+3\.00\s+0\.00\s+0\.85\s+0\.69")

    def test_memory_of_any_state(self):
        states = ["neither"] * 3
        self.program("one", [reference(), variant("team", rates=(1, 1, 1)),
                             variant("threads", states=states, line={"channel_bytes": 5})])
        result = self.run_it()
        self.assertEqual(result["paper"]["memory"][0]["measured"]["ours"]["bytes"], 5)
        self.assertEqual([row["name"] for row in result["tables"][0]["figures"]["memory"]],
                         ["serial", "team", "threads"])

    def test_resident_memory(self):
        """Not of tables that count bytes themselves: a child of the process has them."""
        self.program("one", [reference(), variant("a"), variant("b", table="more", unit="bytes an actor")])
        self.run_it()
        page = self.report()
        self.assertEqual(page.words.count("resident, MB"), 1)
        self.assertEqual(page.words.count("resident at most"), 1)
        self.assertNotIn("memory, MB", page.words)

    def test_ablation(self):
        """Of the paper's settings the one with the same r counts."""
        found = self.run_tables()["ablation"]
        self.assertEqual([(row["change"], row["than"]) for row in found[0]["rows"]],
                         [("not pinned", "DAL, paper's settings, r 1"),
                          ("spin", "DAL, paper's settings, r 4")])
        self.assertAlmostEqual(found[0]["rows"][0]["median"], 1.2)  # of 1.2, 1.5, 0.9
        self.assertAlmostEqual(found[0]["rows"][1]["median"], 0.5)
        self.assertRegex(self.said, r"not pinned +3 +1\.200")
        self.assertIn("not pinned", " ".join(self.report().words))

    def test_refused(self):
        wrong = {"column": ("columns", 0, "role", None), "over": ("columns", 0, "over", "device"),
                 "best": ("columns", 1, "over_best", ["team"]), "pattern": ("columns", 0, "variant", "("),
                 "table": ("tables", 0, "rows", None), "memory": ("memory", 0, "ours", None)}
        for name, (part, index, key, value) in wrong.items():
            bad = copy.deepcopy(PAPER)
            bad[part][index][key] = value
            self.paper = bad
            with self.subTest(name):
                self.run_it(status=2)
                self.assertIn("usage:", self.errors)
        self.paper = {"source": "nothing else"}
        self.run_it(status=2)
        self.assertIn("without a proper 'settings'", self.errors)

    def test_ours_can_be_read(self):
        """And DAL's variants with one setting changed are none with the paper's settings."""
        ours = paper.load(os.path.join(BENCHMARKS, "paper.json"))
        column = next(c for c in ours["columns"] if c["key"] == "dal")
        named = [(aim["named"], "block 32768" if "predistortion" in aim["what"] else "r 1")
                 for aim in aims.load(os.path.join(BENCHMARKS, "aims.json")) if "paper's" in aim["what"]]
        self.assertEqual(len(named), 4)
        for pattern, size in [*named, (column["variant"], "r 1"), (aims.AGAINST[2][2], "r 4")]:
            for rest, whole in ((", capacity 2", True), (", capacity 16, capacity x8", False),
                                (", capacity 2, not pinned", False)):
                name = f"{ours['settings']}, {size}{rest}"
                self.assertEqual(bool(re.search(pattern, name)), whole, (pattern, name))

    def test_ours_have_an_actor_a_branch(self):
        """As the paper's: what merges them is in no column, and so in none that others are compared with."""
        ours = paper.load(os.path.join(BENCHMARKS, "paper.json"))
        cores = [c for c in ours["columns"] if (c["on"], c["role"]) == ("cores", "library")]
        self.assertEqual([c["key"] for c in cores], ["fixed", "free", "team"])
        for name, keys in (("team 2, merged, block 8192, depth 2", []),
                           ("team 2, block 8192, depth 2", ["team"]), ("team 1, r 1, depth 2", ["team"]),
                           ("threads, fixed, r 1, depth 2", ["fixed"]), ("threads, r 1, depth 2", ["free"])):
            self.assertEqual([c["key"] for c in cores if re.search(c["variant"], name)], keys, name)


class Rivals(Report):
    """The fastest of each round, and the one that is best by its median: a is."""

    def two_peers(self, **aim):
        self.program("one", [reference(), variant("team", rates=(90, 90, 120))])
        self.program("tbb_two", [variant("a", "peer", (100, 60, 110)), variant("b", "peer", (80, 90, 120))])
        self.aims.append({"what": "w", "table": "stubs", "variant": "^team", "against": "peer",
                          "at_least": 1.05, **aim})
        self.run_it()
        return self.result["aims"][-1]

    def test_round_counts(self):
        line = self.two_peers()
        self.assertFalse(line["met"])
        self.assertAlmostEqual(line["median"], 1)  # of 90/100, 90/90, 120/120
        self.assertAlmostEqual(line["both"]["median"]["median"], 120 / 110)  # of 90/100, 90/60, 120/110
        self.assertEqual(line["both"]["median"]["than"], "a [tbb]")
        self.assertIn("w: 1.000 of the best peer (at least 1.05): missed by 4.8 %; 1.091 of a [tbb]  "
                      "[stubs / team / cores near]\n", self.said)
        row = self.rows()["team"]
        self.assertAlmostEqual(row["against"]["peer"]["median"], 1)
        self.assertAlmostEqual(row["against_champion"]["peer"]["median"], 120 / 110)
        words = " ".join(self.report().words)
        for said in ("× the steady peer", "1.091", "a [tbb]"):
            self.assertIn(said, words)

    def test_median_counts(self):
        line = self.two_peers(rival="median")
        self.assertTrue(line["met"])
        self.assertAlmostEqual(line["median"], 120 / 110)
        self.assertIn("w: 1.091 of the best peer (at least 1.05): met; 1.000 of the fastest of each round  "
                      "[stubs / team / cores near]", self.said)

    def test_no_round_in_common(self):
        """The peer with the highest median was never near in a round in which the variant was: against the
        other one alone it would look good."""
        self.program("one", [reference(), variant("team", states=["near", "neither", "neither"])])
        self.program("tbb_two", [variant("a", "peer", (900, 900, 900), states=["far", "near", "near"]),
                                 variant("b", "peer", (50, 50, 50))])
        self.aims.append({"what": "w", "table": "stubs", "variant": "^team", "against": "peer",
                          "at_least": 1})
        self.run_it()
        self.assertEqual([line["met"] for line in self.result["aims"]], [None])
        self.assertNotIn("peer", self.rows()["team"]["against"])

    def peers(self, fast, slow, **aim):
        self.program("one", [reference(), variant("team", rates=(90, 90, 90))])
        self.program("tbb_two", [variant("fast", "peer", (120, 120, 120), **fast),
                                 variant("slow", "peer", (30, 30, 30), **slow)])
        self.aims.append({"what": "w", "table": "stubs", "variant": "^team", "against": "peer",
                          "at_least": 1, **aim})

    def test_hidden_runs_of_the_best_favour_nobody(self):
        """Two of three of its runs are neither near nor far; the slow one has runs in all rounds."""
        self.peers({"states": ["neither", "near", "neither"]}, {})
        line = self.run_it()["aims"][0]
        self.assertAlmostEqual(line["median"], 0.75)
        self.assertEqual(line["n"], 1)
        against = self.rows()["team"]["against"]["peer"]
        self.assertAlmostEqual(against["most"], 0.75)
        self.assertEqual(line["without"], [])

    def test_hidden_runs_of_others_count_nothing(self):
        self.peers({}, {"states": ["neither", "near", "neither"]})
        self.assertEqual(self.run_it()["aims"][0]["n"], 3)

    def test_failed_rivals_are_said(self):
        self.peers({"bad": {"1": "crash"}}, {"absent": "no library"})
        self.run_it(status=1)
        line = self.result["aims"][0]
        self.assertAlmostEqual(line["median"], 0.75)
        self.assertEqual((line["met"], line["n"]), (False, 1))
        for said in ("; without fast [tbb], which failed", "; without slow [tbb], which is absent"):
            self.assertIn(said, self.said)
            self.assertIn(said, " ".join(self.report().words))

    def test_rivals_without_runs_are_said(self):
        """Failed before its first run; never near; of many not all by name."""
        self.peers({"bad": {"0": "crash"}}, {})
        never = [variant(f"n {i}", "peer", states=["neither"] * 3) for i in range(5)]
        self.program("omp_three", never)
        self.run_it(status=1)
        self.assertAlmostEqual(self.result["aims"][0]["median"], 3)
        self.assertIn("; without fast [tbb], which failed; without n 0 [omp], n 1 [omp], n 2 [omp] and 2 "
                      "more, which have no run in this state", self.said)

    def test_no_quiet_runs(self):
        """The figure is said, but it is not judged."""
        self.program("one", [reference(), variant("team", states=["neither"] * 3)])
        self.program("tbb_two", [variant("a", "peer", (50, 50, 50), states=["neither"] * 3)])
        self.aims.append({"what": "w", "table": "stubs", "variant": "^team", "against": "peer",
                          "at_least": 1})
        line = self.run_it()["aims"][0]
        self.assertIsNone(line["met"])
        self.assertIn("w: 2.000 of the best peer (at least 1.00): not judged: no quiet runs; 2.000 of a "
                      "[tbb]  [stubs / team / cores in any state]", self.said)
        self.assertIn("not judged: no quiet runs", " ".join(self.report().words))

    def test_only_counts_what_it_leaves_out(self):
        self.aims += [{"what": f"other {i}", "table": "none", "variant": "", "against": "peer", "at_least": 1}
                      for i in range(3)]
        self.two_peers()
        self.assertIn("other 2: against the best peer (at least 1.00): not measured\n", self.said + "\n")
        self.run_it("--only", "team|: a$")
        self.assertNotIn("other", self.said)
        self.assertIn("aims (only 'team|: a$' was run: rivals may be missing)\n", self.said)
        self.assertIn("3 not measured", self.said)

    def test_unknown_rival(self):
        self.program("one", [reference()])
        self.aims.append({"what": "w", "table": "", "variant": "", "against": "peer", "at_least": 1,
                          "rival": "mean"})
        self.run_it(status=2)
        self.assertIn("'mean' is none of round, median", self.errors)


class MainTable(Report):
    def setUp(self):
        super().setUp()
        self.aims = [{"what": "w", "table": "stubs", "variant": "^threads", "against": "serial",
                      "at_least": 1},
                     {"what": "again", "table": "stubs", "variant": "^threads", "against": "ideal",
                      "at_least": 1},
                     {"what": "none", "table": "stubs", "variant": "^team", "against": "serial",
                      "at_least": 1}]

    def test_rows(self):
        """One for each choice of variants that was measured, however many aims there are for it."""
        rows = self.run_tables()["main"]
        self.assertEqual([(row["title"], row["variant"]) for row in rows], [("stubs", "threads, r 1")])
        against = {head: ratio["median"] for head, ratio in rows[0]["against"].items()}
        self.assertEqual(set(against), {"one thread", "DAL, paper's settings", "DAL, best effort"})
        self.assertAlmostEqual(against["one thread"], 14)
        self.assertAlmostEqual(against["DAL, paper's settings"], 1.4)  # of 150/100, 100/80, 140/100
        self.assertAlmostEqual(against["DAL, best effort"], 0.7)  # of 0.75, 0.5, 0.7
        self.assertRegex(" ".join(self.report().words), r"stubs, items/s\s+threads, r 1\s+140")

    def test_states_have_main_rows(self):
        """Of the library's variants and what they are compared with."""
        states = ["near", "far", "near"]
        self.program("one", [reference(), variant("threads", rates=(300, 100, 100), states=states)])
        rows = self.run_it()["main"]
        self.assertEqual([(row["state"], row["against"]["one thread"]["median"]) for row in rows],
                         [("near", 1.75), ("far", 2)])  # of 3 and 0.5; 100/50

    def test_states_beside_each_other(self):
        """What is the best in one state stands in both."""
        states = ["near", "far", "near"]
        self.program("one", [reference((100, 100, 100)),
                             variant("threads, a", rates=(300, 100, 300), states=states),
                             variant("threads, b", rates=(200, 200, 200), states=states)])
        rows = self.run_it()["main"]
        self.assertEqual([(row["variant"], row["state"], row["best"], row["against"]["one thread"]["median"])
                          for row in rows],
                         [("threads, a", "near", True, 3), ("threads, b", "near", False, 2),
                          ("threads, a", "far", False, 1), ("threads, b", "far", True, 2)])
        self.table(self.file("json"))
        self.assertIn("\n| threads, a | 300 | 100 | 3.00 | 1.00 |\n| threads, b | 200 | 200 | 2.00 | 2.00 |\n",
                      self.said)
        words = " ".join(self.report().words)
        self.assertRegex(words, r"threads, a\s+300\s+100\s+3\.000\s+3\.00–3\.00\s+1\.000")
        self.assertRegex(self.said, "- w, × serial, at least 1\\.00: stubs: near 3\\.000, met, far 2\\.000, met\n")

    def test_the_rest_is_folded(self):
        """Five of each kind are shown, as many bars are drawn."""
        self.program("one", [reference(), *(variant(f"threads, r {i}", rates=(i, i, i)) for i in range(1, 8))])
        self.run_it()
        page = self.report()
        words = " ".join(page.words)
        self.assertIn("2 more, slower than the best 5 of their kind", words)
        order = re.findall(r"threads, r (\d)", words[words.index("No run that counts was far."):])
        self.assertEqual(order[:7], ["7", "6", "5", "4", "3", "2", "1"])

    def test_except(self):
        """One of the row's aims says so; the aim itself may be against that role."""
        self.aims[1]["except"] = ["baseline", "peer"]
        rows = self.run_tables()["main"]
        self.assertEqual([set(row["against"]) for row in rows], [{"one thread"}])
        self.assertNotIn("DAL", markdown.main_table(rows))
        self.aims[1]["table"] = "another"
        self.assertIn("DAL, best effort", self.run_it()["main"][0]["against"])
        for wrong in ("baseline", ["DAL"], [["peer"]], None):
            self.aims[1]["except"] = wrong
            self.run_it(status=2)
            for said in ("/aims: an aim whose 'except' is no list of some of serial, ", "'what': 'again'"):
                self.assertIn(said, self.errors)

    def test_ours_that_merge_are_not_beside_dal(self):
        """It has a process a branch."""
        ours = aims.load(os.path.join(BENCHMARKS, "aims.json"))
        found = {aim["variant"] for aim in ours if "baseline" in aim.get("except", [])}
        self.assertEqual(found, {aim["variant"] for aim in ours if "merged" in aim["what"]})
        self.assertTrue(all(re.search(pattern, "team 2, merged, block 8192, depth 2") and
                            not re.search(pattern, "team 2, block 8192, depth 2") for pattern in found))

    def table(self, *options, status=0):
        done = subprocess.run([sys.executable, os.path.join(BENCHMARKS, "table"), *options],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        self.said, self.errors, self.all_errors = done.stdout, stubs.without_note(done.stderr), done.stderr

    def test_markdown(self):
        self.run_tables()
        self.table(self.file("json"))
        self.assertIn("\n".join([
            "", "| | Penstock: near | far | × one thread: near | far | × DAL, paper's settings: near | far |",
            "|---|---:|---:|---:|---:|---:|---:|", "| **stubs**, items/s | | | | | | |",
            "| threads, r 1 | 140 | | 14.00 | | 1.40 | |", "",
            "| | × DAL, best effort: near | far |", "|---|---:|---:|", "| **stubs**, items/s | | |",
            "| threads, r 1 | 0.70 | |", ""]), self.said)
        os.remove(self.file("html"))
        self.table(self.file("json"), "--html", self.file("html"))
        self.assertEqual(self.said, "")
        self.report()

    def test_nobody_reads(self):
        """The pipe is closed; or stdout and stderr are."""
        self.run_tables()
        out, into = os.pipe()
        os.close(out)
        command = [sys.executable, os.path.join(BENCHMARKS, "table"), self.file("json")]
        done = subprocess.run(command, stdout=into, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.stderr, "benchmarks/table: cannot print the tables: Broken pipe\n")
        self.assertEqual(done.returncode, 1)
        done = subprocess.run(command, stdout=into, stderr=into, check=False)
        self.assertEqual(done.returncode, 1)
        done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", *command], stderr=subprocess.PIPE, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        os.close(into)

    def document(self, text):
        path = self.file("doc.md")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def read(self, path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def test_document(self):
        """A machine's section is put behind the others, then replaced; what stands around it stays."""
        head, tail = "# Head\n\n<!-- benchmarks/table: another -->\nits tables\n<!-- end -->\n", "\nTail.\n"
        path = self.document(head + tail)
        self.aims[0]["at_least"] = 100
        self.program("one", [reference(), variant("threads", rates=(150, 150, 150))])
        self.run_it("--doc", path)
        first = self.read(path)
        self.assertTrue(first.startswith(f"{head}\n<!-- benchmarks/table: {markdown.name_of(self.result)} -->\n"))
        self.assertTrue(first.endswith("<!-- end -->\n" + tail))
        self.assertNotIn(self.build, first)  # where it was built is nobody's business
        for said in ("3 of 3 rounds", "\n| threads | 150 | | 1.50 | |\n", "missed by 98.5 %"):
            self.assertIn(said, first)
        self.table(self.file("json"), "--doc", path)
        self.assertEqual((self.said, self.read(path)), ("", first))
        self.result["rounds"] = 9  # as wide as before: no line breaks elsewhere
        self.table(self.save("later", self.result), "--doc", path)
        self.assertEqual(self.read(path), first.replace("3 of 3 rounds", "9 of 3 rounds"))
        self.result["options"]["only"] = "some"
        self.table(self.save("part", self.result), "--doc", path)
        self.assertEqual(self.read(path).count("<!-- end -->\n"), 3)

    def test_paper_as_markdown(self):
        self.run_tables()
        self.table(self.file("json"))
        for line in ("| | paper: m <1> | paper: m 2 | light & fast: near | far | never run: near | far |",
                     "| DAL | 400 | – | 100 | | – (a) | |",
                     "| free | 500 1.25×* | – | 140 1.50× | | – (a) | |",
                     "| device | 2,000 5.00×* | – | 600 6.00×* | | – (a) | |",
                     "| device, × the best on cores | 4.00×* | – | 4.29×* | | – (a) | |",
                     "(a): not built, or no program has it.",
                     "| all | 0.77 | – | not measured | 0.85 |"):
            self.assertIn(f"\n{line}\n", self.said)

    def test_not_measured_as_markdown(self):
        self.program("one", [reference(), variant("threads", rates=(5, 5, 5))])
        self.run_it()
        self.table(self.file("json"))
        self.assertIn("\n| DAL | 400 | – | – (a) | | – (a) | |\n", self.said)

    def test_wide_tables_are_cut(self):
        """Into tables of 120 columns, each with the first one; what stands side by side stays together."""
        groups = [[f"{name * 20}: near", "far"] for name in "abcde"]
        lines = [[f"row {i}", *(str(100 * i + k) for k in range(10))] for i in range(2)]
        tables = markdown.packed("", groups, lines).split("\n\n")
        self.assertEqual([table.splitlines()[0].count(": near | far |") for table in tables], [3, 2])
        self.assertEqual([table.splitlines()[3] for table in tables],
                         ["| row 1 | 100 | 101 | 102 | 103 | 104 | 105 |", "| row 1 | 106 | 107 | 108 | 109 |"])
        self.assertLessEqual(max(len(line) for table in tables for line in table.splitlines()), 120)

    def test_lines_as_markdown(self):
        """What is no table is broken into lines of 120 columns."""
        self.aims = [{"what": "words " * 50, "table": "stubs", "variant": "^a", "against": "serial",
                      "at_least": 1}]
        self.program("one", [reference(), variant("a")])
        self.run_it()
        self.table(self.file("json"))
        self.assertLessEqual(max(map(len, self.said.splitlines())), 120)
        self.assertIn("\n- words words", self.said)

    def table_with(self, gnuplot):
        """benchmarks/table --html where PATH has this program alone."""
        folder = self.file("bin")
        os.makedirs(folder, exist_ok=True)
        if gnuplot:
            with open(os.path.join(folder, "gnuplot"), "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\n" + gnuplot)
            os.chmod(os.path.join(folder, "gnuplot"), 0o755)
        given, os.environ["PATH"] = os.environ["PATH"], folder
        try:
            self.table(self.file("json"), "--html", self.file("html"))
            return " ".join(self.report().words)
        finally:
            os.environ["PATH"] = given

    def test_no_gnuplot(self):
        """It is said once in the page and once on stderr, with the mend; a gnuplot that fails says why."""
        self.program("one", [reference(), variant("a")])
        self.run_it()
        words = self.table_with(None)
        self.assertEqual(words.count("No charts: there is no gnuplot, which draws charts: scripts/setup "), 1)
        self.assertEqual(self.all_errors, f"benchmarks/table: --html: no charts: {charts.MISSING}\n")
        self.assertIn("Debian's package is gnuplot-nox", self.all_errors)
        words = self.table_with("echo 'no fonts' >&2; exit 1\n")
        self.assertIn("No charts: gnuplot has drawn 0 of 1 charts: no fonts.", words)
        self.assertEqual(self.errors, "")
        self.assertIn("0 of 1 charts: it did not say why.", self.table_with("exit 0\n"))

    def test_incomplete_is_in_no_document(self):
        path = self.document("<!-- end -->\n")
        self.program("one", [reference(), variant("a", hash=["e0", "bad", "e0"])])
        self.run_it("--doc", path, status=1)
        self.assertIn("the run was not through", self.errors)
        self.assertEqual(self.read(path), "<!-- end -->\n")

    def test_wrong_document(self):
        """It is refused before anything is run."""
        path = self.document("no tables")
        self.program("one", [reference()])
        self.run_it("--doc", path, status=2)
        self.assertIn(f"--doc: {path}: it has no line '<!-- end -->'", self.errors)
        self.assertFalse(os.path.exists(self.file("one.calls")))
        self.run_it("--doc", self.file("none.md"), status=2)
        self.assertIn("none.md': No such file or directory", self.errors)
        self.run_it()
        self.table(self.file("json"), "--doc", path, status=1)
        self.assertIn(f"benchmarks/table: --doc: {path}: it has no line", self.errors)

    def test_ours_has_tables(self):
        """doc/performance.md: what a full run writes, in lines of 120 columns."""
        ours = self.read(os.path.join(BENCHMARKS, "..", "doc", "performance.md"))
        self.assertGreaterEqual(ours.count("\n#### The paper's table: "), 3)
        self.assertLessEqual(max(map(len, ours.splitlines())), 120)

    def test_wrong_files(self):
        self.table(self.file("none"), status=1)
        self.assertIn("none", self.errors)
        for wrong in ("a text", {"format": "another"}):
            self.table(self.save("wrong", wrong), status=1)
            said = "not of the format" if isinstance(wrong, dict) else "not a JSON object"
            self.assertIn(said, self.errors)
            self.assertIn("; name a file that benchmarks/run --json has written\n", self.errors)
        for path in (os.path.join(BENCHMARKS, "README.md"), os.devnull):
            self.table(path, status=1)
            self.assertRegex(self.errors, f"^benchmarks/table: {path}: not JSON: .*; name a file that ")
        self.table("none", status=1)
        self.assertEqual(self.errors, "benchmarks/table: cannot read 'none': No such file or directory; "
                         "name a file that benchmarks/run --json has written\n")

    def test_wrong_places(self):
        """Where the report can't go is said with its option."""
        self.program("one", [reference()])
        self.run_it()
        for option, given in (("--html", self.build), ("--html", "none/x"), ("--doc", "none.md")):
            self.table(self.file("json"), option, given, status=1)
            self.assertRegex(self.errors, rf"\Abenchmarks/table: {option}: cannot write '{given}': .*; "
                             r"make room, or name another one\n\Z")

    def test_wrong_options_of_run(self):
        """Files that are read are named with their option."""
        for option, proper in (("--programs", "list"), ("--aims", "list"), ("--paper", "object")):
            five = self.save("five", [5] if proper == "list" else {"settings": 5})
            for given, said in ((os.devnull, "not JSON: "), (five, "without "),
                                (self.save("number", 5), f"not a JSON {proper}")):
                self.run_it(option, given, status=2)
                self.assertRegex(self.errors, f"error: {option}: {given}: .*{said}.*; benchmarks/README.md "
                                 f"says what is in it; without {option} it is benchmarks/.*json\n")
        aim = {"what": "w", "table": "", "variant": "(", "against": "peer", "at_least": 1}
        self.run_it("--aims", self.save("pattern", [aim]), status=2)
        self.assertIn("/pattern: '(' is no regular expression: missing )", self.errors)


class Parts(unittest.TestCase):
    def test_time_is_divided(self):
        """All tables get the same time, and what some don't need the others get; none more than there is."""
        for costs, most, seconds, rounds in (([1, 1], 9, 100, [9, 9]), ([1, 10], 9, 40, [9, 3]),
                                             ([4, 4], 9, 20, [2, 2]), ([30], 9, 20, [0]), ([], 9, 20, []),
                                             ([0, 5], 9, 20, [9, 4])):
            self.assertEqual(budget.divided(costs, most, seconds), rounds)
        clock = iter((0, 40, 55, 57, 70)).__next__
        limit = budget.Budget(1, clock)
        self.assertEqual(limit.choose(["a", "b"], {"a": 5, "b": 100}.get, 9), ["a"])
        self.assertEqual([limit.fits(2), limit.fits(2)], [True, False])
        self.assertLess(limit.left(), 0)
        self.assertEqual(budget.Budget(None).choose(["a"], None, 1), ["a"])

    def test_lines_without_figures(self):
        """Of a table cut into several: a title stays with what has a figure in this part."""
        self.assertEqual(markdown.told([["**a**", ""], ["x", "–"], ["**b**", ""], ["y", "1"], ["z", ""],
                                        ["**c**", ""]]), [["**b**", ""], ["y", "1"]])

    def test_names_of_machines(self):
        result = {"machine": {"cpu": "A", "cores": 2}, "options": {"only": None}}
        self.assertEqual(markdown.name_of(result), "A, 2 cores")
        result["options"]["only"] = "a|b"
        self.assertEqual(markdown.name_of(result), "A, 2 cores, only 'a|b'")
        self.assertEqual(markdown.name_of({**result, "machine": {}}),
                         "unknown processor, ? cores, only 'a|b'")

    def test_how_long(self):
        """What a run took, else what calibrating took for as many items; nothing of what isn't run."""
        a, b, c = variant("a"), variant("b", divide=4), variant("c", failed=True)
        table = {"title": "t", "unit": "u", "items": 120, "step": 12, "variants": [a, b, c]}
        session = rounds.Session([table, {**table, "items": 0}], {"seconds": 1}, [])
        session.calibrating[id(table)] = 0.5
        self.assertEqual([session.takes(table, v) for v in (a, b, c)], [60, 12, 0])  # of 120 and 24 items
        session.seconds["t", "u", "a"] = 7
        self.assertEqual(session.left(lambda t, v: 2), 2 * (7 + 12))

    def test_curves_of_states(self):
        """A table that has only been far is no point of the curve of near ones."""
        def table(at, state, y):
            row = {"label": "a", "name": "a", "role": "library", "median": y, "against": {}}
            return {"family": "f", "sweep": "s", "unit": "u", "times": False, "at": at, "variants": [],
                    "figures": {"states": [{"state": state, "rows": [row]}]}}
        tables = [table(1, "near", 5), table(2, "near", 6), table(3, "far", 9)]
        for each in tables:
            each["variants"] = [variant("a")]
        self.assertEqual(list(sweeps.families(tables)),
                         [(f"f over s, {sections.STATES['near']}", "s", "u", {"a": [(1, 5), (2, 6)]})])

    def test_scales(self):
        """From 0, or in powers of two and ten where figures are far apart."""
        def script(*points):
            return charts.lines({"a": points}, "x", "y")[1]
        self.assertIn("set yrange [0:*]", script((1, 1), (8, 49)))
        self.assertNotIn("logscale", script((1, 1), (8, 49)))
        self.assertIn("set logscale x", script((1, 1), (9, 49)))
        self.assertIn("set logscale y", script((1, 1), (8, 50)))
        self.assertNotIn("logscale", script((0, 0), (100, 500)))
        self.assertIn("set xtics (1, 8)", script((1, 1), (8, 49)))
        self.assertNotIn("set xtics", script(*((x, x) for x in range(9))))

    def test_whose(self):
        labels = [figures.label(variant("a", "peer", path=path)) for path in ("/b/tbb_x_y", "/b/handover")]
        self.assertEqual(labels, ["a [tbb]", "a"])

    def test_best_of_each_kind(self):
        series = {f"team, depth {d}": [(1, d), (2, d)] for d in range(8)} | {"serial": [(1, 0), (2, 0)]}
        groups = {name: name.split(",")[0] for name in series}
        self.assertEqual(set(sweeps.one_of_each(series, groups, False)), {"team, depth 7", "serial"})
        self.assertEqual(set(sweeps.one_of_each(series, groups, True)), {"team, depth 0", "serial"})
        few = {"a": [(1, 1)], "b": [(1, 2)]}
        self.assertEqual(sweeps.one_of_each(few, {"a": 0, "b": 0}, False), few)

    def test_champion(self):
        table = {"variants": [variant("a"), variant("b")], "runs": []}
        self.assertIsNone(figures.View(table, "any").champion(["a", "b"]))

    def test_devices(self):
        """As the library's program lists them: without the head, columns apart."""
        build = os.path.join(SCRATCH, "devices")
        os.makedirs(build + "/apps/motion_detection")
        program = build + "/apps/motion_detection/motion_detection"
        with open(program, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n[ \"$1\" = --devices ] || exit 1\necho 'selector   name'\n"
                       "echo 'here:cpu:0   A device'\necho 'here:gpu:0   Another'\n")
        os.chmod(program, 0o755)
        self.assertEqual(machine.devices(build), "here:cpu:0, A device; here:gpu:0, Another")

    def test_libraries(self):
        """pkg-config is asked, in order."""
        folder = os.path.join(SCRATCH, "pkg-config")
        os.makedirs(folder)
        with open(folder + "/starpu-1.3.pc", "w", encoding="utf-8") as file:
            file.write("Name: x\nDescription: x\nVersion: 1.3.99\n")
        given, os.environ["PKG_CONFIG_LIBDIR"] = os.environ.get("PKG_CONFIG_LIBDIR"), folder
        try:
            found = machine.libraries()
        finally:
            del os.environ["PKG_CONFIG_LIBDIR"]
            if given is not None:
                os.environ["PKG_CONFIG_LIBDIR"] = given
        if machine.said("pkg-config", "--version") is None:
            self.skipTest("there is no pkg-config")
        self.assertEqual(found, {"StarPU": "1.3.99"})

    def test_number(self):
        for value, said in ((0, "0"), (0.01234, "0.0123"), (1.23456, "1.235"), (999.9, "999.9"),
                            (999.96, "1,000"), (6626.4, "6,626"), (46508, "46,508")):
            self.assertEqual(figures.number(value), said)

    def test_summary(self):
        self.assertIsNone(figures.summary([]))
        self.assertEqual(figures.summary([4, 1, 2, 3]), {"n": 4, "median": 2.5, "least": 1, "most": 4})

    def test_machine(self):
        build = os.path.join(SCRATCH, "machine")
        os.makedirs(build)
        with open(os.path.join(build, "Makefile"), "w", encoding="utf-8") as file:
            file.write("CC = false\nCFLAGS = -O9\n")
        found = machine.describe(SCRATCH, build)
        self.assertEqual(found["kernel"], os.uname().release)
        self.assertEqual(found["cores that may be used"], len(os.sched_getaffinity(0)))
        self.assertEqual(found["compiler"], "false, -O9")
        self.assertEqual(len(found["load"]), 3)
        self.assertIsNone(machine.read(os.path.join(build, "none")))
        self.assertIsNone(machine.said(os.path.join(build, "none")))
        self.assertIsNone(machine.compiler(SCRATCH))

    def test_catalogue(self):
        """The ones that are used can be read."""
        catalogue = programs.load(os.path.join(BENCHMARKS, "programs.json"))
        names = [entry["program"] for entry in catalogue]
        for entry in catalogue:
            for calls in (entry["arguments"], entry.get("quick", [[]])):
                self.assertTrue(calls or "part" in entry, entry)  # else the program would never be run
                self.assertEqual(len(calls), len({json.dumps(call) for call in calls}), entry)
                self.assertTrue(all(isinstance(word, str) for call in calls for word in call), entry)
        self.assertIn("benchmarks/motion", names)
        self.assertEqual(len(names), len(set(names)))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], testLoader=share.Loader(), verbosity=2)
