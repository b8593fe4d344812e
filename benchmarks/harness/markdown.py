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


def told(lines):
    """Without lines that have no figure, and without titles, which have none themselves, of which no line is left."""
    found = []
    for line in lines:
        is_title = line[0].startswith("**")
        if is_title and found and found[-1][0].startswith("**"):
            found.pop()
        if is_title or any(cell not in ("", "–") for cell in line[1:]):
            found.append(line)
    return found[:-1] if found and found[-1][0].startswith("**") else found


def packed(first, groups, lines):
    """Tables of COLUMNS columns at most, each with the first column and as many of the others as go beside it. A group
    is a list of heads, which stay together; a line a list of what is in them, with the first column's before."""
    begin = max(len(line[0]) for line in ([first], *lines)) + 4
    at, tables, chosen, width = 1, [], [], begin
    for heads in groups:
        cells = [[head, *(line[at + i] for line in lines)] for i, head in enumerate(heads)]
        wide = max(sum(len(cell(column[i])) + 1 for column in cells) for i in range(len(lines) + 1))
        if chosen and width + wide > COLUMNS:
            tables.append(chosen)
            chosen, width = [], begin
        chosen, width, at = chosen + cells, width + wide, at + len(heads)
    tables += [chosen] if chosen else []
    return "\n\n".join(table_of([first, *(column[0] for column in table)], told(
        [line[0], *(column[i + 1] for column in table)] for i, line in enumerate(lines))) for table in tables)


def heads_of(words, states):
    """The first column of those that stand side by side says what all are."""
    return [f"{words}: {sections.SHORT[state]}" if not i else sections.SHORT[state] for i, state in enumerate(states)]


def main_lines(rows, heads, states):
    for (title, unit), of_title in sections.titles_of(rows).items():
        yield [f"**{title}**, {unit}"] + [""] * len(states) * (1 + len(heads))
        for variant, of in sections.by_state(of_title, lambda row: row["variant"]).items():
            found = [of.get(state) for state in states]
            yield [variant, *(figures.number(row["median"]) if row else "" for row in found),
                   *("" if not row else f"{row['against'][head]['median']:.2f}" if head in row["against"] else "–"
                     for head in heads for row in found)]


def main_table(rows):
    """Below a row with a table's title there are its variants."""
    tables = []
    for states in sections.groups_of({row["state"] for row in rows}):
        mine = [row for row in rows if row["state"] in states]
        heads = sections.main_heads(mine)
        groups = [heads_of(words, states) for words in ("Penstock", *(f"× {head}" for head in heads))]
        tables.append(packed("", groups, list(main_lines(mine, heads, states))))
    return "\n\n".join(tables)


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
    for row in next((s["rows"] for s in table["figures"]["states"] if s["state"] == state), []):
        kind = kind_of(row)
        if kind not in found or row["median"] > found[kind]["median"]:
            found[kind] = row
    return found


def best_table(of, tables):
    """Side by side the states of each row of a table of the paper that was measured on the cores."""
    groups, columns = [], []
    for name, states, measured in sections.paper_groups(of):
        titles = [c["title"] for row in measured.values() for key, c in row["cells"].items() if "device" not in key]
        table = next((table for table in tables if table["title"] in titles), None)
        if table:
            groups.append(heads_of(name, states))
            columns += [best_of(table, state) for state in states]
    kinds = dict.fromkeys(kind for best in columns for kind in best)
    return packed("", groups, [
        [kind, *(figures.number(best[kind]["median"]) if kind in best else "" for best in columns)]
        for kind in kinds])


# -- the paper's tables: a column for each machine of the paper and each row here --

def ratio_text(found):
    """Ratios of medians, not of runs in the same rounds, have a star."""
    return f"{found['median']:.2f}×" + ("" if found["rounds"] else "*")


def paper_value(cell, key, missing):
    if not cell:
        return missing
    if key == "over_best":
        return ratio_text(cell[key]) if key in cell else missing
    return figures.number(cell["median"]) + (f" {ratio_text(cell[key])}" if key in cell else "")


def paper_line(table, column, key, marks):
    words = column["name"] + (", × the best on cores" if key == "over_best" else "")
    line = [words, *(paper_value(row["cells"].get(column["key"]), key, "–") for row in table["published"])]
    for _, states, of in sections.paper_groups(table):
        for row in (of.get(state) for state in states):
            why = row["why"].get(column["key"]) if row else None
            line.append(paper_value(row["cells"].get(column["key"]), key, f"– ({marks.of(why)})" if why else "")
                        if row else "")
    return line


def paper_table(table):
    """With what stands for the letters of empty cells."""
    marks = sections.Marks()
    lines = [paper_line(table, column, key, marks) for column in table["columns"]
             for key in ("over", "over_best") if key == "over" or key in column]
    groups = [[f"paper: {row['name']}"] for row in table["published"]]
    groups += [heads_of(name, states) for name, states, _ in sections.paper_groups(table)]
    said = [f"({line[0]}){line[1:]}" for line in marks.lines()]
    return packed("", groups, lines) + ("\n\n" + wrapped("; ".join(said) + ".") if said else "")


def paper_memory(rows):
    return table_of(["", "the paper: DAL", "the paper: theirs", "here: DAL", "here: Penstock"], [
        [row["name"], *(sections.megabytes(row["published"].get(key)) for key in ("dal", "ours")),
         *("not measured" if key not in row["measured"] else
           sections.megabytes(row["measured"][key]["bytes"]) for key in ("dal", "ours"))] for row in rows])


def paper_parts(paper):
    for table in paper["tables"]:
        if table["measured"]:
            yield f"#### The paper's table: {table['title']}, {table['unit']}"
            yield paper_table(table)
    if any(row["measured"] for row in paper["memory"]):
        yield "#### The paper's table: memory of the channels, MB"
        yield paper_memory(paper["memory"])


# -- aims --

def aim_items(lines):
    """One for each aim, with all tables that it is about, and the states of each."""
    items = {}
    for line in lines:
        against = f", × {report.AGAINST[line['against']]}" if "against" in line else ""
        titles = items.setdefault(f"{line['what']}{against}, {aims.bound_text(line)}", {})
        said = aims.verdict(line)
        if "n" in line:
            reached = f"{line['median']:.3f}" if "against" in line else figures.number(line["median"])
            said = f"{sections.SHORT[line['state']]} {reached}, {said}"
        titles.setdefault(line.get("title"), []).append(said)
    return [wrapped(f"- {name}: " + "; ".join(f"{title}: {', '.join(found)}" if title else found[0]
                                              for title, found in titles.items()), "  ")
            for name, titles in items.items()]


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
                   + (f", {sections.rounds_text(result)} of {options['seconds']:g} s a run"
                      if result["tables"] else "")
                   + (", quick" if options["quick"] else "") + f"; {'; '.join(of)}; load before: {load}.")


def text(result):
    """All of it."""
    parts = [facts(result)]
    if result["main"]:
        parts += ["#### The library's best variants, and how many times as fast they are as others",
                  wrapped(sections.EMPTY), main_table(result["main"])]
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
