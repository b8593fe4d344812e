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
body { background: var(--back); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; max-width: 1080px;
 margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.6rem } h2 { font-size: 1.2rem; margin-top: 2.5rem; border-top: 1px solid var(--rule);
 padding-top: 1rem }
h3 { font-size: 1rem } p, li, dd { color: var(--soft) } .scroll { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .15rem .6rem; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap }
th { color: var(--soft); font-weight: 600 }
th:first-child, td:first-child, td.text, th.text { text-align: left }
small { color: var(--soft) } .met { color: var(--good) } .missed, .failure { color: var(--bad) }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem } dt { font-weight: 600 }
dd { margin: 0 } svg { max-width: 100%; height: auto; margin: .6rem 0 }
svg [fill=black] { fill: var(--ink) } svg [stroke=black] { stroke: var(--ink) }
.key { margin-right: 1.2rem } .key i { display: inline-block; width: .9em; height: .9em; margin-right: .35em }
.wrap th { white-space: normal; vertical-align: bottom } summary { cursor: pointer }
""" + "".join(f".key i.{role} {{ background: {colour} }}\n" for role, colour in charts.ROLES.items())

ROLES = {"library": "Penstock", "serial": "one thread", "ideal": "two threads that share nothing",
         "peer": "peer",
         "limit": "by hand", "baseline": "DAL"}
TEXT_WIDTH = 100  # of sentences on a terminal
AGAINST = {"serial": "serial", "ideal": "the ideal", "peer": "the best peer", "limit": "by hand",
           "baseline": "DAL"}
NOTE = """A ratio says how many times as fast as what it is compared with, in the same round: above 1 is
faster. Of several that it could be compared with it is the fastest one of that round, so another one in
another round, which favours them; "the steady peer" is the one peer whose median is highest. Figures are
medians; what was least and most stands beside them. A cache line's way between two cores, measured before
and after each run, tells whether they were near or far; the two are apart, and runs in which that changed,
or others used the cores, count for neither."""


def steady_ratio(row):
    """To the peer whose median is highest, with its name."""
    found = row["against_champion"].get("peer")
    return f'<span title="{escape(found["than"], quote=True)}">{ratio(found)}</span>' if found else "–"


def figures_of(table, rows, drawn):
    """A state's table and bars."""
    roles = [role for role in AGAINST if any(role in row["against"] for row in rows)]
    steady = any("peer" in row["against_champion"] for row in rows)
    resident = sections.tells_resident(table)
    head = ["", "", "runs", table["unit"], "least", "most", *(f"× {AGAINST[role]}" for role in roles),
            *(["× the steady peer"] if steady else []),
            "cores used", "switches an item", *(["resident, MB"] if resident else [])]
    cells = [[escape(row["label"]), ROLES[row["role"]], row["n"], figures.number(row["median"]),
              figures.number(row["least"]), figures.number(row["most"]),
              *(ratio(row["against"].get(role)) for role in roles),
              *([steady_ratio(row)] if steady else []), f"{row['cores']:.2f}",
              figures.number(row["switches"]), *([f"{row['peak_bytes'] / 1e6:.1f}"] if resident else [])]
             for row in rows]
    return table_of(head, cells, 2) + drawn.add(f"{table['title']}: medians", charts.bars(rows, table["unit"]))


def hidden(table):
    return f"{table['figures']['hidden']} of {table['figures']['several']} runs on several cores"


def section(table, drawn):
    found = [f"<h2>{escape(table['title'])}</h2>\n<p>{table['items']} items a run, fewer where slow.</p>\n"]
    if not table["figures"]["states"]:
        found.append('<p class="failure">No run.</p>\n')
    for state in table["figures"]["states"]:
        found += [f"<h3>{STATES[state['state']]}</h3>\n", figures_of(table, state["rows"], drawn)]
        for word, series in sweeps.in_table(table, state["rows"]).items():
            label = f"{table['title']}: {table['unit']} over {word}"
            found += [f"<p>Over {escape(word)}, {STATES[state['state']]}:</p>\n",
                      drawn.add(label, charts.lines(series, word, table["unit"]))]
    if table["figures"]["hidden"]:
        found.append(f"<p>{hidden(table)} are not shown: neither near nor far, or others were busy.</p>\n")
    return "".join(found)


def both_ratios(line):
    """The fastest of each round, the best by its median with its name."""
    if "n" not in line:
        return ["–", "–"]
    steady = line["both"]["median"]
    cells = [ratio(line["both"]["round"]), f"{ratio(steady)} <small>{escape(steady['than'])}</small>"]
    counts = aims.RIVALS.index(line.get("rival", aims.RIVALS[0]))
    return [f"<strong>{cell}</strong>" if i == counts else cell for i, cell in enumerate(cells)]


def aims_section(lines):
    if not lines:
        return ""
    cells = []
    for line in lines:
        kind = {None: "", True: "met", False: "missed"}[line["met"]]
        measured = [line.get("title", "–"), line.get("state", "–"),
                    line.get("variant", "") if "n" in line else "–"]
        cells.append([escape(line["what"]), *map(escape, measured), escape(AGAINST[line["against"]]),
                      *both_ratios(line), f"{line['at_least']:.2f}",
                      f'<span class="{kind}">{aims.verdict(line)}</span>{escape(aims.without_text(line))}'])
    head = ["", "table", "cores", "variant", "against", "× the fastest of each round",
            "× the one with the highest median", "at least", ""]
    return ("<h2>Aims</h2>\n<p>The ratio that counts is bold: to the fastest of each round, unless the aim "
            "says otherwise.</p>\n" + table_of(head, cells, 5))


def facts_section(result):
    machine = result["machine"]
    facts = {"date": f"{result['began']} to {result['ended']}"}
    facts |= {key: value for key, value in machine.items() if isinstance(value, (str, int))}
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
    rounds = f", {result['rounds']} of {options['rounds']} rounds of {options['seconds']:g} s a run" \
        if result["tables"] else ""
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
             *(section(table, drawn) for table in result["tables"])]
    for title, sweep, unit, series in sweeps.families(result["tables"]):
        parts += [f"<h2>{escape(title)}</h2>\n", drawn.add(title, charts.lines(series, sweep, unit))]
    parts += [video_report.html(result.get("video"), drawn), sections.memory_html(result["tables"]),
              list_section("Absent", [f"{a['what']}: {a['why']}" for a in result["absent"]], "absent"),
              facts_section(result), "</body>\n</html>\n"]
    return drawn.put("".join(parts))


# -- as text --

def columns(lines):
    """Words of equal width, the first of a line on the left, the others on the right."""
    widths = [max(map(len, column)) for column in zip(*lines)]
    return ["  ".join([line[0].ljust(widths[0]), *(word.rjust(width)
                                                   for word, width in zip(line[1:], widths[1:]))]).rstrip()
            for line in lines]


def text_rows(table, rows):
    """With a head; what no row is compared with has no column."""
    kinds = [("against", role, AGAINST[role]) for role in AGAINST]
    kinds.append(("against_champion", "peer", "the steady peer"))
    kinds = [kind for kind in kinds if any(kind[1] in row[kind[0]] for row in rows)]
    lines = [[table["unit"], "n", "median", "least", "most", *(f"x {head}" for _, _, head in kinds)]]
    for row in rows:
        found = [row[key].get(role) for key, role, _ in kinds]
        lines.append([row["label"], str(row["n"]),
                      *(figures.number(row[key]) for key in ("median", "least", "most")),
                      *(f"{ratio['median']:.3f}" if ratio else "-" for ratio in found)])
    return columns(lines)


def aim_text(line):
    against = f"{AGAINST[line['against']]} (at least {line['at_least']:.2f})"
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
        for state in table["figures"]["states"]:
            lines += ["", f"{table['title']}, {STATES[state['state']]}", *text_rows(table, state["rows"])]
        if table["figures"]["hidden"]:
            lines.append(f"{hidden(table)} not shown: neither near nor far, or others were busy")
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
