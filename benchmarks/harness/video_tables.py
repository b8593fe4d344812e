# SPDX-License-Identifier: MIT
"""What follows from runs of the video applications: Table V, what is lost, how well rules predict. Records are those of
video.measure(); a metric is rate, energy or ratio (rate / energy)."""

import statistics

from .video_runs import BUSY

METRICS = ("rate", "energy", "ratio")
OBJECTIVES = {"rate": "throughput", "ratio": "ratio"}  # that have a row in Table V
KINDS = ("CPU-CG", "CPU-MG", "CP-CG", "CP-MG", "DP-CG", "DP-MG")
WITHIN = 0.10  # of the best; of a prediction
BASELINE, BY_HAND = "baseline", "by hand"  # in rounds, beside configurations
BY_HAND_LEAST = 0.97  # of its rate, that the chosen one is to reach


def split(configuration):
    """(kind, mask, threads)"""
    kind, mask, threads = configuration.split(":")
    return kind, mask, int(threads)


def is_medium(configuration):
    return split(configuration)[0].endswith("MG")


def value(run, metric):
    """None: its energy is not known."""
    if not run or run.get(metric if metric != "ratio" else "rate") is None:
        return None
    if metric == "ratio":
        return run["rate"] / run["energy"] if run.get("energy") else None
    return run[metric]


def better(metric, a, b):
    """Is a better than b?"""
    return a < b if metric == "energy" else a > b


def median(values):
    known = [v for v in values if v is not None]
    return statistics.median(known) if known else None


def of_passes(record, metric):
    """{configuration: median of the rounds in which all were measured}"""
    found = {name: median(value(run, metric) for run in runs) for name, runs in record["passes"].items()}
    return {name: v for name, v in found.items() if v is not None}


def of_rounds(record, name, metric):
    """The median of the rounds in which few were measured in turn; None: it was not among them."""
    return median(value(one.get(name), metric) for one in record["rounds"])


def best_of(record, metric, names):
    """By the rounds; None: none of them was measured."""
    known = {name: of_rounds(record, name, metric) for name in names}
    known = {name: v for name, v in known.items() if v is not None}
    return (min if metric == "energy" else max)(known, key=known.get) if known else None


def ratio_of_rounds(record, name, other, metric):
    """The median of name / other in one round."""
    found = []
    for one in record["rounds"]:
        a, b = value(one.get(name), metric), value(one.get(other), metric)
        if a is not None and b is not None:
            found.append(a / b)
    return median(found)


def names_of(record):
    """Configurations that were measured in rounds."""
    return [name for name in dict.fromkeys(name for one in record["rounds"] for name in one) if ":" in name]


def finalists(record, count):
    """Who is measured in turn: the best of all by one pass, what was chosen, what is compared with."""
    names = []
    for metric in OBJECTIVES:
        passes = of_passes(record, metric)
        order = sorted(passes, key=passes.get, reverse=True)
        names += order[:count]
        names += [name for name in order if split(name)[0] == "CPU-CG"][:1]
        chosen = record["chosen"].get(metric)
        names += [chosen["configuration"]] if chosen else []
    names += [record["paper"]["configuration"]] if record.get("paper") else []
    names += [name for name in record["passes"] if split(name)[0] in ("CPU-MG", "DP-CG")
              and (is_medium(name) or split(name)[2] == 1)]
    return list(dict.fromkeys(names))


# -- Table V --

def table5_row(record, metric):
    """What the paper's Table V has of an application."""
    names, chosen = names_of(record), record["chosen"].get(metric)
    coarse = best_of(record, metric, [n for n in names if split(n)[0] == "CPU-CG"])
    device = next((n for n in names if split(n)[0] == "DP-CG" and split(n)[2] == 1), None)
    medium = next((n for n in names if split(n)[0] == "CPU-MG"), None)
    name = chosen["configuration"] if chosen else None
    improved = ratio_of_rounds(record, name, BASELINE, metric) if name else None
    return {"metric": metric, "CPU MG": of_rounds(record, medium, metric), "CPU CG": of_rounds(record, coarse, metric),
            "CPU CG n": split(coarse)[2] if coarse else None, "device": of_rounds(record, device, metric),
            "baseline": of_rounds(record, BASELINE, metric), "baseline configuration": record.get("baseline"),
            "best": of_rounds(record, name, metric), "configuration": name,
            "improvement": None if improved is None else improved - 1}


def table5(record):
    return [row for row in (table5_row(record, metric) for metric in OBJECTIVES) if row["best"] is not None]


def energy_improvement(record):
    """Of the one that was chosen by rate / energy: the baseline's joules by its own, less 1."""
    chosen = record["chosen"].get("ratio")
    found = ratio_of_rounds(record, BASELINE, chosen["configuration"], "energy") if chosen else None
    return None if found is None else found - 1


def improvements(records):
    """{metric: [improvement of each record]}"""
    found = {metric: [] for metric in ("rate", "ratio", "energy")}
    for record in records:
        for row in table5(record):
            found[row["metric"]].append(row["improvement"])
        found["energy"].append(energy_improvement(record))
    return {metric: [v for v in values if v is not None] for metric, values in found.items()}


# -- what is lost --

def regret(record, metric):
    """Of what was chosen, and of the paper's rule, against the best of all configurations, in the same rounds."""
    best = best_of(record, metric, names_of(record))
    chosen = record["chosen"].get(metric)
    if not best or not chosen:
        return None
    paper = record.get("paper") if metric == "rate" else None
    return {"best": best, "value": of_rounds(record, best, metric), "chosen": chosen["configuration"],
            "of_best": ratio_of_rounds(record, chosen["configuration"], best, metric),
            "by_hand": ratio_of_rounds(record, chosen["configuration"], BY_HAND, metric),
            "paper": paper and paper["configuration"],
            "paper_of_best": ratio_of_rounds(record, paper["configuration"], best, metric) if paper else None}


# -- lesson V-D --

def lesson(record, metric):
    """Does the grain that is better on the cores alone tell the grain of the best one? None: one of them is
    unknown."""
    names = names_of(record)
    coarse = best_of(record, metric, [n for n in names if split(n)[0] == "CPU-CG"])
    medium = next((n for n in names if split(n)[0] == "CPU-MG"), None)
    best = best_of(record, metric, names)
    if not coarse or not medium or not best or set(split(best)[1]) == {"0"}:
        return None  # of the cores alone it says what it is
    better_grain = of_rounds(record, medium, metric) > of_rounds(record, coarse, metric)
    return {"said": "MG" if better_grain else "CG", "best": best, "holds": better_grain == is_medium(best)}


# -- accuracy --

def deviations(record, rule, metric):
    """{kind: [predicted / measured - 1 of each configuration]}"""
    measured, found = of_passes(record, metric), {}
    for name, prediction in record["predicted"].get(rule, {}).items():
        said = value(prediction, metric)
        if name in measured and said is not None:
            found.setdefault(split(name)[0], []).append(said / measured[name] - 1)
    return found


def accuracy(records, rule, metric):
    """{kind: {"n", "mean", "most"}} of all records: sizes of the deviations, and the largest with its sign."""
    found = {}
    for record in records:
        for kind, values in deviations(record, rule, metric).items():
            found.setdefault(kind, []).extend(values)
    return {kind: {"n": len(found[kind]), "mean": statistics.mean(map(abs, found[kind])),
                   "most": max(found[kind], key=abs)} for kind in KINDS if kind in found}


def chosen_deviation(record):
    """Of the rate that was predicted for what was chosen, against that in the rounds."""
    chosen = record["chosen"].get("rate")
    measured = of_rounds(record, chosen["configuration"], "rate") if chosen else None
    said = chosen and (chosen.get("predicted") or {}).get("rate")
    return said / measured - 1 if measured and said else None


# -- section V-B: another size of frames --

def change(records, metric, now, then):
    """From the best configuration at one size to the best one at another, at the same place: what a switch gains, and
    how many seconds it takes until a training has paid (dt / (1 - 1/gain)). By energy the gain is how many more items
    a joule gives. None: one of both was not measured."""
    found = {record["key"]: record for record in records}
    if now not in found or then not in found:
        return None
    former, latter = (best_of(found[key], metric, names_of(found[key])) for key in (now, then))
    values = of_passes(found[then], metric)
    if former not in values or latter not in values:
        return None
    training = found[then]["chosen"].get("rate", {}).get("training", {})
    gain, dt = values[latter] / values[former], training.get("dt")
    gain = 1 / gain if metric == "energy" else gain
    pays = dt / (1 - 1 / gain) if dt is not None and gain > 1 else None
    return {"former": former, "latter": latter, "gain": gain - 1, "training": training, "pays": pays}


# -- figures --

def best_mask(record, kind):
    """The paper shows the coupled mask with the highest rate / energy, else rate."""
    for metric in ("ratio", "rate"):
        known = {n: v for n, v in of_passes(record, metric).items() if split(n)[0] == kind}
        if known:
            return split(max(known, key=known.get))[1]
    return None


def curve(values, kind, mask=None):
    """[(n, value)] of a kind, and of a mask where it has several."""
    return sorted((split(n)[2], v) for n, v in values.items()
                  if split(n)[0] == kind and (mask is None or split(n)[1] == mask))


def lines_of(said, kind, mask):
    """{rule: [(n, value)]}; "predicted": of all of them, where they say the same."""
    found = {rule: curve(values, kind, mask) for rule, values in said.items()}
    found = {rule: line for rule, line in found.items() if line}
    first = next(iter(found.values()), None)
    if kind == "CP-CG" or any(line != first for line in found.values()):
        return found
    return {"predicted": first} if first else {}


def figure(record, metric):
    """What a chart shows: lines predicted, marks measured, bars of medium grain."""
    measured, masks = of_passes(record, metric), {kind: best_mask(record, kind) for kind in ("CP-CG", "CP-MG")}
    said = {rule: {n: v for n, v in ((n, value(p, metric)) for n, p in found.items()) if v is not None}
            for rule, found in record["predicted"].items()}
    shown = {"lines": {}, "marks": {}, "bars": []}
    for kind in ("CPU-CG", "DP-CG", "CP-CG"):
        points = curve(measured, kind, masks.get(kind))
        name = kind + (f" {masks[kind]}" if masks.get(kind) else "")
        if points:
            shown["marks"][f"{name}, measured"] = points
            shown["lines"] |= {f"{name}, {rule}": line for rule, line in lines_of(said, kind, masks.get(kind)).items()}
    for kind in ("CPU-MG", "DP-MG", "CP-MG"):
        points = curve(measured, kind, masks.get(kind))
        line = curve(next(iter(said.values()), {}), kind, masks.get(kind))
        if points:
            shown["bars"].append({"name": kind + (f" {masks[kind]}" if masks.get(kind) else ""),
                                  "measured": points[0][1], "predicted": line[0][1] if line else None})
    return shown


# -- the space --

def space(configurations):
    """{kind: how many}"""
    kinds = [split(name)[0] for name in configurations]
    return {kind: kinds.count(kind) for kind in KINDS if kind in kinds}


# -- aims --

def aims(records):
    """[what, aim, reached, whether it is met (None: not measured)] of the issue's numbers that are measured here."""
    half = [record for record in records if record["device"]]
    found = [r for r in (regret(record, "rate") for record in half) if r]
    lost, by_hand = ([r[key] for r in found if r[key] is not None] for key in ("of_best", "by_hand"))
    lost = [max(0, 1 - of_best) for of_best in lost]  # luck of one makes up for no loss of another
    gains = improvements(half)
    off = [abs(d) for d in map(chosen_deviation, half) if d is not None]
    lines = []

    def add(what, aim, values, reached, met):
        lines.append([what, aim, reached(values) if values else None, met(values) if values else None])

    add("chosen, less than the best of all: each, mean", "10 %, 5 %", lost,
        lambda v: f"{100 * max(v):.1f} %, {100 * statistics.mean(v):.1f} %",
        lambda v: max(v) <= WITHIN and statistics.mean(v) <= WITHIN / 2)
    for metric, name in (("ratio", "rate / energy"), ("rate", "rate")):
        add(f"{name} of the chosen, × the baseline: least", "1.0", gains[metric],
            lambda v: f"{1 + min(v):.3f}", lambda v: min(v) >= 0)
    add("rate of the chosen, × the best mapping by hand, a team: least", f"{BY_HAND_LEAST}", by_hand,
        lambda v: f"{min(v):.3f}", lambda v: min(v) >= BY_HAND_LEAST)
    add("predicted rate of the chosen, farthest from measured", "10 %", off, lambda v: f"{100 * max(v):.1f} %",
        lambda v: max(v) <= WITHIN)
    return lines


def disturbed(records):
    """(runs in which others took part of the machine, all runs), and how many waited for others than the pipeline."""
    runs = [run for r in records for some in (*r["passes"].values(), *(one.values() for one in r["rounds"]))
            for run in some]
    return (sum((run.get("others") or 0) > BUSY for run in runs), len(runs), sum(run["waited"] for run in runs))
