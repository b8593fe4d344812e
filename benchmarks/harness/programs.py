# SPDX-License-Identifier: MIT
"""The programs that take part: what they have, and one run of one variant (see benchmarks/common/rounds.h)."""

import contextlib
import json
import os
import signal
import subprocess

from . import files

LIST_SECONDS = 120  # a program may measure before it knows what it has

VARIANT_KEYS = {"table": str, "unit": str, "scale": (int, float), "least": int, "times": bool, "expect": bool,
                "at": (int, float), "name": str, "role": str, "group": int, "divide": int, "one_thread": bool,
                "parameters": dict, "again": list}
RUN_KEYS = {"table": str, "name": str, "items": int, "seconds": (int, float), "cpu": (int, float),
            "voluntary": int, "involuntary": int, "peak_bytes": int, "state": str, "busy": bool, "hash": str}
ROLES = ("library", "serial", "ideal", "peer", "limit", "baseline")
STATES = ("near", "far", "neither")
NUMBER_MOST = 1e20  # in an answer; no clock and no memory has more, and what is computed of them stays finite


class Failure(Exception):
    """A program did not do what the protocol says."""


def load(path):
    """The catalogue: which programs there may be, and what they are called with."""
    catalogue = files.load(path, list)
    for entry in catalogue:
        if not isinstance(entry, dict) or not isinstance(entry.get("program"), str) \
                or not isinstance(entry.get("arguments"), list):
            raise ValueError(f"{path}: an entry without 'program' or 'arguments': {entry}")
    return catalogue


def ending(status, errors):
    """How a program ended, with the last thing that it said."""
    said = errors.strip().splitlines()[-1:] or ["it said nothing"]
    if status >= 0:
        return f"ended with status {status}: {said[0]}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    return f"was killed by {name}: {said[0]}"


def kill_group(process, number):
    """It and what it has started, which is in its group, unless nothing of that is left."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def end(process):
    """Nothing is left of it, even if another interrupt comes while it is asked to end."""
    try:
        if process.poll() is None:
            kill_group(process, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5)
    finally:
        INTERRUPTS.hold()
        try:
            kill_group(process, signal.SIGKILL)
            process.wait()
            process.stdout.close()
            process.stderr.close()
        finally:
            INTERRUPTS.let()


class Interrupts:
    """One that comes while a program is being started waits until that can be ended, too; one that
    comes while it is killed waits until that is done."""

    def __init__(self):
        self.held = self.pending = False

    def handle(self, _number, _frame):
        """For signal.signal()."""
        if not self.held:
            raise KeyboardInterrupt
        self.pending = True

    def hold(self):
        self.held = True

    def let(self):
        self.held = False
        if self.pending:
            self.pending = False
            raise KeyboardInterrupt


INTERRUPTS = Interrupts()


def call(command, seconds, variables=None):
    """What a program prints, with these variables in its environment; it does not outlive an exception here."""
    process = None
    try:
        INTERRUPTS.hold()
        try:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True, errors="replace",
                                       env={**os.environ, **(variables or {})},
                                       start_new_session=True)  # so that end() finds what it starts
        finally:
            INTERRUPTS.let()
        output, errors = process.communicate(timeout=seconds)
    except OSError as error:
        raise Failure(f"cannot be run: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise Failure(f"was stopped after {seconds:.0f} s") from error
    finally:
        if process:
            end(process)
    if process.returncode:
        raise Failure(ending(process.returncode, errors))
    return output


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def proper(value, kind):
    """Of the kind, and can be computed with, printed and given to a program."""
    if isinstance(value, bool):
        return kind is bool
    if not isinstance(value, kind):
        return False
    if isinstance(value, (int, float)):
        return abs(value) < NUMBER_MOST  # neither infinite nor nan is
    if isinstance(value, str):
        return "\0" not in value and value.isprintable()
    return True


def check_list(variant):
    """What is within, and what need not be there. Raises Failure."""
    for key, kind in (("family", str), ("sweep", str), ("absent", str)):
        if not proper(variant.get(key), (kind, type(None))):
            raise Failure(f"has a variant without a proper '{key}': {variant['name']}")
    if not all(proper(value, (int, float)) for value in variant["parameters"].values()):
        raise Failure(f"has a variant with a parameter that is no number: {variant['name']}")
    if not all(proper(word, str) for word in variant["again"]):
        raise Failure(f"has a variant whose 'again' is not made of words: {variant['name']}")
    if variant["role"] not in ROLES:
        raise Failure(f"has a variant of the unknown role '{variant['role']}'")
    if variant["least"] < 1 or variant["divide"] < 1 or variant["scale"] < 1 / NUMBER_MOST:
        raise Failure(f"has a variant whose least, divide or scale is too small: {variant['name']}")


def check_run(run, variant):
    """Raises Failure."""
    for key, kind in (("channel_bytes", int), ("channel_bytes_taken", int), ("expected", str)):
        if key in run and not proper(run[key], kind):
            raise Failure(f"printed a run without a proper '{key}'")
    if run["seconds"] < 1e-12 or run["cpu"] < 0 or run["items"] < 1 or run["state"] not in STATES:
        raise Failure(f"printed a run of {run['items']} items in {run['seconds']} s, {run['cpu']} s of all "
                      f"threads, state {run['state']}")
    if [run["table"], run["name"]] != [variant["table"], variant["name"]]:
        raise Failure(f"ran '{run['name']}' of '{run['table']}' instead")


def answers(output, keys):
    """The lines of JSON in an output: a runtime may have printed others between them."""
    found = []
    for line in output.splitlines():
        if not line.startswith("{"):
            continue
        try:
            answer = json.loads(line, parse_constant=refuse_constant)
        except (ValueError, RecursionError) as error:
            raise Failure(f"printed a line that is not JSON: {line[:80]}") from error
        for key, kind in keys.items():
            if not proper(answer.get(key), kind):
                raise Failure(f"printed a line without a proper '{key}': {line[:80]}")
        found.append(answer)
    if not found:
        raise Failure("printed no line of JSON")
    return found


def list_variants(program, path, arguments):
    """What the program has, when it is called with these arguments."""
    variants = answers(call([path, *arguments, "--list"], LIST_SECONDS), VARIANT_KEYS)
    for variant in variants:
        check_list(variant)
        variant.update(program=program, path=path, arguments=arguments)
    return variants


def run_variant(variant, how, seconds, round_index=0, expect=False):
    """One run. how: ["--items", N] or ["--seconds", S]; seconds: after which it must be stuck."""
    command = [variant["path"], *variant["arguments"], *variant["again"], "--table", variant["table"],
               "--run",
               variant["name"], "--round", str(round_index), *map(str, how),
               *(["--expect"] if expect else [])]
    run = answers(call(command, seconds), RUN_KEYS)[-1]
    check_run(run, variant)
    return run


def find(build, catalogue, quick):
    """Programs that are built, as (name in the catalogue, path, arguments), and absent ones."""
    present, absent = [], []
    for entry in catalogue:
        path = os.path.join(build, entry["program"])
        if os.path.isfile(path) and os.access(path, os.X_OK):
            calls = entry.get("quick", entry["arguments"]) if quick else entry["arguments"]
            present += [(entry["program"], path, arguments) for arguments in calls]
        else:
            needs = f"; it needs {entry['needs']}" if "needs" in entry else ""
            found = " if configure found that" if needs else ""
            absent.append({"what": entry["program"], "why": f"not built{needs}; make builds it{found}"})
    return present, absent
