# SPDX-License-Identifier: MIT
"""What simulated stages gave, as tables and charts: Table V, figures 4 to 8, factors of the device's times, section
V-B, accuracy. Rows that measured ones have, too, are video_report's."""

import statistics
from html import escape

from . import charts, sections as html_sections, video_report, video_simulated, video_tables

NONE, UNITS = video_report.NONE, video_report.UNITS
number, percent = video_report.number, video_report.percent
WITHIN, SHARE = 0.05, 0.90  # of the best, in so many cases
ONCE, FIXED, PREDICTED = 0.93, 1.0, 0.10
KINDS = ("CPU", "CP", "DP")
NOTE = ("Simulated: four cores and a device, by stages that sleep, in the library's real pipelines "
        "(benchmarks/mapping). A stage takes on a core what was measured on one of this machine, on the device what "
        "was measured there, by a factor. Cores don't slow each other down, and transfers take no time. Joules are the "
        "sim meter's")


def place_of(factor):
    return f"device × {factor:g}"


def at(found, factor):
    return [record for record in found["applications"] if record["factor"] == factor]


def checked(found):
    """Records that were compared with the best of all configurations."""
    return [record for factor in video_simulated.CHECKED for record in at(found, factor)]


# -- what is lost --

def of_best(found, metric):
    """What was chosen, by the best, in turn: [(record, ratio)]"""
    known = [(record, (record["chosen"].get(metric) or {}).get("of_best")) for record in checked(found)]
    return [(record, ratio) for record, ratio in known if ratio is not None]


def regrets(found):
    rows = []
    for metric in video_tables.OBJECTIVES:
        for record, ratio in of_best(found, metric):
            paper = record.get("paper") if metric == "rate" else None
            rows.append([f"{record['title']}, {place_of(record['factor'])}", UNITS[metric],
                         f"{len(record['passes'])} of {record['space']}", record["best"][metric],
                         record["chosen"][metric]["configuration"], percent(1 - ratio),
                         paper["configuration"] if paper else NONE, percent(1 - paper["of_best"]) if paper else NONE])
    return rows


# -- Table V --

def spreads(found):
    """Where medium grain was not measured."""
    ideal = sorted({record["title"] for record in found["applications"] if record["spread"] == "ideal"})
    return (f" Medium grain of {', '.join(ideal)} is ideal, a core's time by {found['cores']}: nothing was measured on "
            "several cores." if ideal else
            " Medium grain spreads each stage over four cores as far as it was measured on this machine's (Amdahl).")


def about(found):
    first = "" if found["first"] else " Its threads could not come before other processes: busy ones hold them up."
    left_out = f" --quick had no time for: {', '.join(found['left_out'])}." if found["left_out"] else ""
    return f"{NOTE} ({found['meter']}).{spreads(found)}{first}{left_out}"


def table_v(found):
    records = at(found, 1.0)
    caption, lessons = video_report.lessons(records)
    return about(found), [
        ("Simulated, nC = 4", video_report.HEAD5, video_report.table5(records)),
        ("Improvement of the chosen over the baseline: mean (least to most). The paper's are of two chips",
         ["", "the paper", "simulated", "cases"], video_report.improvements(records)),
        (caption, ["", "unit", "cores alone say", "best of all", "holds"], lessons),
        ("Aims, nC = 4, simulated", ["", "aim", "reached", ""], aim_rows(found))], []


# -- figures --

def drawn_of(record):
    for metric in video_tables.METRICS:
        shown = video_tables.figure(record, metric)
        if shown["marks"] or shown["bars"]:
            yield (f"Figure {record['figure']}, {record['title']}, {place_of(record['factor'])}: {UNITS[metric]}",
                   charts.configurations(shown, UNITS[metric]))


def pictures(found):
    records = at(found, 1.0)
    rows = [[record["title"], str(record["figure"]), str(record["space"]), str(len(record["passes"]))]
            for record in records]
    few = [record["title"] for record in records if len(record["passes"]) < record["space"]]
    note = ("Lines and bars are predicted from the training of the pipeline, marks are measured on simulated stages. "
            "Of coupled masks the one with the highest rate / energy is shown. Joules are the sim meter's.")
    if few:
        note += (f" Of {', '.join(few)} not all were measured, but those that the event simulation has first, those "
                 "without the device, and the device alone.")
    return note, [("Configurations", ["", "figure", "there are", "measured"], rows)], [
        chart for record in records for chart in drawn_of(record)]


# -- factors --

def kind_of(record):
    return record["chosen"]["rate"]["configuration"].split("-")[0]


def turns(records):
    """Where the kind of what is chosen changes, from the slowest device to the fastest: words."""
    found = []
    ordered = sorted(records, key=lambda record: -record["factor"])
    for slow, fast in zip(ordered, ordered[1:]):
        if kind_of(slow) != kind_of(fast):
            found.append(f"{kind_of(slow)} to {kind_of(fast)} between × {slow['factor']:g} and × {fast['factor']:g}")
    return "; ".join(found) or f"always {kind_of(ordered[0])}"


def sweep(found):
    """A row for each application, a column for each factor."""
    factors, rows = sorted(found["factors"], reverse=True), []
    for key in dict.fromkeys(record["key"] for record in found["applications"]):
        records = {record["factor"]: record for record in found["applications"] if record["key"] == key}
        chosen = [records[f]["chosen"]["rate"]["configuration"] if f in records else NONE for f in factors]
        title = next(iter(records.values()))["title"]
        rows.append([title, *chosen, turns(list(records.values()))])
    return ["", *(f"× {f:g}" for f in factors), "turns from"], rows


def rates(found):
    """Of what is chosen, over 1 / factor."""
    series = {}
    for record in found["applications"]:
        series.setdefault(record["title"], []).append((1 / record["factor"], record["chosen"]["rate"]["rate"]))
    return {title: sorted(points) for title, points in series.items()}


def factors(found):
    head, rows = sweep(found)
    lost = ["", "unit", "measured", "best", "chosen", "lost", "paper's rule", "lost"]
    drawn = [("Chosen, over how many times as fast the device is as measured",
              charts.lines(rates(found), "1 / factor", "items/s"))] if found["applications"] else []
    at_these = ", ".join(f"× {f:g}" for f in video_simulated.CHECKED)
    return ("Simulated. The device's times by a factor: below 1 it is faster. What is chosen for the most items/s, "
            "from the slowest device to the fastest. Losses are against the best of the configurations that were "
            f"measured, in turn with it; at {at_these}."), [
                ("What is chosen", head, rows), ("What is lost by the choice", lost, regrets(found))], drawn


# -- section V-B --

def title_of(found, key):
    return next((record["title"] for record in found["applications"] if record["key"] == key), key)


def figures_of(run):
    return [number(video_tables.value(run, metric)) for metric in video_tables.METRICS]


def lost_of(pipeline, metric):
    """Under the other one's best configuration, by what its own gives; of joules: how many more."""
    other, own = (video_tables.value(pipeline[key], metric) for key in ("other", "own"))
    if other is None or not own:
        return None
    return other / own - 1 if metric == "energy" else 1 - other / own


def switch_rows(found, one):
    """To each of them: what the old configuration gives, what the new one does, and when it has paid."""
    rows = []
    for to, other in zip(one["pipelines"], reversed(one["pipelines"])):
        trained = next(p for p in reversed(one["phases"]) if p["key"] == to["key"])
        lost = [lost_of(to, metric) for metric in video_tables.METRICS]
        name = f"{title_of(found, other['key'])} to {title_of(found, to['key'])}, {place_of(one['factor'])}"
        rows.append([name, f"{other['best']} to {to['best']}", number(trained["training"]), number(trained["dt"]),
                     NONE if to["break_even"] is None else number(to["break_even"]), *map(percent, lost)])
    return rows


def stream_rows(found, one):
    return [[f"{title_of(found, phase['key'])}, {place_of(one['factor'])}", number(phase["seconds"]),
             str(phase["trainings"]), phase["at_end"], *figures_of(phase)] for phase in one["phases"]]


def under_rows(found, one):
    rows = []
    for of, other in zip(one["pipelines"], reversed(one["pipelines"])):
        for run, name in ((of["own"], of["best"]), (of["other"], other["best"])):
            rows.append([f"{title_of(found, of['key'])}, {place_of(one['factor'])}", name, *figures_of(run)])
    return rows


def fixed(one):
    """Against the better of the two fixed."""
    return min(pipeline["of_fixed"] for pipeline in one["pipelines"])


def section_v_b(found):
    all_of = found["adaptations"]
    units = [UNITS[metric] for metric in video_tables.METRICS]
    return (f"{NOTE}. Seconds are those of this machine's stages. A training takes so long, and costs dt more than its "
            "items would have taken; after the break-even a switch to the new best configuration has paid for it. "
            "Lost: what is missing, or more joules, without the switch. The stream goes from one size to the other and "
            "back, each time for 20 dt of the training there. The paper's chip trained for 6.47 s (HD) and 0.46 s "
            "(LD), which had paid after 7.8 and 0.85 s."), [
        ("A change of size", ["", "configurations", "training, s", "dt, s", "break-even, s",
                              *(f"lost, {unit}" for unit in units)],
         [row for one in all_of for row in switch_rows(found, one)]),
        ("Each size, under its own best configuration and under the other one's", ["", "configuration", *units],
         [row for one in all_of for row in under_rows(found, one)]),
        ("Adaptive, size after size", ["", "s", "trainings", "at its end", *units],
         [row for one in all_of for row in stream_rows(found, one)]),
        ("The whole stream, by the time that others need for the same items",
         ["", "switched at once", *(f"best of {title_of(found, key)}, fixed" for key in video_simulated.ADAPT)],
         [[place_of(one["factor"]), number(one["of_once"]), *(number(p["of_fixed"]) for p in one["pipelines"])]
          for one in all_of])], []


# -- accuracy --

def accuracy(found):
    tables = []
    records = [record for record in found["applications"] if record["passes"]]
    for metric in ("rate", "energy"):
        rows = []
        for rule in ("capacity", "bounded", "paper"):
            rows += [[f"{rule}, {kind}", str(one["n"]), percent(one["mean"], False), percent(one["most"])]
                     for kind, one in video_tables.accuracy(records, rule, metric).items()]
        tables.append((f"Predicted {metric}, against measured on simulated stages: how far off",
                       ["", "configurations", "mean", "most"], rows))
    return ("Simulated. Of all configurations that were measured, at each factor. Rates and joules are predicted "
            "from what the pipeline has measured in its training. Joules are the sim meter's."), tables, []


# -- aims --

def within(values, aim):
    return sum(value >= 1 - aim for value in values) / len(values)


def aims(found):
    """[what, aim, reached, is it met]; None: not measured."""
    rows, records = [], at(found, 1.0)

    def add(what, aim, values, reached, met):
        rows.append([what, aim, reached(values) if values else None, met(values) if values else None])

    for metric, name in (("rate", "items/s"), ("ratio", "items/s/J")):
        ratios = [ratio for _, ratio in of_best(found, metric)]
        add(f"chosen within 5 % of the best of all, {name}", "90 %", ratios,
            lambda v: f"{percent(within(v, WITHIN), False)} of {len(v)}", lambda v: within(v, WITHIN) >= SHARE)
    gains = video_tables.improvements(records)
    for metric, name in (("ratio", "rate / energy"), ("rate", "rate")):
        add(f"{name} of the chosen, × the baseline: least", "1.0", gains[metric], lambda v: f"{1 + min(v):.3f}",
            lambda v: min(v) >= 0)
    off = [1 - abs(record["chosen"]["rate"]["predicted"]["rate"] / record["chosen"]["rate"]["rate"] - 1)
           for record in checked(found) if record["chosen"]["rate"]["predicted"]]
    add("predicted rate of the chosen within 10 %", "all", off,
        lambda v: (f"{percent(within(v, PREDICTED), False)} of {len(v)}, "
                   f"median {percent(1 - statistics.median(v), False)}"),
        lambda v: min(v) >= 1 - PREDICTED)
    for one in found["adaptations"]:
        where = f"LD to HD and back, {place_of(one['factor'])}, × "
        add(where + "switched at once", f"{ONCE}", [one["of_once"]], lambda v: f"{v[0]:.3f}", lambda v: v[0] >= ONCE)
        add(where + "the better one fixed", f"{FIXED}", [fixed(one)], lambda v: f"{v[0]:.3f}", lambda v: v[0] >= FIXED)
    return rows


def aim_rows(found):
    words = {None: "not measured", True: "met", False: "missed"}
    return [[what, aim, reached or NONE, words[met]] for what, aim, reached, met in aims(found)]


# -- all of them --

def entries(found):
    """(heading, note, tables, charts), as video_report has them of what was measured."""
    yield "Table V, simulated", *table_v(found)
    yield "Figures 4 to 8, simulated", *pictures(found)
    yield "Device factors", *factors(found)
    yield "Section V-B", *section_v_b(found)
    yield "Accuracy, simulated", *accuracy(found)


def body(note, tables, shown):
    drawn = charts.Charts()
    parts = [f"<p>{escape(note)}</p>\n"]
    for caption, head, rows in tables:
        if rows:
            parts += [f"<h3>{escape(caption)}</h3>\n",
                      html_sections.table_of(head, [[escape(cell) for cell in row] for row in rows])]
    parts += [f"<h3>{escape(label)}</h3>\n" + drawn.add(label, chart) for label, chart in shown]
    return drawn.put("".join(parts))


def sections(found):
    """[(heading, HTML)]"""
    return [(heading, body(note, tables, shown)) for heading, note, tables, shown in entries(found)]
