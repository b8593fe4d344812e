# SPDX-License-Identifier: MIT
"""The video applications as HTML, text and Markdown: headings with tables, whose cells are words, and charts."""

import statistics
from html import escape

from . import charts, figures, sections, video_inputs, video_paper, video_tables

NONE = "–"
ALL = ": all configurations"  # ends the caption of a table that is long
UNITS = {"rate": "items/s", "energy": "J/item", "ratio": "items/s/J"}
FIGURE4, FIGURE5 = 4, 5  # of ViVid: the first place, the others
HEADINGS = ("Table V", "Figure 4", "Figure 5", "Figure 6", "Figure 7", "Figure 8", "Section V-B", "Accuracy",
            "Device factors")


def number(value):
    return NONE if value is None else figures.number(value)


def percent(value, sign=True):
    return NONE if value is None else f"{100 * value:{'+' if sign else ''}.1f} %"


# -- Table V --

HEAD5 = ["", "", "CPU MG", "CPU CG", "device", "baseline", "best", "improvement", "configuration"]


def table5(records):
    rows = []
    for record in records:
        for row in video_tables.table5(record):
            coarse = number(row["CPU CG"]) + (f" ({row['CPU CG n']})" if row["CPU CG n"] else "")
            rows.append([f"{record['title']}, {record['place']}", UNITS[row["metric"]], number(row["CPU MG"]), coarse,
                         number(row["device"]), number(row["baseline"]), number(row["best"]),
                         percent(row["improvement"]), row["configuration"]])
    return rows


def table5_paper(records):
    titles, rows = {record["key"]: record["title"] for record in records}, []
    for key, title in titles.items():
        for metric, values in video_paper.VALUES.items():
            for chip, (*cells, baseline, best, name) in zip(video_paper.CHIPS, values.get(key, ())):
                rows.append([f"{title}, {chip}", UNITS[metric], *map(number, cells), number(baseline), number(best),
                             percent(best / baseline - 1), name])
    return rows


def improvements(records):
    rows = []
    for metric, values in video_tables.improvements(records).items():
        mean, least, most = video_paper.IMPROVED[metric]
        rows.append([{"rate": "rate", "ratio": "rate / energy", "energy": "energy"}[metric],
                     f"{percent(mean)} ({percent(least)} to {percent(most)})",
                     f"{percent(statistics.mean(values))} ({percent(min(values))} to {percent(max(values))})"
                     if values else NONE, str(len(values))])
    return rows


def regrets(records):
    rows = []
    for record in records:
        for metric in video_tables.OBJECTIVES:
            found = video_tables.regret(record, metric)
            if found:
                rows.append([f"{record['title']}, {record['place']}", UNITS[metric], str(len(record["passes"])),
                             found["best"], number(found["value"]), found["chosen"],
                             percent(None if found["of_best"] is None else 1 - found["of_best"], False),
                             found["paper"] or NONE,
                             percent(None if found["paper_of_best"] is None else 1 - found["paper_of_best"], False),
                             (record.get("by_hand") or NONE) if metric == "rate" else NONE, number(found["by_hand"])])
    return rows


def lessons(records):
    found = [(record, metric, video_tables.lesson(record, metric)) for record in records
             for metric in video_tables.OBJECTIVES]
    found = [entry for entry in found if entry[2]]
    held, (paper, of) = sum(entry[2]["holds"] for entry in found), video_paper.LESSON
    rows = [[f"{record['title']}, {record['place']}", UNITS[metric], said["said"], said["best"],
             "yes" if said["holds"] else "no"] for record, metric, said in found]
    return (f"Lesson V-D: the grain that is better on the cores alone is that of the best configuration. Here in "
            f"{held} of {len(found)} cases in which a device takes part, in the paper in {paper} of {of}"), rows


def spaces(counts):
    titles = {application.key: application.title for application in video_inputs.ALL} | {"vivid-ld": "ViVid"}
    rows = []
    for key, kinds in counts.items():
        coupled = sum(n for kind, n in kinds.items() if not kind.startswith("CPU"))
        rows.append([titles.get(key, key), str(video_paper.SPACE.get(key, NONE)), str(sum(kinds.values())),
                     str(coupled), ", ".join(f"{kind} {n}" for kind, n in kinds.items())])
    return rows


def aims(records):
    words = {None: "not measured", True: "met", False: "missed"}
    return [[what, aim, reached or NONE, words[met]] for what, aim, reached, met in video_tables.aims(records)]


def joules(found):
    """What they were read from: they may be simulated where all else is measured."""
    meter = found.get("meter") or {}
    how = ", ".join(meter.get("joules", [])) or "not told"
    return f"Joules here are the meter's '{meter.get('name', 'none')}' ({how})"


def about(found):
    busy, count, waited = video_tables.disturbed(found["applications"])
    return (f"{video_paper.SOURCE}. {joules(found)}; rates are of "
            "whole programs at generated frames, behind start-up, training and the first window. What is chosen, what "
            "is best and the baseline ran in turn: ratios are of one round, all figures medians. Device: all stages on "
            "it, by one thread. Threads are bound to no core: two of them on the cores have that of half a PoCL "
            "device, too. Of Scene the paper has no row, and the program no medium grain. In "
            f"{busy} of {count} runs other processes took more than a twentieth of the machine; in {waited} the "
            "pipeline waited for its input or output. By hand: stages one by one, those of the mask on the device, "
            "under a team of all cores, of whole runs.")


def table_v(found):
    records = found["applications"]
    caption, held = lessons(records)
    head = ["", "unit", "configurations", "best of all", "", "chosen", "lost", "paper's rule", "lost", "by hand",
            "chosen × by hand"]
    return about(found), [
        ("Measured", HEAD5, table5(records)),
        ("The paper", HEAD5, table5_paper(records)),
        ("Improvement of the chosen over the baseline: mean (least to most). The paper's are of two chips",
         ["", "the paper", "here", "cases"], improvements(records)),
        ("What is lost by the choice, against the best of all configurations", head, regrets(records)),
        (caption, ["", "unit", "cores alone say", "best of all", "holds"], held),
        ("Configurations with four cores", ["", "the paper", "here", "with a device", "of each kind"],
         spaces(found["space"])),
        ("Aims, nC = 1 beside a device", ["", "aim", "reached", ""], aims(records)),
    ], []


# -- figures --

def all_configurations(record):
    """The chosen and the best one marked."""
    found = {metric: video_tables.regret(record, metric) or {} for metric in video_tables.OBJECTIVES}
    chosen = {metric: (record["chosen"].get(metric) or {}).get("configuration") for metric in found}
    rows = []
    for name, runs in record["passes"].items():
        one = {metric: video_tables.median(video_tables.value(run, metric) for run in runs)
               for metric in video_tables.METRICS}
        marks = [f"{word} ({UNITS[metric]})" for metric in found
                 for word, which in (("chosen", chosen[metric]), ("best", found[metric].get("best"))) if which == name]
        said = [record["predicted"].get(rule, {}).get(name, {}).get("rate") for rule in record["predicted"]]
        rows.append([name, *(number(one[metric]) for metric in video_tables.METRICS), *map(number, said),
                     ", ".join(marks)])
    return sorted(rows, key=lambda row: -video_tables.of_passes(record, "rate").get(row[0], 0))


def figure_of(number_of, found):
    """ViVid at the first place is figure 4, at others figure 5, as the paper's two chips."""
    records = [r for r in found["applications"] if r["figure"] == number_of]
    if number_of in (FIGURE4, FIGURE5):
        vivid = [r for r in found["applications"] if r["figure"] == FIGURE4]
        first = vivid[0]["place"] if vivid else None
        records = [r for r in vivid if (r["place"] == first) == (number_of == FIGURE4)]
    tables, drawn = [], []
    for record in records:
        where = f"{record['title']}, {record['size']}, {record['place']}"
        head = ["", *(UNITS[metric] for metric in video_tables.METRICS),
                *(f"{rule}, items/s" for rule in record["predicted"]), ""]
        tables.append((where + ALL, head, all_configurations(record)))
        for metric in video_tables.METRICS:
            shown = video_tables.figure(record, metric)
            if shown["marks"] or shown["bars"]:
                drawn.append((f"{where}: {UNITS[metric]}", charts.configurations(shown, UNITS[metric])))
    return ("Lines and bars are predicted from the training, marks are measured. Of coupled masks the one with the "
            f"highest rate / energy is shown. {joules(found)}."), tables, drawn


# -- section V-B --

def changes(found):
    """From LD to HD and back, at each place where both were measured."""
    rows = []
    for place in dict.fromkeys(record["place"] for record in found["applications"]):
        records = [record for record in found["applications"] if record["place"] == place]
        for now, then, name in (("vivid-ld", "vivid-hd", "LD to HD"), ("vivid-hd", "vivid-ld", "HD to LD")):
            for metric in video_tables.METRICS:
                one = video_tables.change(records, metric, now, then)
                if one:
                    training = one["training"]
                    rows.append([f"{name}, {place}", UNITS[metric], one["former"], one["latter"], percent(one["gain"]),
                                 *map(number, (training.get("items"), training.get("seconds"), training.get("dt"),
                                               one["pays"]))])
    return ("What the best configuration of the new size gains over that of the former one; of joules, how many more "
            f"items one gives. {joules(found)}. A training's time has its candidates in it; dt is what it cost more "
            "than running. The paper: +81 % and +30 % items/s, trainings of "
            "6.47 s and 0.46 s, which pay after 7.8 s and 0.85 s."), [
        ("ViVid, measured", ["", "", "former", "best", "gain", "training, items", "s", "dt, s", "pays after, s"],
         rows)], []


# -- accuracy --

def accuracy(found):
    records, tables = found["applications"], []
    for metric, name in (("rate", "rate"), ("energy", "energy")):
        rows = []
        for rule in ("capacity", "bounded", "paper"):
            of = video_tables.accuracy(records, rule, metric)
            rows += [[f"{rule}, {kind}", str(one["n"]), percent(one["mean"], False), percent(one["most"])]
                     for kind, one in of.items()]
        tables.append((f"Predicted {name}, against measured: how far off",
                       ["", "configurations", "mean", "most"], rows))
    rows = [[f"{record['title']}, {record['place']}", record["chosen"]["rate"]["configuration"],
             percent(video_tables.chosen_deviation(record))] for record in records if record["chosen"].get("rate")]
    tables.append(("The chosen ones, by the rule capacity", ["", "configuration", "predicted rate is off by"], rows))
    return (f"The paper says {video_paper.ACCURACY} of its own rule, on the configurations that it shows. "
            f"{joules(found)}."), tables, []


# -- all of them --

def simulated(found):
    """The same of simulated stages."""
    from . import video_simulated_report  # which imports this
    if found.get("simulated"):
        yield from video_simulated_report.entries(found["simulated"])
    else:
        yield from ((heading, "Of simulated stages.", [], []) for heading in ("Section V-B", "Device factors"))


def entries(found):
    """(heading, note, tables, charts) in the paper's order; simulated ones behind these."""
    yield "Table V", *table_v(found)
    for key in range(FIGURE4, 9):
        yield f"Figure {key}", *figure_of(key, found)
    yield "Section V-B, measured", *changes(found)
    yield "Accuracy", *accuracy(found)
    yield from simulated(found)


def told(found):
    """For JSON: what the report says, under its headings; what the charts show is in the tables and the records."""
    return [{"heading": heading, "note": note, "charts": [label for label, _ in pictures],
             "tables": [{"caption": caption, "head": head, "rows": rows} for caption, head, rows in tables if rows]}
            for heading, note, tables, pictures in entries(found)]


def html(found, drawn):
    if not found:
        return ""
    parts = ["<h2>Video applications</h2>\n"]
    for heading, note, tables, pictures in entries(found):
        parts.append(f"<h2>{heading}</h2>\n<p>{escape(note)}</p>\n")
        shown = [table for table in tables if table[2]]
        if not shown and not pictures:
            parts.append("<p>Not measured.</p>\n")
        for caption, head, rows in shown:
            table = sections.table_of(head, [[escape(cell) for cell in row] for row in rows])
            many = len(rows) > 30
            parts.append(f"<details><summary>{escape(caption)}</summary>\n{table}</details>\n" if many
                         else f"<h3>{escape(caption)}</h3>\n{table}")
        parts += [f"<h3>{escape(label)}</h3>\n" + drawn.add(label, chart) for label, chart in pictures]
    return "".join(parts)


def kept(found):
    """(heading, note, tables) for text and Markdown, without what is long: all configurations are in JSON and HTML."""
    for heading, note, tables, _ in entries(found) if found else ():
        short = [table for table in tables if table[2] and not table[0].endswith(ALL)]
        if short:
            yield heading, note, short
