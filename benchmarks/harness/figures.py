# SPDX-License-Identifier: MIT
"""Figures of runs: medians, and ratios of two runs of one round. The states of the cores are apart."""

import os
import statistics

from . import files

FORMAT = "penstock benchmarks 3"
STATES = ("near", "far", "either", "any")
REFERENCES = ("serial", "ideal", "peer", "limit", "baseline")


def load(path):
    """A result of benchmarks/run; ValueError says what is wrong with it."""
    result = files.load(path, dict)
    if result.get("format") != FORMAT:
        raise ValueError(f"{path}: not of the format '{FORMAT}'")
    return result


def speed(run):
    return run["items"] / run["seconds"]


def figure(table, run):
    """In the table's unit: items a time, or a time an item."""
    return 1e9 / speed(run) / table["scale"] if table["times"] else speed(run) / table["scale"]


def number(value):
    """Short, for people."""
    if value == 0:
        return "0"
    if abs(value) >= 999.95:  # what would be 1000 with four digits
        return f"{value:,.0f}"
    return f"{value:.4g}" if abs(value) >= 1 else f"{value:.3g}"


def summary(values):
    """None: there are no values."""
    if not values:
        return None
    return {"n": len(values), "median": statistics.median(values), "least": min(values), "most": max(values)}


def whose(variant):
    """Peers' names don't say whose they are; their programs' names do: SYSTEM_APPLICATION. A program without
    an application is ours and compares with one system."""
    if variant["role"] != "peer":
        return ""
    system, _, application = os.path.basename(variant["path"]).partition("_")
    return f" [{system}]" if application else ""


def label(variant):
    return variant["name"] + whose(variant)


def counts_bytes(table):
    """Others who are busy don't change these; and what is measured (benchmarks/cost) is a child of the process."""
    return table["unit"].split()[0] == "bytes"


class View:
    """The runs of a table that count in one state: "near", "far"; "either", where nothing runs on two cores; or
    "any", where few were in these."""

    def __init__(self, table, state):
        self.table, self.state = table, state
        self.variants = {v["name"]: v for v in table["variants"]}
        self.runs = {(r["name"], r["round"]): r for r in table["runs"] if self.counts(r)}

    def counts(self, run):
        """One thread doesn't notice how far cores are, but that others use its own."""
        if self.state == "any" or run["state"] == self.state or counts_bytes(self.table):
            return True
        return self.variants[run["name"]]["one_thread"] and not run["busy"]

    def of(self, name):
        return [run for (n, _), run in sorted(self.runs.items(), key=lambda item: item[0][1]) if n == name]

    def of_role(self, role):
        return [name for name, v in self.variants.items() if v["role"] == role]

    def ratios(self, name, others):
        """How many times as fast as the fastest of the others in the same round, for each round in which the
        one that is best by its median has a run that counts: without that one the others would look good."""
        best, values = self.champion(others), []
        for run in self.of(name):
            if (best, run["round"]) in self.runs:
                keys = [(other, run["round"]) for other in others]
                rivals = [self.runs[key] for key in keys if key in self.runs]
                values.append(speed(run) / max(map(speed, rivals)))
        return values

    def champion(self, names):
        """The one with the highest median speed; None: none of them has a run that counts."""
        medians = {n: statistics.median(map(speed, self.of(n))) for n in names if self.of(n)}
        return max(medians, key=medians.get) if medians else None

    def against_champion(self, name, others):
        """The ratio to the one of the others that is best by its median, and which that is."""
        best = self.champion(others)
        ratio = summary(self.ratios(name, [best])) if best else None
        return ratio and {"than": label(self.variants[best]), **ratio}

    def channels(self, name):
        """What a program tells of its channels' memory; not all do."""
        runs = [run for run in self.of(name) if "channel_bytes" in run]
        return {key: max(run.get(key, 0) for run in runs)
                for key in ("channel_bytes", "channel_bytes_taken") if runs}

    def row(self, name):
        runs, v = self.of(name), self.variants[name]
        if not runs:
            return None
        against = {role: summary(self.ratios(name, self.of_role(role))) for role in REFERENCES}
        steady = {role: self.against_champion(name, self.of_role(role)) for role in REFERENCES}
        return {"name": name, "label": label(v), "role": v["role"],
                **summary([figure(self.table, r) for r in runs]),
                "cores": statistics.median(r["cpu"] / r["seconds"] for r in runs),
                "switches": statistics.median((r["voluntary"] + r["involuntary"]) / r["items"] for r in runs),
                "peak_bytes": max(r["peak_bytes"] for r in runs), **self.channels(name),
                "against": {role: ratio for role, ratio in against.items() if ratio},
                "against_champion": {role: ratio for role, ratio in steady.items() if ratio}}


def states_of(table):
    """Those in which runs on several cores count; one thread alone makes no state. "any", where none or fewer
    than half of the variants have such runs, too. "either", where all is of one thread, or counts bytes."""
    several = {v["name"] for v in table["variants"] if not v["one_thread"]}
    if not several or counts_bytes(table):
        counted = [run for run in table["runs"] if not run["busy"] or counts_bytes(table)]
        return ["either"] if counted else ["any"] if table["runs"] else []
    ran = {r["name"] for r in table["runs"]} & several
    counted = {state: {r["name"] for r in table["runs"] if r["state"] == state} & several
               for state in ("near", "far")}
    found = [state for state, names in counted.items() if names]
    # one lucky run would hide all others
    few = 2 * max(map(len, counted.values())) < len(ran)
    return found + (["any"] if table["runs"] and (few or not found) else [])


def views_of(table):
    return [View(table, state) for state in states_of(table)]


def memory(table):
    """Of each variant that ran, in whatever state."""
    view = View(table, "any")
    return [{"name": name, "label": label(v), "role": v["role"],
             "peak_bytes": max(run["peak_bytes"] for run in view.of(name)), **view.channels(name)}
            for name, v in view.variants.items() if view.of(name)]


def figures(table):
    """A list of states with their rows, as in the JSON file."""
    found = []
    for view in views_of(table):
        rows = [row for row in map(view.row, view.variants) if row]
        found.append({"state": view.state, "rows": rows})
    several = [r for r in table["runs"] if not view_one_thread(table, r)]
    hidden = sum(r["state"] == "neither" for r in several) if found and found[-1]["state"] != "any" else 0
    return {"states": found, "hidden": hidden, "several": len(several), "memory": memory(table)}


def view_one_thread(table, run):
    return next(v["one_thread"] for v in table["variants"] if v["name"] == run["name"])
