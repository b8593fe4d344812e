# SPDX-License-Identifier: MIT
"""What the library must reach: benchmarks/aims.json against what was measured."""

import re

from . import figures, files

# What it is compared with, of several: in each round the fastest one, or the one whose median is highest.
RIVALS = ("round", "median")
NAMED = 3  # rivals that took no part, by name
PLURAL = {"is absent": "are absent", "has no run in this state": "have no run in this state"}


# What a variant may be compared with: another one of the library is named.
AGAINST_WHAT = (*figures.REFERENCES, "library")


def check_bounds(path, aim):
    """At least so many times as fast as something, in all states or by state; or at most so much in the table's
    unit, where that is no ratio. ValueError."""
    if "at_most" in aim:
        if isinstance(aim["at_most"], bool) or not isinstance(aim["at_most"], (int, float)) or "against" in aim:
            raise ValueError(f"{path}: an aim whose 'at_most' is no number, or that is against something: {aim}")
        return
    bounds = aim.get("at_least")
    values = bounds.values() if isinstance(bounds, dict) and set(bounds) <= {"near", "far"} else [bounds]
    if not values or any(isinstance(value, bool) or not isinstance(value, (int, float)) for value in values):
        raise ValueError(f"{path}: an aim without a proper 'at_least': {aim}")
    for key, known in (("against", AGAINST_WHAT), ("rival", RIVALS)):
        if aim.get(key, known[0] if key == "rival" else None) not in known:
            raise ValueError(f"{path}: '{aim.get(key)}' is none of {', '.join(known)}")
    if aim["against"] == "library" and not aim.get("named"):
        raise ValueError(f"{path}: an aim against one of the library, which is not 'named': {aim}")


def load(path):
    """A list of aims; ValueError says what is wrong in the file."""
    aims = files.load(path, list)
    for aim in aims:
        for key in ("what", "table", "variant"):
            if not isinstance(aim, dict) or not isinstance(aim.get(key), str):
                raise ValueError(f"{path}: an aim without a proper '{key}': {aim}")
        check_bounds(path, aim)
        left_out = aim.get("except", [])
        if not isinstance(left_out, list) or any(role not in figures.REFERENCES for role in left_out):
            raise ValueError(f"{path}: an aim whose 'except' is no list of some of "
                             f"{', '.join(figures.REFERENCES)}: {aim}")
        for key in ("table", "variant", "named"):
            re.compile(aim.get(key, ""))
    return aims


def bound(aim, state):
    """None: there is no aim in this state. What is of one thread, or disturbed, is beside the aim for near cores."""
    if "at_most" in aim:
        return aim["at_most"]
    bounds = aim["at_least"]
    return bounds.get("far" if state == "far" else "near") if isinstance(bounds, dict) else bounds


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


def candidates(view, aim, rivals):
    return [name for name in view.of_role("library") if re.search(aim["variant"], name) and name not in rivals]


def reached(view, aim):
    """The library's variant that does best by its median, and its ratio; None: it was not measured."""
    rivals = rivals_of(view, aim["against"], aim.get("named", ""))
    rule = aim.get("rival", RIVALS[0])
    best = None
    for name in candidates(view, aim, rivals):
        ratios = both(view, name, rivals)
        if ratios and (not best or ratios[rule]["median"] > best["median"]):
            best = {"variant": name, **ratios[rule], "both": ratios}
    return best


def figure_of(view, aim):
    """The same where the aim is a figure, no ratio."""
    name = view.champion(candidates(view, aim, []))
    row = view.row(name) if name else None
    return row and {"variant": name, "unit": view.table["unit"],
                    **{key: row[key] for key in ("n", "median", "least", "most")}}


def judged(aim, view):
    """An aim in one state of a table; None: it was not measured."""
    absolute = "at_most" in aim
    best = figure_of(view, aim) if absolute else reached(view, aim)
    if not best:
        return None
    least = bound(aim, view.state)
    met = best["median"] <= least if absolute else least is not None and best["median"] >= least
    return {**aim, "title": view.table["title"], "state": view.state, **best, "bound": least,
            "met": None if view.state == "any" or least is None else met,
            "by": None if least is None else 1 - best["median"] / least if absolute else best["median"] / least - 1,
            "without": [] if absolute else without(view, aim["against"], aim.get("named", ""))}


def judge(aims, tables):
    """A line for each aim, table and state; or one that says that nothing was measured."""
    lines = []
    for aim in aims:
        views = [view for table in tables if re.fullmatch(aim["table"], table["title"])
                 for view in figures.views_of(table)]
        lines += [line for line in (judged(aim, view) for view in views) if line] or [{**aim, "met": None}]
    return lines


def bound_text(aim):
    """What is aimed at, as words."""
    if "at_most" in aim:
        return f"at most {figures.number(aim['at_most'])}"
    bounds = aim["at_least"]
    if isinstance(bounds, dict):
        return ", ".join(f"at least {value:.2f} {state}" for state, value in bounds.items())
    return f"at least {bounds:.2f}"


def verdict(line):
    """As words."""
    if "n" not in line:
        return "not measured"
    if line["bound"] is None:
        return "no aim"
    if line["met"] is None:
        return "not judged: no quiet runs"
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


def main_row(view, name, left_out, best):
    """A variant against everything else."""
    row = view.row(name)
    if not row:
        return None
    ratios = {head: figures.summary(view.ratios(name, rivals_of(view, role, named)))
              for head, role, named in AGAINST if role not in left_out}
    return {"title": view.table["title"], "state": view.state, "variant": name, "unit": view.table["unit"],
            "median": row["median"], "n": row["n"], "best": name == best,
            "against": {head: ratio for head, ratio in ratios.items() if ratio}}


def main_rows(view, aim, names, left_out):
    best = view.champion(candidates(view, aim, []))
    return [row for row in (main_row(view, name, left_out, best) for name in names) if row]


def main_table(aims, tables):
    """For each table and choice of variants that there are aims for: those with the highest median in a state, in
    all states."""
    rows, seen = [], set()
    for aim in aims:
        for table in tables:
            key = table["title"], aim["variant"]
            if key in seen or "at_most" in aim or not re.fullmatch(aim["table"], table["title"]):
                continue
            seen.add(key)
            views = figures.views_of(table)
            best = [view.champion(candidates(view, aim, [])) for view in views]
            names = list(dict.fromkeys(name for name in best if name))
            for view in views:
                rows += main_rows(view, aim, names, left_out_of(aims, *key))
    return rows
