# SPDX-License-Identifier: MIT
"""Keeps a run's report: DATE-COMMIT.json, .html and .md."""

import contextlib
import copy
import errno
import json
import os
import tempfile

from . import figures, files, report, sections

JSON_MOST = 300000  # bytes with the single runs; more, and these are left out


def write(path, text):
    """A reader, or one who ends this, sees the old file or the new one. OSError: the old one stays."""
    try:
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(path + ".new", path)
    except OSError:
        with contextlib.suppress(OSError):
            os.remove(path + ".new")
        raise


def try_file(path):
    """OSError: it can't be written. What is no plain file would be replaced by one."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise OSError(errno.EINVAL, "it is no plain file", path)
    with open(path + ".new", "w", encoding="utf-8"):
        pass
    os.remove(path + ".new")


def try_folder(path):
    """OSError: no file can be made there. It need not exist yet."""
    path = os.path.abspath(path)
    while not os.path.exists(path):
        path = os.path.dirname(path)
    with tempfile.TemporaryFile(dir=path):
        pass


def as_json(result):
    return json.dumps(result, indent=1) + "\n"


def load(path):
    """A result of benchmarks/run; ValueError says what is wrong with it."""
    result = files.load(path, dict)
    if result.get("format") != figures.FORMAT:
        raise ValueError(f"{path}: not of the format '{figures.FORMAT}'")
    return result


def name_of(result):
    """DATE-COMMIT; what was measured with changed files says so."""
    commit = result["machine"].get("commit", "unknown")
    return f"{result['began'][:10]}-{commit.rstrip('+')[:9]}" + ("-changed" if commit.endswith("+") else "")


def portable(result):
    """Without where programs lie on this machine, and how they are called."""
    copied = copy.deepcopy(result)
    for table in copied["tables"]:
        table["absent"] = [{**v, "path": os.path.basename(v["path"])} for v in table.get("absent", [])]
        table["variants"] = [{**{key: v[key] for key in ("name", "role", "parameters", "one_thread")},
                              "path": os.path.basename(v["path"])} for v in table["variants"]]
    return copied


def rounded(value):
    """Five digits say more than any figure here is worth."""
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, dict):
        return {key: rounded(v) for key, v in value.items()}
    return [rounded(v) for v in value] if isinstance(value, list) else value


def without_runs(result):
    """Medians, ratios and all that is said of them stay."""
    for table in result["tables"]:
        table["runs_left_out"] = len(table["runs"])
        table["runs"] = []
    return rounded(result)


def slim(result):
    """For a kept file."""
    result = portable(result)
    text = as_json(result)
    if len(text.encode()) <= JSON_MOST:
        return text
    return json.dumps(without_runs(result), separators=(",", ":")) + "\n"


def summary(result):
    """Markdown: what was measured on what, the main table, the aims."""
    machine, options = result["machine"], result["options"]
    facts = ", ".join(f"{key} {machine[key]}" for key in ("cpu", "cores", "virtual", "system", "compiler")
                      if key in machine)
    lines = [f"# Benchmarks of {result['began'][:10]}, commit {machine.get('commit', 'unknown')}", "",
             f"{result['rounds']} of {options['rounds']} rounds of {options['seconds']:g} s a run"
             + (", quick" if options["quick"] else "")
             + (f", only '{options['only']}'" if options["only"] else "") + f"; {facts}.", "",
             sections.main_markdown(result["main"]), ""]
    lines += ["Aims:", ""] + [f"- {report.aim_text(line)}" for line in result["aims"]] + [""]
    return "\n".join(lines)


def keep(result, folder):
    """Writes the files; says which."""
    os.makedirs(folder, exist_ok=True)
    base = os.path.join(folder, name_of(result))
    for ending, text in ((".json", slim(result)), (".html", report.html(result)), (".md", summary(result))):
        write(base + ending, text)
    return base
