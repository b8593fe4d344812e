# SPDX-License-Identifier: MIT
"""Files of JSON that somebody names."""

import json

KINDS = {list: "list", dict: "object"}


def load(path, kind):
    """ValueError names the file and says why it is none of these."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: not JSON: {error}") from error
    if not isinstance(found, kind):
        raise ValueError(f"{path}: not a JSON {KINDS[kind]}")
    return found
