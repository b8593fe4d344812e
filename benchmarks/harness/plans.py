# SPDX-License-Identifier: MIT
"""What penstock plan says of the graphs in examples/: as JSON, and as drawings where Graphviz's dot is there."""

import json
import os
import shutil

from . import programs

COMMAND = "apps/penstock/penstock"
SECONDS = 120
NO_DOT = "there is no dot, which draws it: install graphviz"


class Absent(Exception):
    """What is needed is not here."""


def command(build):
    """The path of penstock. Absent: it is not built."""
    path = os.path.join(build, COMMAND)
    if not (os.path.isfile(path) and os.access(path, os.X_OK)):
        raise Absent(f"{COMMAND} is not built: it needs libyaml")
    return path


def plugins(build):
    """Where penstock finds the actors that were built with it."""
    return {"PENSTOCK_PLUGINS": os.path.abspath(os.path.join(build, "actors/.libs"))}


def parsed(text, program):
    """A JSON object; Failure says whose it is not."""
    try:
        found = json.loads(text, parse_constant=programs.refuse_constant)
    except (ValueError, RecursionError) as error:
        raise programs.Failure(f"{program}: not JSON: {error}") from error
    if not isinstance(found, dict):
        raise programs.Failure(f"{program}: no JSON object")
    return found


def said(build, *words, variables=None):
    """What penstock prints as JSON. Absent: it can't."""
    variables = {**plugins(build), **(variables or {})}
    try:
        return parsed(programs.call([command(build), *words, "--json"], SECONDS, variables), f"penstock {words[0]}")
    except programs.Failure as failure:
        if "this build has no jansson" in str(failure):
            raise Absent("this penstock was built without jansson, so it writes no JSON") from failure
        raise


def plan(build, graph, *options):
    return said(build, "plan", graph, *options)


def drawing(build, graph, *options):
    """An SVG. Absent: there is no dot."""
    if not shutil.which("dot"):
        raise Absent(NO_DOT)
    return programs.call([command(build), "plan", graph, *options, "--format", "svg"], SECONDS,
                         plugins(build))


def both(build, graph, *options):
    """With overlap on and off."""
    return {way: plan(build, graph, "--overlap", way, *options) for way in ("on", "off")}
