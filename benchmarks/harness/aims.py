# SPDX-License-Identifier: MIT
"""What the library must reach: benchmarks/aims.json against what was measured."""

import re

from . import figures, files

# What it is compared with, of several: in each round the fastest one, or the one whose median is highest.
RIVALS = ("round", "median")
NAMED = 3  # rivals that took no part, by name
PLURAL = {"is absent": "are absent", "has no run in this state": "have no run in this state"}


def load(path):
    """A list of aims; ValueError says what is wrong in the file."""
    aims = files.load(path, list)
    for aim in aims:
        for key, kind in (("what", str), ("table", str), ("variant", str), ("against", str),
                          ("at_least", (int, float))):
            if not isinstance(aim, dict) or not isinstance(aim.get(key), kind):
                raise ValueError(f"{path}: an aim without a proper '{key}': {aim}")
        for key, known in (("against", figures.REFERENCES), ("rival", RIVALS)):
            if aim.get(key, known[0]) not in known:
                raise ValueError(f"{path}: '{aim[key]}' is none of {', '.join(known)}")
        left_out = aim.get("except", [])
        if not isinstance(left_out, list) or any(role not in figures.REFERENCES for role in left_out):
            raise ValueError(f"{path}: an aim whose 'except' is no list of some of "
                             f"{', '.join(figures.REFERENCES)}: {aim}")
        for key in ("table", "variant", "named"):
            re.compile(aim.get(key, ""))
    return aims


def rivals_of(view, role, named=""):
    return [name for name in view.of_role(role) if re.search(named, name)]


def both(view, name, rivals):
    """The ratio to the fastest of each round, and to the one that is best by its median."""
    ratio = figures.summary(view.ratios(name, rivals))
    return {"round": ratio, "median": view.against_champion(name, rivals)} if ratio else None


def without(view, role, named=""):
    """Rivals that took no part or not to the end, and why: [(label, why), ..]"""
    found = [(figures.label(v), "is absent") for v in view.table.get("absent", [])
             if v["role"] == role and re.search(named, v["name"])]
    for name in rivals_of(view, role, named):
        variant = view.variants[name]
        if variant.get("failed"):
            found.append((figures.label(variant), "failed"))
        elif not view.of(name):
            found.append((figures.label(variant), "has no run in this state"))
    return found


def reached(view, aim):
    """The library's variant that does best by its median, and its ratio; None: it was not measured."""
    rivals = rivals_of(view, aim["against"], aim.get("named", ""))
    rule = aim.get("rival", RIVALS[0])
    best = None
    for name in view.of_role("library"):
        ratios = both(view, name, rivals) if re.search(aim["variant"], name) else None
        if ratios and (not best or ratios[rule]["median"] > best["median"]):
            best = {"variant": name, **ratios[rule], "both": ratios}
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
                                  "met": None if view.state == "any" else best["median"] >= aim["at_least"],
                                  "by": best["median"] / aim["at_least"] - 1,
                                  "without": without(view, aim["against"], aim.get("named", ""))})
        lines += found or [{**aim, "met": None}]
    return lines


def verdict(line):
    """As words."""
    if line["met"] is None:
        return "not judged: no quiet runs" if "n" in line else "not measured"
    return "met" if line["met"] else f"missed by {-100 * line['by']:.1f} %"


def without_text(line):
    """As words; "" where all rivals took part. Of many the first ones."""
    by_why = {}
    for name, why in line.get("without", []):
        by_why.setdefault(why, []).append(name)
    return "".join(f"; without {', '.join(names[:NAMED])}"
                   + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
                   + f", which {why if len(names) == 1 else PLURAL.get(why, why)}"
                   for why, names in by_why.items())


# What a row of the main table is compared with: heading, role, which of that role.
AGAINST = (("one thread", "serial", ""), ("the best peer", "peer", ""),
           ("DAL, paper's settings", "baseline", r"^DAL, paper's settings(, [a-z]+ [0-9]+)*$"),
           ("DAL, best effort", "baseline", "^DAL, best effort"),
           ("by hand", "limit", ""), ("the ideal", "ideal", ""))


def left_out_of(aims, title, variant):
    """Roles that a row of the main table is not compared with: what any of its aims says."""
    return {role for aim in aims if aim["variant"] == variant and re.fullmatch(aim["table"], title)
            for role in aim.get("except", [])}


def main_row(view, aim, left_out):
    """The variant with the highest median of those that an aim is about, against everything else."""
    name = view.champion([n for n in view.of_role("library") if re.search(aim["variant"], n)])
    if not name:
        return None
    row = view.row(name)
    ratios = {head: figures.summary(view.ratios(name, rivals_of(view, role, named)))
              for head, role, named in AGAINST if role not in left_out}
    return {"title": view.table["title"], "state": view.state, "variant": name, "unit": view.table["unit"],
            "median": row["median"], "n": row["n"],
            "against": {head: ratio for head, ratio in ratios.items() if ratio}}


def main_table(aims, tables):
    """A row for each table, state and choice of variants that there are aims for."""
    rows, seen = [], set()
    for aim in aims:
        for table in tables:
            key = table["title"], aim["variant"]
            if key not in seen and re.fullmatch(aim["table"], table["title"]):
                seen.add(key)
                found = (main_row(view, aim, left_out_of(aims, *key)) for view in figures.views_of(table))
                rows += [row for row in found if row]
    return rows
