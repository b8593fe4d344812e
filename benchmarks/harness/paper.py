# SPDX-License-Identifier: MIT
"""The paper's tables, filled with what was measured (benchmarks/paper.json), and what each of the baseline's
settings costs."""

import re

from . import figures, files, sweeps


def demand(path, where, entry, keys):
    for key, kind in keys:
        if not isinstance(entry, dict) or not isinstance(entry.get(key), kind):
            raise ValueError(f"{path}: {where} without a proper '{key}': {entry}")


def load(path):
    """ValueError says what is wrong in the file."""
    paper = files.load(path, dict)
    demand(path, "it is", paper, (("source", str), ("settings", str), ("columns", list), ("tables", list),
                                  ("memory", list)))
    check_columns(path, paper["columns"])
    for table in paper["tables"]:
        demand(path, "a table", table, (("title", str), ("unit", str), ("published", list), ("rows", list)))
        columns = table.get("columns", paper["columns"])
        check_columns(path, columns)
        for row in table["rows"]:
            demand(path, "a row", row, (("name", str),))
            for on in {column["on"] for column in columns}:
                re.compile(row.get(on, ""))
                re.compile(row.get("variants", {}).get(on, ""))
    for row in paper["memory"]:
        demand(path, "a row of memory", row, (("name", str), ("table", str), ("dal", str), ("ours", str)))
        for key in ("table", "dal", "ours"):
            re.compile(row[key])
    return paper


def check_columns(path, columns):
    keys = []
    for column in columns:
        demand(path, "a column", column, (("key", str), ("name", str), ("on", str), ("role", str),
                                          ("variant", str)))
        re.compile(column["variant"])
        for other in (column.get("over"), *column.get("over_best", [])):
            if other not in (None, *keys):
                raise ValueError(f"{path}: the column '{column['key']}' is over '{other}', which is none "
                                 "before it")
        keys.append(column["key"])


def view_of(tables, title, state):
    """Of the first table with such a title that was run: its runs in this state."""
    for table in tables:
        if title and re.fullmatch(title, table["title"]):
            view = next((v for v in figures.views_of(table) if v.state == state), None)
            if view:
                return view
    return None


def cell_of(view, column, row):
    """The best by its median of those that the column and the row are for."""
    among = row.get("variants", {}).get(column["on"], "")
    names = view.of_role(column["role"]) if view else []
    name = view.champion([n for n in names if re.search(column["variant"], n) and re.search(among, n)]) \
        if view else None
    if not name:
        return None
    return {"variant": name, "title": view.table["title"], "unit": view.table["unit"], **{
        key: view.row(name)[key] for key in ("n", "median", "least", "most")}}


def over(cells, views, column):
    """How many times as fast as the column that it is compared with: in the same rounds where both are in one
    table, else of the medians."""
    mine, other = cells.get(column["key"]), cells.get(column.get("over"))
    if not mine or not other or mine["unit"] != other["unit"]:
        return None
    if mine["title"] == other["title"]:
        ratio = figures.summary(views[column["on"]].ratios(mine["variant"], [other["variant"]]))
        return ratio and {**ratio, "rounds": True}
    return {"median": mine["median"] / other["median"], "rounds": False}


def over_best(cells, column):
    """How many times as fast as the best of other columns, by medians."""
    mine = cells.get(column["key"])
    others = [cells[key] for key in column.get("over_best", []) if key in cells]
    if not mine or not others or any(other.get("unit") != mine.get("unit") for other in others):
        return None
    return {"median": mine["median"] / max(other["median"] for other in others), "rounds": False}


def add_ratio(cells, column, key, ratio):
    if ratio:
        cells[column["key"]][key] = ratio


def measured_row(columns, row, tables, state):
    """None: nothing of it was run in this state."""
    views = {on: view_of(tables, row.get(on), state) for on in {c["on"] for c in columns}}
    cells = {c["key"]: cell_of(views[c["on"]], c, row) for c in columns}
    cells = {key: cell for key, cell in cells.items() if cell}
    if not cells:
        return None
    for column in columns:
        add_ratio(cells, column, "over", over(cells, views, column))
        add_ratio(cells, column, "over_best", over_best(cells, column))
    return {"name": row["name"], "state": state, "cells": cells}


class Reasons:
    """Why a cell is empty: what the file says, else what the run says."""

    def __init__(self, tables, absent, options):
        self.tables, self.absent, self.options = tables, absent, options

    def not_run(self):
        if self.options.get("only"):
            return "--only leaves it out"
        return "--quick leaves it out" if self.options.get("quick") else "not built, or no program has it"

    @staticmethod
    def is_for(what, table, column, among):
        """Would this absent variant, 'TABLE: VARIANT', fill the column?"""
        prefix = f"{table['title']}: "
        name = what[len(prefix):]
        return what.startswith(prefix) and re.search(column["variant"], name) and re.search(among, name)

    def of(self, table, row, column):
        said = row.get("why", {}).get(column["key"]) or table.get("why", {}).get(column["key"])
        if said:
            return said
        title, among = row.get(column["on"]), row.get("variants", {}).get(column["on"], "")
        found = [t for t in self.tables if title and re.fullmatch(title, t["title"])]
        if not found:
            return self.not_run()
        whys = [a["why"] for a in self.absent for t in found if self.is_for(a["what"], t, column, among)]
        names = [v for t in found for v in t["variants"] if v["role"] == column["role"] and
                 re.search(column["variant"], v["name"]) and re.search(among, v["name"])]
        if not names:
            return whys[0] if whys else self.not_run()
        if all(v.get("failed") for v in names):
            return "it failed"
        return "no run of it counts: the state changed, others were busy, or time was up"


def published_row(columns, row):
    """The ratios of the published figures; they are the paper's, of its machine."""
    cells = {}
    for column in columns:
        value, other = row.get(column["key"]), row.get(column.get("over"))
        if value is not None:
            cells[column["key"]] = {"median": value}
            add_ratio(cells, column, "over", other and {"median": value / other, "rounds": False})
            add_ratio(cells, column, "over_best", over_best(cells, column))
    return {"name": row["machine"], "cells": cells}


def memory_row(row, tables):
    """Bytes of the channels, each for itself, as the paper counts them."""
    found = {"name": row["name"], "published": row.get("published", {}), "measured": {}}
    for key, role in (("dal", "baseline"), ("ours", "library")):
        told = [(m["channel_bytes"], m["name"]) for table in tables
                if re.fullmatch(row["table"], table["title"]) for m in table["figures"]["memory"]
                if m["role"] == role and "channel_bytes" in m and re.search(row[key], m["name"])]
        if told:
            found["measured"][key] = {"bytes": min(told)[0], "variant": min(told)[1]}
    return found


def fill(paper, tables, absent=(), options=None):
    """For the report and the JSON file."""
    filled, reasons = [], Reasons(tables, absent, options or {})
    for table in paper["tables"]:
        columns, rows = table.get("columns", paper["columns"]), []
        for row in table["rows"]:
            found = [r for r in (measured_row(columns, row, tables, state) for state in figures.STATES) if r]
            found = found or [{"name": row["name"], "state": figures.STATES[0], "cells": {}}]
            seen = {key for r in found for key in r["cells"]}
            # what has nothing in any state says why
            why = {c["key"]: reasons.of(table, row, c) for c in columns if c["key"] not in seen}
            rows += [{**r, "why": {} if i else why} for i, r in enumerate(found)]
        measured = rows if any(row["cells"] for row in rows) else []
        filled.append({"title": table["title"], "unit": table["unit"], "columns": columns,
                       "published": [published_row(columns, row) for row in table["published"]],
                       "measured": measured})
    return {"source": paper["source"], "tables": filled, "memory": [memory_row(row, tables) for row in paper["memory"]]}


# -- what each setting costs --

def plain(variant):
    """A variant's name without its parameters."""
    name = variant["name"]
    for word, value in variant["parameters"].items():
        name = sweeps.without(name, word, value)
    return name


def like(variant, others):
    """Of the others the one that has most parameters in common."""
    def common(other):
        same = sum(other["parameters"].get(word) == value for word, value in variant["parameters"].items())
        return same, -len(other["parameters"])
    return max(others, key=common, default=None)


def changes(view, settings):
    """A row for each variant that differs from the paper's settings in one of them."""
    baseline = [v for v in view.table["variants"] if v["role"] == "baseline"]
    whole = [v for v in baseline if plain(v) == settings]
    for variant in baseline:
        if not plain(variant).startswith(settings + ", "):
            continue
        other = like(variant, whole)
        ratio = other and figures.summary(view.ratios(variant["name"], [other["name"]]))
        if ratio:
            yield {"change": plain(variant)[len(settings) + 2:], "variant": variant["name"],
                   "than": other["name"], **ratio}


def ablation(paper, tables):
    """For each table and state that has some."""
    found = []
    for table in tables:
        for view in figures.views_of(table):
            rows = list(changes(view, paper["settings"]))
            found += [{"title": table["title"], "state": view.state, "rows": rows}] if rows else []
    return found
