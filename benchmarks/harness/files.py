# SPDX-License-Identifier: MIT
"""Files that the user names."""

import contextlib
import errno
import json
import os

KINDS = {list: "list", dict: "object"}


def load(path, kind):
    """Of JSON. ValueError names the file and says why it is none of these."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: not JSON: {error}") from error
    if not isinstance(found, kind):
        raise ValueError(f"{path}: not a JSON {KINDS[kind]}")
    return found


def write(path, text):
    """A reader finds the old file or the new one, also when this program is ended. OSError: the old one stays."""
    try:
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(path + ".new", path)
    except OSError:
        with contextlib.suppress(OSError):
            os.remove(path + ".new")
        raise


def attempt(path):
    """OSError: it can't be written. What is no plain file would be replaced by one."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise OSError(errno.EINVAL, "it is no plain file", path)
    with open(path + ".new", "w", encoding="utf-8"):
        pass
    os.remove(path + ".new")
