# SPDX-License-Identifier: MIT
"""Sections of the report that bring several tables together: the main table, the paper's tables, what each of
the baseline's settings costs, memory. As HTML, some as text. And how the two states stand beside each other."""

from html import escape

from . import figures

STATES = {"near": "cores near", "far": "cores far", "either": "one thread", "any": "cores in any state"}
SHORT = {"near": "near", "far": "far", "either": "one thread", "any": "any state"}
EMPTY = "An empty cell: no run that counts was seen in that state."


def table_of(head, rows, texts=1):
    """HTML; the first `texts` columns are words. Cells are HTML already."""
    kinds = [' class="text"' if i < texts else "" for i in range(len(head))]
    top = "".join(f"<th{kind}>{escape(cell)}</th>" for kind, cell in zip(kinds, head))
    body = "".join("<tr>" + "".join(f"<td{kind}>{cell}</td>" for kind, cell in zip(kinds, row)) + "</tr>\n"
                   for row in rows)
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>\n{body}</tbody></table></div>\n'


# What stands side by side: near and far, also where one of them was not seen; what is of one thread, or disturbed,
# alone.
GROUPS = (("near", "far"), ("either",), ("any",))


QUOTE = '"'


def groups_of(states):
    return [group for group in GROUPS if set(group) & set(states)]


def beside(texts, heads, lines, sentences=False):
    """HTML. A head is (words, states), the states side by side below it; ("",): one column. A line is a heading of
    those that follow (words), or a list: words, then for each head {state: cell}. Cells are HTML already; sentences:
    they are no figures."""
    two = any(states != ("",) for _, states in heads)
    below = ' rowspan="2"' if two else ""
    top = "".join(f'<th class="text"{below}>{escape(text)}</th>' for text in texts)
    top += "".join(f'<th class="first"{below if states == ("",) else f" colspan={QUOTE}{len(states)}{QUOTE}"}>'
                   f"{escape(head)}</th>" for head, states in heads)
    if two:
        top += "</tr>\n<tr>" + "".join(f"<th{first(i)}>{SHORT[state]}</th>" for _, states in heads
                                       for i, state in enumerate(states) if state)
    words_class = f" class={QUOTE}words{QUOTE}"
    body, width = [], len(texts) + sum(len(states) for _, states in heads)
    for line in lines:
        if isinstance(line, str):
            body.append(f'<tr class="group"><th colspan="{width}">{escape(line)}</th></tr>\n')
            continue
        words = "".join(f'<td class="text">{cell}</td>' for cell in line[:len(texts)])
        cells = "".join(f"<td{words_class if sentences else first(i)}>{cell.get(state, '')}</td>"
                        for cell, (_, states) in zip(line[len(texts):], heads) for i, state in enumerate(states))
        body.append(f"<tr>{words}{cells}</tr>\n")
    kind = "beside sentences" if sentences else "beside"
    return (f'<div class="scroll"><table class="{kind}"><thead><tr>{top}</tr></thead><tbody>\n{"".join(body)}'
            "</tbody></table></div>\n")


def first(index):
    return "" if index else ' class="first"'


def rounds_text(result):
    """Of all tables; where time was up some have fewer."""
    least = min((table.get("rounds", 0) for table in result["tables"]), default=0)
    few = f"{least} to " if least < result["rounds"] and result["options"].get("minutes") else ""
    limit = f" in {result['options']['minutes']:g} minutes" if result["options"].get("minutes") else ""
    return f"{few}{result['rounds']} of {result['options']['rounds']} rounds{limit}"


def ratio(summary):
    if not summary:
        return "–"
    return f"{summary['median']:.3f} <small>{summary['least']:.2f}–{summary['most']:.2f}</small>"


def stacked(summary):
    """In a narrow column."""
    return f"{summary['median']:.3f}<br><small>{summary['least']:.2f}–{summary['most']:.2f}</small>"


def by_state(rows, key):
    """{what: {state: row}}, in the order of the first row of each."""
    found = {}
    for row in rows:
        found.setdefault(key(row), {})[row["state"]] = row
    return found


# -- the main table --

def main_heads(rows):
    """What at least one row is compared with, in the order of the first that has it."""
    heads = []
    for row in rows:
        heads += [head for head in row["against"] if head not in heads]
    return heads


def main_ratios(of, heads):
    """For each head {state: ratio}."""
    return [{state: stacked(row["against"][head]) for state, row in of.items() if head in row["against"]}
            for head in heads]


def main_figure(row):
    text = figures.number(row["median"])
    return f"<strong>{text}</strong>" if row["best"] else text


def main_html(rows):
    if not rows:
        return ""
    parts = ["<h2>Main table</h2>\n<p>The library's best variant of each kind (its figure is bold in the state in "
             f"which it is the best), and how many times as fast it is as others. {EMPTY}</p>\n"]
    for states in groups_of({row["state"] for row in rows}):
        mine = [row for row in rows if row["state"] in states]
        heads, lines = main_heads(mine), []
        for (title, unit), of_title in titles_of(mine).items():
            lines.append(f"{title}, {unit}")
            lines += [[escape(variant), {state: main_figure(row) for state, row in of.items()},
                       *main_ratios(of, heads)]
                      for variant, of in by_state(of_title, lambda row: row["variant"]).items()]
        note = "" if len(states) > 1 else f"<h3>{STATES[states[0]].capitalize()}</h3>\n"
        parts += [note, beside([""], [(head, states) for head in ("median", *(f"× {head}" for head in heads))], lines)]
    return "".join(parts)


def titles_of(rows):
    """{(title, unit): its rows}"""
    found = {}
    for row in rows:
        found.setdefault((row["title"], row["unit"]), []).append(row)
    return found


# -- the paper's tables --

def over_text(cell):
    """× what is said in the column's head, and × the best of those before, where there is that."""
    ratios = [f"{cell[key]['median']:.2f}×" + ("" if cell[key]["rounds"] else " of medians")
              for key in ("over", "over_best") if key in cell]
    return " / ".join(ratios)


def paper_cell(cell, published, mark=""):
    if not cell:
        return f"–<sup>{mark}</sup>" if mark else "–" if published else ""
    tip = "" if published else f' title="{escape(cell["variant"], quote=True)}"'
    over = over_text(cell).replace(" of medians", "*")
    return f"<span{tip}>{figures.number(cell['median'])}</span> <small>{over}</small>"


def paper_head(columns, column):
    """With what its ratios are to."""
    names = {c["key"]: c["name"] for c in columns}
    others = [names[column["over"]]] if "over" in column else []
    if "over_best" in column:
        others.append("the best on cores")
    note = f" ({column['note']})" if "note" in column else ""
    return column["name"] + note + (f", × {', × '.join(others)}" if others else "")


class Marks:
    """Letters for reasons, in the order in which they come."""

    def __init__(self):
        self.reasons = {}

    def of(self, reason):
        if not reason:
            return ""
        index = self.reasons.setdefault(reason, len(self.reasons))
        return chr(ord("a") + index) if index < 26 else str(index)

    def lines(self):
        return [f"{self.of(reason)}: {reason}" for reason in self.reasons]


def paper_groups(table):
    """What stands side by side: each row that was measured, in its states; and why its cells are empty."""
    return [(name, next(iter(groups_of(of))) if set(of) - {"any"} else ("any",), of)
            for name, of in by_state(table["measured"], lambda row: row["name"]).items()]


def paper_rows(table, marks):
    rows = []
    for column in table["columns"]:
        key = column["key"]
        cells = [{"": paper_cell(row["cells"].get(key), True)} for row in table["published"]]
        cells += [{state: paper_cell(of[state]["cells"].get(key), False, marks.of(of[state]["why"].get(key)))
                   for state in states if state in of} for _, states, of in paper_groups(table)]
        rows.append([escape(paper_head(table["columns"], column)), *cells])
    return rows


def megabytes(count):
    return "–" if count is None else f"{count / 1e6:.2f}"


def paper_memory(rows):
    cells = [[escape(row["name"]), *(megabytes(row["published"].get(key)) for key in ("dal", "ours")),
              *(megabytes(row["measured"][key]["bytes"]) if key in row["measured"] else "not run"
                for key in ("dal", "ours"))]
             for row in rows]
    return "<h3>Memory of the channels, MB</h3>\n" + table_of(
        ["", "the paper: DAL", "the paper: theirs", "here: DAL", "here: Penstock"], cells)


def paper_html(paper):
    """The paper's machines are not this one: only ratios can be compared."""
    if not any(table["measured"] for table in paper["tables"]):
        return ""
    parts = [f"<h2>The paper's tables</h2>\n<p>{escape(paper['source'])}. Its kernels and machines are not "
             "these: compare ratios. Ratios are of the same rounds; a star marks those of medians, and all of the "
             "paper's are. A cell has the variant with the highest median; point at it for its name. "
             f"{EMPTY}</p>\n"]
    for table in paper["tables"]:
        if not table["measured"]:
            continue
        marks = Marks()
        heads = [(f"the paper: {row['name']}", ("",)) for row in table["published"]]
        heads += [(name, states) for name, states, _ in paper_groups(table)]
        parts += [f"<h3>{escape(table['title'])}, {escape(table['unit'])}</h3>\n",
                  beside([""], heads, paper_rows(table, marks)),
                  "".join(f"<p>{escape(line)}</p>\n" for line in marks.lines())]
    return "".join(parts) + paper_memory(paper["memory"])


def paper_text(paper):
    lines = []
    for table in paper["tables"]:
        for row in table["measured"]:
            lines += ["", f"the paper's table: {table['title']}, {row['name']}, {STATES[row['state']]}, "
                          f"{table['unit']}"]
            for column in table["columns"]:
                cell, why = row["cells"].get(column["key"]), row["why"].get(column["key"])
                said = f"{figures.number(cell['median']):>10}  {over_text(cell):<24} {cell['variant']}" \
                    if cell else f"{'-':>10}  {why or ''}"
                lines.append(f"{column['name']:<34} {said}".rstrip())
    return lines


# -- what each setting costs --

NOTE = ("One of the baseline's settings changed at a time: how many times as fast that is as the paper's "
        "settings in the same round.")


def ablation_html(found):
    parts = [f"<h2>The baseline's settings</h2>\n<p>{NOTE} {EMPTY}</p>\n"] if found else []
    for title, tables in by_title(found).items():
        rows = [{**row, "state": state} for state, table in tables.items() for row in table["rows"]]
        for states in groups_of(tables):
            lines = [[*map(escape, words), {state: ratio(row) for state, row in of.items()},
                      {state: str(row["n"]) for state, row in of.items()}]
                     for words, of in by_state((row for row in rows if row["state"] in states), settings_of).items()]
            parts += [f"<h3>{escape(title)}</h3>\n", beside(["changed", "variant", "against"],
                                                            [("ratio", states), ("rounds", states)], lines)]
    return "".join(parts)


def by_title(found):
    """{title: {state: table}}"""
    titles = {}
    for table in found:
        titles.setdefault(table["title"], {})[table["state"]] = table
    return titles


def settings_of(row):
    return row["change"], row["variant"], row["than"]


def ablation_text(found):
    lines = []
    for table in found:
        lines += ["", f"the baseline's settings: {table['title']}, {STATES[table['state']]}"]
        lines += [f"{row['change']:<34} {row['n']:>3}  {row['median']:7.3f}  {row['variant']}"
                  for row in table["rows"]]
    return lines


# -- memory --

def tells_resident(table):
    """What counts bytes itself (benchmarks/cost) does so in a child, which its process' memory is not of."""
    return not figures.counts_bytes(table)


def memory_html(tables):
    parts = []
    for table in filter(tells_resident, tables):
        rows = table["figures"]["memory"]
        plain = next((row["peak_bytes"] for row in rows if row["role"] == "serial"), None)
        cells = [[escape(row["label"]), megabytes(row["peak_bytes"]),
                  megabytes(None if plain is None else row["peak_bytes"] - plain),
                  megabytes(row.get("channel_bytes")), megabytes(row.get("channel_bytes_taken"))]
                 for row in rows]
        parts += [f"<details><summary>{escape(table['title'])}</summary>\n",
                  table_of(["MB", "resident at most", "more than one thread", "channels",
                            "taken for channels"], cells), "</details>\n"] if cells else []
    if not parts:
        return ""
    return ("<h2>Memory</h2>\n<p>The most of a process that was resident, with its libraries and the input; "
            "what that is more than one thread's that calls the kernels; where programs tell it, the memory "
            "of the channels, each for itself as papers count them, and what was taken from the system for "
            "them, which is less where readers of one output share.</p>\n" + "".join(parts))
