# SPDX-License-Identifier: MIT
"""Which variants are points of one curve: those that differ in one parameter, and families of tables."""

from . import charts

LEAST_POINTS = 3


def without(name, word, value):
    """A variant's name without one of its parameters."""
    said = (f"{word} {value:g}", f"{value:g} {word}")
    return ", ".join(part for part in name.split(", ") if part not in said) or "all"


def best(series):
    """As many as a chart can show, the highest ones."""
    order = sorted(series, key=lambda name: -max(y for _, y in series[name]))
    return {name: series[name] for name in order[:charts.SERIES]}


def in_table(table, rows):
    """{parameter: {series: [(x, median), ..]}}"""
    medians = {row["name"]: row["median"] for row in rows}
    found = {}
    for variant in table["variants"]:
        for word, value in variant["parameters"].items():
            if variant["name"] in medians:
                rest = without(variant["name"], word, value)
                found.setdefault(word, {}).setdefault(rest, {})[value] = medians[variant["name"]]
    return {word: best({name: list(points.items()) for name, points in series.items()
                        if len(points) >= LEAST_POINTS})
            for word, series in found.items() if any(len(p) >= LEAST_POINTS for p in series.values())}


def point(row, relative):
    if not relative:
        return row["median"]
    serial = row["against"].get("serial")
    return serial["median"] if serial else None


def families(tables):
    """A chart for each family of tables: (title, x title, y title, series). Ratios where one is serial."""
    groups = {}
    for table in tables:
        if table["family"] and table["sweep"] and table["figures"]["states"]:
            groups.setdefault((table["family"], table["sweep"], table["unit"]), []).append(table)
    for (family, sweep, unit), members in groups.items():
        if len({table["at"] for table in members}) < 2:
            continue
        relative = all(any(v["role"] == "serial" for v in table["variants"]) for table in members)
        series = {}
        for table in members:
            for row in table["figures"]["states"][0]["rows"]:
                y = point(row, relative)
                if y is not None:
                    series.setdefault(row["name"], []).append((table["at"], y))
        series = best({name: points for name, points in series.items() if len(points) >= 2})
        if series:
            yield family, sweep, "times as fast as serial" if relative else unit, series
