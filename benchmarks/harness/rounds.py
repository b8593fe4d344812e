# SPDX-License-Identifier: MIT
"""The variants of many programs in turn, round after round."""

import math
import os
import re
import time

from . import programs

STUCK_FACTOR, STUCK_LEAST = 200, 60  # a run that takes that many times, or seconds, more than it should


class Different(Exception):
    """Two outputs that must be equal are not."""


def gather(calls, absent, failures, tell):
    """The tables of all programs; one table may be spread over several."""
    tables = {}
    for program, path, arguments in calls:
        what = " ".join([path, *arguments])
        tell(f"asking {what}")
        try:
            for variant in programs.list_variants(program, path, arguments):
                # so that it is of use alone a peer's program has the library, too, which has its own here
                if variant["role"] != "library" or os.path.basename(os.path.dirname(program)) != "peers":
                    add_variant(tables, variant, absent)
        except programs.Failure as failure:
            failures.append({"program": " ".join([os.path.basename(path), *arguments]), "what": str(failure)})
    return list(tables.values())


def add_variant(tables, variant, absent):
    """Several programs may have the same references, so that each is of use alone: one of them runs."""
    key = variant["table"], variant["unit"]
    if key not in tables:
        shared = ("unit", "scale", "times", "family", "sweep", "at")
        tables[key] = {"title": variant["table"], **{k: variant.get(k) for k in shared}, "items": 0,
                       "variants": [], "absent": [], "runs": []}
    table = tables[key]
    if (table["scale"], table["times"]) != (variant["scale"], variant["times"]):
        raise programs.Failure(f"counts '{variant['table']}' in another way than an earlier program")
    same = next((v for v in table["variants"] if v["name"] == variant["name"]), None)
    if same and "peer" in (same["role"], variant["role"]) and same["path"] != variant["path"]:
        raise programs.Failure(f"has '{variant['name']}' in '{table['title']}', and so has "
                               f"{os.path.basename(same['path'])}: "
                               "give them different names")
    if same:
        return
    if variant.get("absent"):
        absent.append({"what": f"{variant['table']}: {variant['name']}", "why": variant["absent"]})
        table["absent"].append({key: variant[key] for key in ("name", "role", "path")})
        return
    table["variants"].append(variant)


def choose(tables, pattern):
    """Variants that the pattern finds, and what these are compared with: serial and ideal ones."""
    expression = re.compile(pattern, re.IGNORECASE)
    for table in tables:
        found = [v for v in table["variants"]
                 if expression.search(f"{v['program']}: {table['title']}: {v['name']}")]
        table["variants"] = [v for v in table["variants"]
                             if found and (v in found or v["role"] in ("serial", "ideal"))]
    return [table for table in tables if table["variants"]]


class Session:
    """What has been run so far. Everything that is reported is in `tables` and `failures`."""

    def __init__(self, tables, options, failures):
        self.tables = tables
        self.options = options  # rounds, seconds
        self.failures = failures
        self.calibrating = {}  # table -> seconds an item
        self.seconds = {}  # (title, unit, variant) -> that its last run took, the process and probes included
        self.outputs = {}  # (title, unit, group, items) -> (hash, whose)

    def stuck(self):
        return max(STUCK_LEAST, STUCK_FACTOR * self.options["seconds"])

    def fail(self, table, variant, failure):
        """It takes no further part."""
        self.failures.append({"program": os.path.basename(variant["path"]), "table": table["title"],
                              "variant": variant["name"], "what": str(failure)})
        variant["failed"] = True

    def calibrate(self, table):
        """How many items of a table take the time, by its first serial variant that works."""
        order = sorted(table["variants"], key=lambda v: v["role"] != "serial")
        step = math.lcm(*(v["least"] for v in order))
        for variant in order:
            begin = time.monotonic()
            try:
                run = programs.run_variant(variant, ["--seconds", self.options["seconds"]], self.stuck())
            except programs.Failure as failure:
                self.fail(table, variant, failure)
                continue
            table["step"], table["items"] = step, max(step, run["items"] // step * step)
            self.calibrating[id(table)] = (time.monotonic() - begin) / run["items"]
            return
        table["items"] = 0

    def takes(self, table, variant):
        """Seconds of one run: what the last one took, else what calibrating took, which tries half as much
        again as a run: others are slower than the serial variant. 0: it is not run."""
        if variant.get("failed") or not table["items"]:
            return 0
        known = self.seconds.get((table["title"], table["unit"], variant["name"]))
        return known or self.calibrating[id(table)] * self.items_of(table, variant)

    def cost(self, table):
        """Seconds of a round."""
        return sum(self.takes(table, variant) for variant in table["variants"])

    def left(self, runs):
        """Seconds that so many more runs of each variant take: runs(table, variant)."""
        return sum(runs(table, variant) * self.takes(table, variant)
                   for table in self.tables for variant in table["variants"])

    def items_of(self, table, variant):
        """A slow variant runs a part; all run multiples of what each can: outputs can be compared."""
        step = table["step"]
        return max(step, table["items"] // variant["divide"] // step * step)

    def compare(self, table, variant, run):
        """Raises Different."""
        key = table["title"], table["unit"], variant["group"], run["items"]
        whose = f"'{variant['name']}' ({os.path.basename(variant['path'])})"
        if "expected" in run and key not in self.outputs:
            self.outputs[key] = run["expected"], "what is expected"
        known, other = self.outputs.setdefault(key, (run["hash"], whose))
        if known != run["hash"]:
            raise Different(f"{table['title']}, {run['items']} items: the output of {whose} is "
                            f"{run['hash']}, that of {other} {known}")

    def run_one(self, table, variant, round_index):
        """One run, checked and kept; None: it failed."""
        items = self.items_of(table, variant)
        key = table["title"], table["unit"], variant["group"], items
        begin = time.monotonic()
        try:
            run = programs.run_variant(variant, ["--items", items], self.stuck(), round_index,
                                       variant["expect"] and key not in self.outputs)
            if run["items"] != items:
                raise programs.Failure(f"ran {run['items']} items instead of {items}")
        except programs.Failure as failure:
            self.fail(table, variant, failure)
            return None
        try:
            self.compare(table, variant, run)
        except Different as different:
            self.fail(table, variant, different)
            raise
        run["round"] = round_index
        self.seconds[table["title"], table["unit"], variant["name"]] = time.monotonic() - begin
        table["runs"].append(run)
        return run

    def run_round(self, table, round_index, each):
        """Every variant once; each round begins with another one."""
        variants = table["variants"]
        for i in range(len(variants)):
            variant = variants[(i + round_index) % len(variants)]
            if not variant.get("failed") and table["items"]:
                each(table, variant, self.run_one(table, variant, round_index))
