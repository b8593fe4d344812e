# SPDX-License-Identifier: MIT
"""What the library must reach: benchmarks/aims.json against what was measured."""

import json
import re

from . import figures


def load(path):
    """A list of aims; ValueError says what is wrong in the file."""
    with open(path, encoding="utf-8") as file:
        aims = json.load(file)
    for aim in aims:
        for key, kind in (("what", str), ("table", str), ("variant", str), ("against", str),
                          ("at_least", (int, float))):
            if not isinstance(aim.get(key), kind):
                raise ValueError(f"{path}: an aim without a proper '{key}': {aim}")
        if aim["against"] not in figures.REFERENCES:
            raise ValueError(f"{path}: '{aim['against']}' is none of {', '.join(figures.REFERENCES)}")
        for key in ("table", "variant", "named"):
            re.compile(aim.get(key, ""))
    return aims


def reached(view, aim):
    """The library's variant that does best by its median, and its ratio; None: it was not measured."""
    rivals = [name for name in view.of_role(aim["against"]) if re.search(aim.get("named", ""), name)]
    best = None
    for name in view.of_role("library"):
        ratio = figures.summary(view.ratios(name, rivals)) if re.search(aim["variant"], name) else None
        if ratio and (not best or ratio["median"] > best["median"]):
            best = {"variant": name, **ratio}
    return best


def judge(aims, tables):
    """A line for each aim, table and state; or one that says that nothing was measured."""
    lines = []
    for aim in aims:
        found = []
        for table in tables:
            if not re.fullmatch(aim["table"], table["title"]):
                continue
            for view in figures.views_of(table):
                best = reached(view, aim)
                if best:
                    found.append({**aim, "title": table["title"], "state": view.state, **best,
                                  "met": best["median"] >= aim["at_least"],
                                  "by": best["median"] / aim["at_least"] - 1})
        lines += found or [{**aim, "met": None}]
    return lines


def verdict(line):
    """As words."""
    if line["met"] is None:
        return "not measured"
    return "met" if line["met"] else f"missed by {-100 * line['by']:.1f} %"
