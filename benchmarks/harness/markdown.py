# SPDX-License-Identifier: MIT
"""A run's tables as Markdown within 120 columns: alone, or as the section of its machine in a document."""

import os
import re
import textwrap

from . import aims, figures, files, report, sections, video_report

COLUMNS = 120
HEADING = "### "
END = "<!-- end -->\n"
DOCUMENT = os.path.relpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../doc/performance.md"))


def wrapped(text, indent=""):
    return textwrap.fill(text, COLUMNS, subsequent_indent=indent, break_long_words=False,
                         break_on_hyphens=False)


def cell(text):
    return f" {text} ".replace("|", "\\|") if text else " "


def table_of(head, rows):
    """The first column is words, the others are figures."""
    lines = [f"|{'|'.join(map(cell, row))}|" for row in (head, *rows)]
    lines.insert(1, "|---|" + "---:|" * (len(head) - 1))
    return "\n".join(lines)


def main_table(rows):
    """Below a row with a table's title there are its variants."""
    heads = sections.main_heads(rows)
    lines = {}  # by title, in the order of the first row of each
    for row in rows:
        title = f"**{row['title']}**, {sections.STATES[row['state']]}"
        ratios = (row["against"].get(head) for head in heads)
        lines.setdefault(title, [[title] + [""] * (len(heads) + 1)]).append(
            [row["variant"], f"{figures.number(row['median'])} {row['unit']}",
             *(f"{r['median']:.2f}" if r else "–" for r in ratios)])
    lines = [line for of_title in lines.values() for line in of_title]
    return table_of(["", "Penstock", *(f"× {head}" for head in heads)], lines)


# -- each system at its best, for the rows of the paper's tables --

def kind_of(row):
    """Whose it is, and which way of theirs: without numbers, "merged" stays."""
    first, *others = row["name"].split(", ")
    way = re.sub(r" \d+$", "", first) + (", merged" if "merged" in others else "")
    who = row["label"].rpartition("[")[2].rstrip("]") if row["role"] == "peer" else report.ROLES[row["role"]]
    return who if row["role"] in ("serial", "ideal", "baseline") else f"{who}: {way}"


def best_of(table, state):
    """{kind: its row with the highest median}"""
    found = {}
    for row in next(s["rows"] for s in table["figures"]["states"] if s["state"] == state):
        kind = kind_of(row)
        if kind not in found or row["median"] > found[kind]["median"]:
            found[kind] = row
    return found


def best_table(of, tables):
    """A column for each row of a table of the paper that was measured on the cores."""
    columns = {}
    for row in first_states(of["measured"]):
        titles = [c["title"] for key, c in row["cells"].items() if "device" not in key]
        columns |= {row["name"]: best_of(table, row["state"]) for table in tables if table["title"] in titles}
    kinds = dict.fromkeys(kind for best in columns.values() for kind in best)
    return table_of(["", *columns], [
        [kind, *(figures.number(best[kind]["median"]) if kind in best else "–" for best in columns.values())]
        for kind in kinds])


# -- the paper's tables: a column for each machine of the paper and each row here --

def ratio_text(found):
    """Ratios of medians, not of runs in the same rounds, have a star."""
    return f"{found['median']:.2f}×" + ("" if found["rounds"] else "*")


def paper_value(row, column, key):
    found = row["cells"].get(column["key"])
    if not found:
        return "–" if row["published"] else "not measured"
    if key == "over_best":
        return ratio_text(found[key]) if key in found else "–"
    return figures.number(found["median"]) + (f" {ratio_text(found[key])}" if key in found else "")


def first_states(measured):
    """Each row in the first state that it was measured in."""
    rows = {}
    for row in measured:
        far = "" if row["state"] == "near" else f", {sections.STATES[row['state']]}"
        rows.setdefault(row["name"], {**row, "name": row["name"] + far, "published": False})
    return list(rows.values())


def paper_table(paper, table):
    rows = [{**row, "name": f"paper: {row['name']}", "published": True} for row in table["published"]]
    rows += first_states(table["measured"])
    lines = []
    for column in paper["columns"]:
        lines.append([column["name"], *(paper_value(row, column, "over") for row in rows)])
        if "over_best" in column:
            lines.append([f"{column['name']}, × the best on cores",
                          *(paper_value(row, column, "over_best") for row in rows)])
    return table_of(["", *(row["name"] for row in rows)], lines)


def paper_memory(rows):
    return table_of(["", "the paper: DAL", "the paper: theirs", "here: DAL", "here: Penstock"], [
        [row["name"], *(sections.megabytes(row["published"].get(key)) for key in ("dal", "ours")),
         *("not measured" if key not in row["measured"] else
           sections.megabytes(row["measured"][key]["bytes"]) for key in ("dal", "ours"))] for row in rows])


def paper_parts(paper):
    for table in paper["tables"]:
        if table["measured"]:
            yield f"#### The paper's table: {table['title']}, {table['unit']}"
            yield paper_table(paper, table)
    if any(row["measured"] for row in paper["memory"]):
        yield "#### The paper's table: memory of the channels, MB"
        yield paper_memory(paper["memory"])


# -- aims --

def aim_items(lines):
    """One for each aim, with all tables that it is about."""
    items = {}
    for line in lines:
        name = f"{line['what']}, × {report.AGAINST[line['against']]}, at least {line['at_least']:.2f}"
        where = f"{line['title']}, {line['state']}: {line['median']:.3f}, {aims.verdict(line)}" \
            if "n" in line else aims.verdict(line)
        items.setdefault(name, []).append(where)
    return [wrapped(f"- {name}: {'; '.join(found)}", "  ") for name, found in items.items()]


# -- a run --

def name_of(result):
    """The machine; what has only some tables is another run."""
    machine, only = result["machine"], result["options"]["only"]
    name = f"{machine.get('cpu', 'unknown processor')}, {machine.get('cores', '?')} cores"
    return name + (f", only '{only}'" if only else "")


def facts(result):
    machine, options = result["machine"], result["options"]
    of = [f"{key} {machine[key]}" for key in ("virtual", "caches", "memory", "kernel", "system", "compiler",
                                              "OpenCL") if key in machine]
    of += [f"{name} {version}" for name, version in machine.get("libraries", {}).items()]
    load = ", ".join(f"{x:.1f}" for x in machine.get("load", []))
    return wrapped(f"{result['began'][:10]}, commit {machine.get('commit', 'unknown')[:9]}"
                   + (" with changed files" if machine.get("commit", "").endswith("+") else "")
                   + (f", {result['rounds']} of {options['rounds']} rounds of {options['seconds']:g} s a run"
                      if result["tables"] else "")
                   + (", quick" if options["quick"] else "") + f"; {'; '.join(of)}; load before: {load}.")


def text(result):
    """All of it."""
    parts = [facts(result)]
    if result["main"]:
        parts += ["#### The library's best variants, and how many times as fast they are as others",
                  main_table(result["main"])]
    for of in result["paper"]["tables"]:
        if any("device" not in key for row in of["measured"] for key in row["cells"]):
            parts += [f"#### Each system at its best: {of['title']}, {of['unit']}",
                      best_table(of, result["tables"])]
    parts += paper_parts(result["paper"])
    for heading, note, tables in video_report.kept(result.get("video")):
        parts += [f"#### {heading}", wrapped(note)]
        for caption, head, rows in tables:
            parts += [wrapped(caption), table_of(head, rows)]
    items = aim_items(line for line in result["aims"] if "n" in line or not result["options"]["only"])
    parts += ["#### Aims", "\n".join(items)] if items else []
    return "\n\n".join(parts) + "\n"


def place(path, begin=""):
    """The document; from where to where there is the section that begins so, else the end of the last one.
    OSError, or ValueError: it has no section."""
    with open(path, encoding="utf-8") as file:
        old = file.read()
    last = old.rfind(END) + len(END)
    if END not in old:
        raise ValueError(f"{path}: it has no line '{END.strip()}': tables are put behind the last one")
    same = re.search(f"{re.escape(begin)}.*?{re.escape(END)}", old, re.DOTALL) if begin in old else None
    return old, same.start() if same else last, same.end() if same else last


def insert(path, begin, name, body):
    """Into a document: instead of the section that begins so, else behind all others. Raises as place()."""
    old, first, last = place(path, begin)
    section = f"{begin}{HEADING}{name}\n\n{body}{END}"
    files.write(path, old[:first] + ("\n" if first == last else "") + section + old[last:])


def put(path, result):
    """Into a document: instead of the section of the same machine. Raises as place()."""
    insert(path, f"<!-- benchmarks/table: {name_of(result)} -->\n", name_of(result), text(result))
