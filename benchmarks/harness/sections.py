# SPDX-License-Identifier: MIT
"""Sections of the report that bring several tables together: the main table, the paper's tables, what each of
the baseline's settings costs, memory. As HTML, some as text."""

from html import escape

from . import figures

STATES = {"near": "cores near", "far": "cores far", "any": "cores in any state"}


def table_of(head, rows, texts=1):
    """HTML; the first `texts` columns are words. Cells are HTML already."""
    kinds = [' class="text"' if i < texts else "" for i in range(len(head))]
    top = "".join(f"<th{kind}>{escape(cell)}</th>" for kind, cell in zip(kinds, head))
    body = "".join("<tr>" + "".join(f"<td{kind}>{cell}</td>" for kind, cell in zip(kinds, row)) + "</tr>\n"
                   for row in rows)
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>\n{body}</tbody></table></div>\n'


def ratio(summary):
    if not summary:
        return "–"
    return f"{summary['median']:.3f} <small>{summary['least']:.2f}–{summary['most']:.2f}</small>"


# -- the main table --

def main_heads(rows):
    """What at least one row is compared with, in the order of the first that has it."""
    heads = []
    for row in rows:
        heads += [head for head in row["against"] if head not in heads]
    return heads


def main_name(row):
    return f"{row['title']}: {row['variant']}"


def main_html(rows):
    if not rows:
        return ""
    heads = main_heads(rows)
    cells = [[escape(main_name(row)), STATES[row["state"]], f"{figures.number(row['median'])} "
              f"{escape(row['unit'])}", *(ratio(row["against"].get(head)) for head in heads)] for row in rows]
    return ("<h2>Main table</h2>\n<p>The library's best variant of each kind, and how many times as fast it "
            "is as others.</p>\n" + table_of(["", "", "median", *(f"× {head}" for head in heads)], cells, 2))


# -- the paper's tables --

def over_text(cell):
    """× what is said in the column's head, and × the best of those before, where there is that."""
    ratios = [f"{cell[key]['median']:.2f}×" + ("" if cell[key]["rounds"] else " of medians")
              for key in ("over", "over_best") if key in cell]
    return " / ".join(ratios)


def paper_cell(cell, published):
    if not cell:
        return "–"
    tip = "" if published else f' title="{escape(cell["variant"], quote=True)}"'
    over = over_text(cell).replace(" of medians", "") if published else over_text(cell)
    return f"<span{tip}>{figures.number(cell['median'])}</span> <small>{over}</small>"


def paper_head(columns, column):
    """With what its ratios are to."""
    names = {c["key"]: c["name"] for c in columns}
    others = [names[column["over"]]] if "over" in column else []
    if "over_best" in column:
        others.append("the best on cores")
    note = f" ({column['note']})" if "note" in column else ""
    return column["name"] + note + (f", × {', × '.join(others)}" if others else "")


def paper_rows(paper, table):
    rows = []
    for published, of in ((True, table["published"]), (False, table["measured"])):
        for row in of:
            name = f"{escape(row['name'])} <small>the paper</small>" if published else \
                f"{escape(row['name'])}, here, {STATES[row['state']]}"
            cells = (row["cells"].get(column["key"]) for column in paper["columns"])
            rows.append([name, *(paper_cell(cell, published) for cell in cells)])
    return rows


def megabytes(count):
    return "–" if count is None else f"{count / 1e6:.2f}"


def paper_memory(rows):
    cells = [[escape(row["name"]), *(megabytes(row["published"].get(key)) for key in ("dal", "ours")),
              *(megabytes(row["measured"].get(key, {}).get("bytes")) for key in ("dal", "ours"))]
             for row in rows]
    return "<h3>Memory of the channels, MB</h3>\n" + table_of(
        ["", "the paper: DAL", "the paper: theirs", "here: DAL", "here: Penstock"], cells)


def paper_html(paper):
    """The paper's machines are not this one: only ratios can be compared."""
    if not any(table["measured"] for table in paper["tables"]):
        return ""
    parts = [f"<h2>The paper's tables</h2>\n<p>{escape(paper['source'])}. Its kernels and machines are not "
             "these: compare ratios. Ratios are of the same rounds, or of medians where that is said or "
             "where it is the paper's. A cell has the variant with the highest median; point at it for its "
             "name.</p>\n"]
    for table in paper["tables"]:
        head = ["", *(paper_head(paper["columns"], column) for column in paper["columns"])]
        parts += [f"<h3>{escape(table['title'])}, {escape(table['unit'])}</h3>\n",
                  '<div class="wrap">', table_of(head, paper_rows(paper, table)), "</div>\n"]
    return "".join(parts) + paper_memory(paper["memory"])


def paper_text(paper):
    lines = []
    for table in paper["tables"]:
        for row in table["measured"]:
            lines += ["", f"the paper's table: {table['title']}, {row['name']}, {STATES[row['state']]}, "
                          f"{table['unit']}"]
            for column in paper["columns"]:
                cell = row["cells"].get(column["key"])
                said = f"{figures.number(cell['median']):>10}  {over_text(cell):<24} {cell['variant']}" \
                    if cell else f"{'-':>10}"
                lines.append(f"{column['name']:<34} {said}".rstrip())
    return lines


# -- what each setting costs --

NOTE = ("One of the baseline's settings changed at a time: how many times as fast that is as the paper's "
        "settings in the same round.")


def ablation_html(found):
    parts = [f"<h2>The baseline's settings</h2>\n<p>{NOTE}</p>\n"] if found else []
    for table in found:
        cells = [[*(escape(row[key]) for key in ("change", "variant", "than")), str(row["n"]), ratio(row)]
                 for row in table["rows"]]
        parts += [f"<h3>{escape(table['title'])}, {STATES[table['state']]}</h3>\n",
                  table_of(["changed", "variant", "against", "rounds", "ratio"], cells, 3)]
    return "".join(parts)


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
    return table["unit"].split()[0] != "bytes"


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
