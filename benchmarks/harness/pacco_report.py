# SPDX-License-Identifier: MIT
"""What benchmarks/pacco has found, as HTML, text and Markdown: the paper's values beside ours, the predicted beside the
measured."""

import os
import re
from html import escape

from . import charts, files, markdown, pacco_paper, pacco_tables, report, sections

FORMAT = "penstock pacco 1"
PICTURE = "piic.svg"  # beside the document


def load(path):
    """A result of benchmarks/pacco; ValueError says what is wrong with it."""
    result = files.load(path, dict)
    if result.get("format") != FORMAT:
        raise ValueError(f"{path}: not of the format '{FORMAT}'")
    return result


def entries(result):
    """(kind, key, title, what differs, data, tables) of each table and figure that there is, in the paper's order."""
    for kind, known in (("table", pacco_paper.TABLES), ("figure", pacco_paper.FIGURES)):
        for key, (title, differs) in known.items():
            data = result[kind + "s"].get(key)
            if data is not None:
                yield kind, key, title, differs, data, pacco_tables.OF[kind, key](data)


# -- HTML --

def image(svg):
    """A drawing within a page: without the head of a file, and names that another one has, too."""
    return re.sub(r' id="[^"]*"', "", re.sub(r"\A.*?(?=<svg)", "", svg, flags=re.DOTALL))


def entry_html(entry, drawn):
    kind, key, title, differs, data, tables = entry
    parts = [f'<h2 id="{kind}{key}">{kind.capitalize()} {key}: {escape(title)}</h2>\n',
             f"<p><b>Against the paper:</b> {escape(differs)}</p>\n"]
    for caption, head, rows in tables:
        parts += [f"<h3>{escape(caption)}</h3>\n" if caption else "",
                  sections.table_of(head, [[escape(cell) for cell in row] for row in rows])]
    for label, chart in pacco_tables.charts_of(kind, key, data):
        parts += [f"<h3>{escape(label)}</h3>\n", drawn.add(label, chart)]
    if "png" in data:
        parts.append(f'<p><img alt="{escape(title, quote=True)}" src="data:image/png;base64,{data["png"]}"></p>\n')
    if "svg" in data:
        parts.append(f'<div class="scroll paper">{image(data["svg"])}</div>\n')
    return "".join(parts)


def html(result):
    """The whole page."""
    drawn = charts.Charts()
    state = "" if result["complete"] else ' <span class="failure">It was ended early.</span>'
    quick = ", quick" if result["options"]["quick"] else ""
    style = report.STYLE + (".paper { background: white } .paper svg [stroke=black] { stroke: black }\n"
                            "img { max-width: 100% }\n")
    parts = ['<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
             '<meta name="viewport" content="width=device-width">\n<title>PACCO on Penstock</title>\n'
             f"<style>{style}</style>\n</head>\n<body>\n<h1>PACCO's figures on Penstock</h1>\n"
             f"<p>{escape(result['began'])}{quick}.{state}</p>\n",
             report.list_section("Failures", result["failures"], "failure"),
             "<h2>The paper, predicted, measured</h2>\n", sections.table_of(pacco_tables.HEAD, [
                 [escape(cell) for cell in row] for row in pacco_tables.summary(result)]),
             *(entry_html(entry, drawn) for entry in entries(result)),
             report.list_section("Skipped", [f"{s['what']}: {s['why']}" for s in result["skipped"]], "absent"),
             report.facts_section(result), "</body>\n</html>\n"]
    return drawn.put("".join(parts))


# -- text --

def text(result):
    lines = report.columns([pacco_tables.HEAD, *pacco_tables.summary(result)])
    for kind, key, title, differs, _, tables in entries(result):
        lines += ["", f"{kind} {key}: {title}", differs]
        for caption, head, rows in tables:
            lines += [caption] if caption else []
            lines += report.columns([head, *rows])
    lines += [f"skipped: {s['what']}: {s['why']}" for s in result["skipped"]]
    return "\n".join(lines + [f"failed: {failure}" for failure in result["failures"]])


# -- what is kept --

def kept(result):
    """Markdown: the summary, and table 2 and figures 15 and 20 whole."""
    machine = result["machine"]
    facts = [f"{key} {machine[key]}" for key in ("virtual", "memory", "kernel", "compiler", "OpenCL") if key in machine]
    load = ", ".join(f"{x:.1f}" for x in machine.get("load", []))
    parts = [markdown.wrapped(f"{result['began'][:10]}, commit {machine.get('commit', 'unknown')[:9]}"
                              + (", quick" if result["options"]["quick"] else "")
                              + f"; {'; '.join(facts)}; load before: {load}."),
             markdown.table_of(pacco_tables.HEAD, pacco_tables.summary(result))]
    for kind, key, title, differs, _, tables in entries(result):
        if (kind, key) not in pacco_tables.KEPT:
            continue
        parts += [f"#### {kind.capitalize()} {key}: {title}", markdown.wrapped(differs)]
        for caption, head, rows in tables:
            parts += [markdown.wrapped(caption)] if caption else []
            parts.append(markdown.table_of(head, rows))
    skipped = [markdown.wrapped(f"- not here: {s['what']}: {s['why']}", "  ") for s in result["skipped"]]
    return "\n\n".join(parts + (["\n".join(skipped)] if skipped else [])) + "\n"


def put(path, result):
    """Into a document, and figure 15 beside it. OSError; ValueError: the document has no section, or gnuplot's word."""
    found = result["figures"].get("15", {})
    if "points" in found and not charts.missing():
        svg = charts.picture(pacco_tables.times15(found))
        files.write(os.path.join(os.path.dirname(path), PICTURE), svg)
    machine = result["machine"]
    name = f"PACCO, {machine.get('cpu', 'unknown processor')}, {machine.get('cores', '?')} cores"
    markdown.insert(path, f"<!-- benchmarks/pacco: {name} -->\n", name, kept(result))
