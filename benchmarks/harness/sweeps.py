# SPDX-License-Identifier: MIT
"""Which variants are points of one curve: those that differ in one parameter, and families of tables."""

import statistics

from . import charts, figures, sections

LEAST_POINTS = 3


def without(name, word, value):
    """A variant's name without one of its parameters."""
    said = (f"{word} {value:g}", f"{value:g} {word}")
    return ", ".join(part for part in name.split(", ") if part not in said) or "all"


def best(series, times=False):
    """As many as a chart can show: the highest ones, of times the lowest ones."""
    order = sorted(series, key=lambda name: min(y for _, y in series[name]) if times
                   else -max(y for _, y in series[name]))
    return {name: series[name] for name in order[:charts.SERIES]}


def in_table(table, rows):
    """{parameter: {series: [(x, median), ..]}}"""
    medians = {row["name"]: row["median"] for row in rows}
    found = {}
    for variant in table["variants"]:
        for word, value in variant["parameters"].items():
            if variant["name"] in medians:
                rest = without(variant["name"], word, value) + figures.whose(variant)
                found.setdefault(word, {}).setdefault(rest, {})[value] = medians[variant["name"]]
    return {word: best({name: list(points.items()) for name, points in series.items()
                        if len(points) >= LEAST_POINTS}, table.get("times", False))
            for word, series in found.items() if any(len(p) >= LEAST_POINTS for p in series.values())}


def point(row, relative):
    if not relative:
        return row["median"]
    serial = row["against"].get("serial")
    return serial["median"] if serial else None


def family_series(members, state, relative):
    """{name: [(at, y), ..]} of the variants that are in two tables or more, and {name: group}."""
    series, groups = {}, {}
    for table in members:
        rows = next((s["rows"] for s in table["figures"]["states"] if s["state"] == state), [])
        for row in rows:
            y = point(row, relative)
            if y is not None:
                series.setdefault(row["label"], []).append((table["at"], y))
                whose = row["label"].rpartition("[")[2] if row["role"] == "peer" else ""
                groups[row["label"]] = row["role"], whose, row["name"].split(",")[0].split(" ")[0]
    return {name: points for name, points in series.items() if len(points) >= 2}, groups


def one_of_each(series, groups, times):
    """As many as a chart can show: where there are more, of each kind (a peer, teams, threads, ..) the one
    that is best on the average."""
    if len(series) <= charts.SERIES:
        return series
    sign, chosen = -1 if times else 1, {}
    for name, points in series.items():
        mean = sign * statistics.mean(y for _, y in points)
        known = chosen.get(groups[name])
        if not known or mean > known[0]:
            chosen[groups[name]] = mean, name
    return best({name: series[name] for _, name in chosen.values()}, times)


def families(tables):
    """A chart for each family of tables and state: (title, x title, y title, series). Ratios where one is
    serial."""
    groups = {}
    for table in tables:
        if table["family"] and table["sweep"] and table["figures"]["states"]:
            groups.setdefault((table["family"], table["sweep"], table["unit"]), []).append(table)
    for (family, sweep, unit), members in groups.items():
        relative = all(any(v["role"] == "serial" for v in table["variants"]) for table in members)
        for state in figures.STATES:
            times = members[0]["times"] and not relative
            series = one_of_each(*family_series(members, state, relative), times)
            if series:
                title = f"{family} over {sweep}, {sections.STATES[state]}"
                yield title, sweep, "times as fast as serial" if relative else unit, series
