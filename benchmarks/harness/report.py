# SPDX-License-Identifier: MIT
"""The report: one HTML file that needs nothing from outside; and the same figures as text."""

import textwrap
from html import escape

from . import aims, charts, figures, sections, sweeps, video_report
from .sections import STATES, ratio, table_of

STYLE = """
:root { color-scheme: light dark; --back: #fcfcfa; --ink: #1c1e21; --soft: #5c6370; --rule: #d8dade;
 --good: #1a7f37; --bad: #b3261e }
@media (prefers-color-scheme: dark) { :root { --back: #16181c; --ink: #e4e6ea; --soft: #9aa1ad;
 --rule: #363b44; --good: #57c278; --bad: #f08078 } }
body { background: var(--back); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; max-width: 1150px;
 margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.6rem } h2 { font-size: 1.2rem; margin-top: 2.5rem; border-top: 1px solid var(--rule);
 padding-top: 1rem }
h3 { font-size: 1rem } p, li, dd { color: var(--soft) } .scroll { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .15rem .6rem; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap }
td.text { white-space: normal }
th { color: var(--soft); font-weight: 600 }
th:first-child, td:first-child, td.text, th.text { text-align: left }
small { color: var(--soft) } .met { color: var(--good) } .missed, .failure { color: var(--bad) }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem } dt { font-weight: 600 }
dd { margin: 0 } svg { max-width: 100%; height: auto; margin: .6rem 0 }
svg [fill=black] { fill: var(--ink) } svg [stroke=black] { stroke: var(--ink) }
.key { margin-right: 1.2rem } .key i { display: inline-block; width: .9em; height: .9em; margin-right: .35em }
summary { cursor: pointer; color: var(--soft); margin: .4rem 0 } small { white-space: nowrap; font-size: 11px }
.beside { font-size: 13px; line-height: 1.35 } .beside th { white-space: normal; vertical-align: bottom }
.beside th, .beside td { padding: .15rem .3rem } .beside td { vertical-align: top } 
.beside .first { padding-left: .5rem }
.beside .text { white-space: normal; min-width: 7.2rem } .beside .group th { text-align: left; padding-top: .6rem }
td.words { white-space: normal; text-align: left; min-width: 14rem } td.words small { white-space: normal }
.beside thead tr + tr th:first-child { text-align: right }
table.sentences thead th { text-align: left !important }
""" + "".join(f".key i.{role} {{ background: {colour} }}\n" for role, colour in charts.ROLES.items())

ROLES = {"library": "Penstock", "serial": "one thread", "ideal": "two threads that share nothing",
         "peer": "peer",
         "limit": "by hand", "baseline": "DAL"}
TEXT_WIDTH = 100  # of sentences on a terminal
AGAINST = {"serial": "serial", "ideal": "the ideal", "peer": "the best peer", "limit": "by hand",
           "baseline": "DAL", "library": "the named one of Penstock's"}
NOTE = """A ratio says how many times as fast as what it is compared with, in the same round: above 1 is
faster. Of several that it could be compared with it is the fastest one of that round, so another one in
another round, which favours them; "the steady peer" is the one peer whose median is highest. Figures are
medians; what was least and most stands below them. How long a cache line takes from one core to another,
measured before and after each run, tells whether they were near or far; the two stand side by side, and
runs in which that changed, or others used the cores, count for neither."""


BEST = 5  # variants of a kind that are shown; the rest is folded


def stacked(row):
    """A median; below it what was least and most, and of how many rounds."""
    rounds = f"{row['n']} round{'s' if row['n'] > 1 else ''}"
    return (f"{figures.number(row['median'])}<br><small>{figures.number(row['least'])}–{figures.number(row['most'])}"
            f"<br>{rounds}</small>")


def stacked_ratio(found, than=None):
    tip = f' title="{escape(than, quote=True)}"' if than else ""
    return f"<span{tip}>{sections.stacked(found)}</span>"


def by_name(table, states):
    """{name: {state: row}}, the best of each role first: in the first of the states that it was seen in."""
    found = {}
    for of in table["figures"]["states"]:
        if of["state"] in states:
            for row in of["rows"]:
                found.setdefault(row["name"], {})[of["state"]] = row
    order = [role for role in ROLES]
    sign = 1 if table["times"] else -1

    def rank(name):
        state, row = next(iter(found[name].items()))
        return order.index(row["role"]), states.index(state), sign * row["median"]
    return {name: found[name] for name in sorted(found, key=rank)}


def role_of(of):
    return next(iter(of.values()))["role"]


def best_and_rest(found):
    """Names in two lists."""
    counts, best, rest = {}, [], []
    for name, of in found.items():
        role = role_of(of)
        counts[role] = counts.get(role, 0) + 1
        (best if counts[role] <= BEST else rest).append(name)
    return best, rest


def figure_heads(table, found, states):
    """(words, how a row fills the cell), of what at least one row has."""
    rows = [row for of in found.values() for row in of.values()]
    heads = [(table["unit"], stacked)]
    for role, words in AGAINST.items():
        if any(role in row["against"] for row in rows):
            heads.append((f"× {words}", lambda row, role=role: role in row["against"] and
                          stacked_ratio(row["against"][role])))
    if any("peer" in row["against_champion"] for row in rows):
        heads.append(("× the steady peer", lambda row: "peer" in row["against_champion"] and stacked_ratio(
            row["against_champion"]["peer"], row["against_champion"]["peer"]["than"])))
    return heads


def resource_heads(table):
    heads = [("cores used", lambda row: f"{row['cores']:.2f}"),
             ("switches an item", lambda row: figures.number(row["switches"]))]
    return heads + ([("resident, MB", lambda row: f"{row['peak_bytes'] / 1e6:.1f}")]
                    if sections.tells_resident(table) else [])


def variants_table(found, names, heads, states):
    lines, role = [], None
    for name in names:
        of = found[name]
        if role_of(of) != role:
            role = role_of(of)
            lines.append(ROLES[role])
        label = next(iter(of.values()))["label"]
        lines.append([escape(label), *({state: fill(row) or "–" for state, row in of.items()} for _, fill in heads)])
    return sections.beside([""], [(words, states) for words, _ in heads], lines)


def bars_of(found, names, states):
    """For the chart: the states of a variant below each other."""
    several = len({state for name in names for state in found[name]}) > 1
    return [{**row, "label": row["label"] + (f", {sections.SHORT[state]}" if several else "")}
            for name in names for state, row in found[name].items()]


def figures_of(table, states, drawn):
    """The best variants of each kind in these states, beside each other, and as bars; the others folded."""
    found = by_name(table, states)
    best, rest = best_and_rest(found)
    heads = figure_heads(table, found, states)
    parts = [variants_table(found, best, heads, states)]
    if rest:
        parts.append(f"<details><summary>{len(rest)} more, slower than the best {BEST} of their kind</summary>\n"
                     f"{variants_table(found, rest, heads, states)}</details>\n")
    parts.append("<details><summary>cores used, switches, memory</summary>\n"
                 f"{variants_table(found, [*best, *rest], resource_heads(table), states)}</details>\n")
    return "".join(parts) + drawn.add(f"{table['title']}: medians", charts.bars(bars_of(found, best, states),
                                                                                table["unit"]))


def hidden(table):
    return f"{table['figures']['hidden']} of {table['figures']['several']} runs on several cores"


def rounds_text(table, options):
    """In how many rounds a table's variants ran."""
    run = table.get("rounds", 0)
    return f"{run} of {options['rounds']} rounds" + (", then time was up" if options.get("minutes") and
                                                     run < options["rounds"] else "")


def unseen(states, of):
    """Of near and far what was not seen, as words."""
    missing = [state for state in states if state not in of] if len(states) > 1 else []
    return f" No run that counts was {' or '.join(missing)}." if missing else ""


def section(table, drawn, options):
    states = [of["state"] for of in table["figures"]["states"]]
    found = [f"<h2>{escape(table['title'])}</h2>\n<p>{table['items']} items a run, fewer where slow; "
             f"{rounds_text(table, options)}.</p>\n"]
    if not states:
        found.append('<p class="failure">No run.</p>\n')
    for group in sections.groups_of(states):
        heading = "Cores near, cores far" if len(group) > 1 else sections.STATES[group[0]].capitalize()
        note = " Don't quote these: few runs or none were near or far." if group == ("any",) else \
            unseen(group, states)
        found += [f"<h3>{heading}</h3>\n", f"<p>{note.strip()}</p>\n" if note else "",
                  figures_of(table, group, drawn)]
    for of in table["figures"]["states"]:
        for word, series in sweeps.in_table(table, of["rows"]).items():
            label = f"{table['title']}: {table['unit']} over {word}"
            found += [f"<p>Over {escape(word)}, {STATES[of['state']]}:</p>\n",
                      drawn.add(label, charts.lines(series, word, table["unit"]))]
    if table["figures"]["hidden"]:
        found.append(f"<p>{hidden(table)} are not shown: neither near nor far, or others were busy.</p>\n")
    return "".join(found)


def aim_reached(line):
    """The ratio that counts, whether that is enough, the other ratio."""
    kind = {None: "", True: "met", False: "missed"}[line["met"]]
    said = f'<span class="{kind}">{aims.verdict(line)}</span>{escape(aims.without_text(line))}'
    if "both" not in line:
        return f"<strong>{figures.number(line['median'])}</strong> {escape(line['unit'])}<br>{said}"
    steady = aims.RIVALS.index(line.get("rival", aims.RIVALS[0]))
    other = line["both"][aims.RIVALS[1 - steady]]
    of = "the fastest of each round" if steady else other["than"]
    return (f"<strong>{line['median']:.3f}</strong> {said}<br><small>{escape(line['variant'])}; {other['median']:.3f} "
            f"of {escape(of)}</small>")


def aim_head(line):
    against = f", × {AGAINST[line['against']]}" if "against" in line else ""
    return f"{line['what']}{against}: {aims.bound_text(line)}"


def aims_section(lines):
    if not lines:
        return ""
    rows, heads, columns = {}, [], []
    for line in lines:
        rows.setdefault((aim_head(line), line.get("title", "")), {})[line.get("state", "")] = line
    columns = [group for group in sections.GROUPS if set(group) & {state for of in rows.values() for state in of}] \
        or [sections.GROUPS[0]]
    heads, cells = [("", group) for group in columns], []
    for (head, title), of in rows.items():
        if not cells or head != cells[-1][0]:
            cells.append((head, []))
        if "" in of:
            cells[-1][1].append(["not measured", *({} for _ in heads)])
        else:
            filled = {state: aim_reached(line) for state, line in of.items()}
            cells[-1][1].append([escape(title), *(filled for _ in heads)])
    found = [line for head, of in cells for line in (head, *of)]
    return ("<h2>Aims</h2>\n<p>The ratio that counts is bold: to the fastest of each round, unless the aim "
            f"says otherwise. {sections.EMPTY}</p>\n" + sections.beside([""], heads, found, True))


def lines_text(tables):
    """How long a cache line took in the runs of each state."""
    said = {}
    for state in ("near", "far"):
        found = sorted(ns for table in tables for run in table["runs"] if run["state"] == state
                       for ns in run.get("probe_ns", []))
        if found:
            said[f"a cache line, {state}"] = (f"{figures.number(found[len(found) // 2])} ns, "
                                              f"{figures.number(found[0])} to {figures.number(found[-1])}")
    return said


def facts_section(result, lines=None):
    """lines: of a cache line, as lines_text() says them."""
    machine = result["machine"]
    facts = {"date": f"{result['began']} to {result['ended']}"}
    facts |= {key: value for key, value in machine.items() if isinstance(value, (str, int))}
    facts |= lines or {}
    libraries = ", ".join(f"{k} {v}" for k, v in machine["libraries"].items())
    facts["libraries"] = libraries or "none of the peers'"
    facts["packages"] = ", ".join(f"{k} {v}" for k, v in machine["packages"].items()) or "none of the peers'"
    facts["load before"] = " ".join(f"{x:.2f}" for x in machine["load"])
    if "load_after" in machine:
        facts["load after"] = " ".join(f"{x:.2f}" for x in machine["load_after"])
    rows = "".join(f"<dt>{escape(key)}</dt><dd>{escape(str(value))}</dd>\n" for key, value in facts.items())
    return f"<h2>Machine</h2>\n<dl>{rows}</dl>\n"


def list_section(title, lines, kind):
    if not lines:
        return ""
    items = "".join(f'<li class="{kind}">{escape(line)}</li>\n' for line in lines)
    return f"<h2>{title}</h2>\n<ul>{items}</ul>\n"


def failure_text(failure):
    where = [failure[key] for key in ("table", "variant") if key in failure]
    return f"{failure['program']}{' (' + ': '.join(where) + ')' if where else ''}: {failure['what']}"


def html(result):
    """The whole page."""
    options, drawn = result["options"], charts.Charts()
    rounds = f", {sections.rounds_text(result)} of {options['seconds']:g} s a run" if result["tables"] else ""
    state = "" if result["complete"] else ' <span class="failure">It was ended early.</span>'
    key = "".join(f'<span class="key"><i class="{role}"></i>{name}</span>' for role, name in ROLES.items())
    parts = ['<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
             '<meta name="viewport" content="width=device-width">\n<title>Penstock benchmarks</title>\n'
             f"<style>{STYLE}</style>\n</head>\n<body>\n<h1>Penstock benchmarks</h1>\n"
             f"<p>{escape(result['began'])}{rounds}.{state}</p>\n<p>{NOTE}</p>\n<p>{key}</p>\n",
             list_section("Failures", map(failure_text, result["failures"]) if result["failures"] else [],
                          "failure"),
             sections.main_html(result["main"]),
             aims_section(result["aims"]) if result["tables"] or not result.get("video") else "",
             sections.paper_html(result["paper"]), sections.ablation_html(result["ablation"]),
             *(section(table, drawn, options) for table in result["tables"])]
    for title, sweep, unit, series in sweeps.families(result["tables"]):
        parts += [f"<h2>{escape(title)}</h2>\n", drawn.add(title, charts.lines(series, sweep, unit))]
    parts += [video_report.html(result.get("video"), drawn), sections.memory_html(result["tables"]),
              list_section("Absent", [f"{a['what']}: {a['why']}" for a in result["absent"]], "absent"),
              facts_section(result, lines_text(result["tables"])), "</body>\n</html>\n"]
    return drawn.put("".join(parts))


# -- as text --

def columns(lines):
    """Words of equal width, the first of a line on the left, the others on the right."""
    widths = [max(map(len, column)) for column in zip(*lines)]
    return ["  ".join([line[0].ljust(widths[0]), *(word.rjust(width)
                                                   for word, width in zip(line[1:], widths[1:]))]).rstrip()
            for line in lines]


def text_heads(found):
    """(words, how a row fills the cell); what no row is compared with has no column."""
    rows = [row for of in found.values() for row in of.values()]
    kinds = [("against", role, AGAINST[role]) for role in AGAINST] + [("against_champion", "peer", "the steady peer")]
    heads = [("n", lambda row: str(row["n"])), ("median", lambda row: figures.number(row["median"])),
             ("least", lambda row: figures.number(row["least"])), ("most", lambda row: figures.number(row["most"]))]
    return heads + [(f"x {words}", lambda row, key=key, role=role: f"{row[key][role]['median']:.3f}"
                     if role in row[key] else "-")
                    for key, role, words in kinds if any(role in row[key] for row in rows)]


def text_rows(table, states):
    """With a head, and the states of a figure beside each other."""
    found = by_name(table, states)
    heads = text_heads(found)
    lines = [[table["unit"], *(words if not i else "" for words, _ in heads for i in range(len(states)))]]
    if len(states) > 1:
        lines.append(["", *(sections.SHORT[state] for _ in heads for state in states)])
    for of in found.values():
        lines.append([next(iter(of.values()))["label"],
                      *(fill(of[state]) if state in of else "-" for _, fill in heads for state in states)])
    return columns(lines)


def text_table(table, options):
    lines = []
    states = [of["state"] for of in table["figures"]["states"]]
    for group in sections.groups_of(states):
        what = "cores near and far" if len(group) > 1 else STATES[group[0]]
        lines += ["", f"{table['title']}, {what}, {rounds_text(table, options)}.{unseen(group, states)}",
                  *text_rows(table, group)]
    if table["figures"]["hidden"]:
        lines.append(f"{hidden(table)} not shown: neither near nor far, or others were busy")
    return lines


def aim_text(line):
    if "against" not in line:
        if "n" not in line:
            return f"{line['what']} ({aims.bound_text(line)}): {aims.verdict(line)}"
        return (f"{line['what']}: {figures.number(line['median'])} {line['unit']} ({aims.bound_text(line)}): "
                f"{aims.verdict(line)}  [{line['title']} / {line['variant']} / {STATES[line['state']]}]")
    against = f"{AGAINST[line['against']]} ({aims.bound_text(line)})"
    if "n" not in line:
        return f"{line['what']}: against {against}: {aims.verdict(line)}"
    steady = line.get("rival") == "median"
    other = line["both"]["round" if steady else "median"]
    of = "the fastest of each round" if steady else other["than"]
    return (f"{line['what']}: {line['median']:.3f} of {against}: {aims.verdict(line)}; "
            f"{other['median']:.3f} of {of}{aims.without_text(line)}  [{line['title']} / {line['variant']} / "
            f"{STATES[line['state']]}]")


def aims_text(result):
    """What --only leaves out need not be told aim by aim."""
    only = result["options"]["only"]
    said = [line for line in result["aims"] if "n" in line or not only]
    lines = ["", "aims" + (f" (only '{only}' was run: rivals may be missing)" if only else "")]
    lines += [aim_text(line) for line in said]
    left = len(result["aims"]) - len(said)
    return lines + ([f"{left} not measured"] if left else []) if result["aims"] else []


def text(result):
    lines = []
    for table in result["tables"]:
        lines += text_table(table, result["options"])
    lines += sections.paper_text(result["paper"]) + sections.ablation_text(result["ablation"])
    for heading, note, tables in video_report.kept(result.get("video")):
        lines += ["", *textwrap.wrap(f"{heading}. {note}", TEXT_WIDTH, break_on_hyphens=False)]
        for caption, head, rows in tables:
            lines += ["", f"{heading}: {caption}", *columns([head, *rows])]
    lines += aims_text(result) if result["tables"] else []
    for what, found in (("absent", result["absent"]), ("failed", result["failures"])):
        lines += [f"{what}: {a['what']}: {a['why']}" if what == "absent" else f"{what}: {failure_text(a)}"
                  for a in found]
    return "\n".join(lines).lstrip("\n")
