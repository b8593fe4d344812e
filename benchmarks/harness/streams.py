# SPDX-License-Identifier: MIT
"""stdout and stderr, which may go nowhere."""

import atexit
import os
import sys


def settle(stream):
    """The interpreter flushes once more at its end, and its status is 120 if it can't."""
    try:
        if stream:
            stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def settle_at_end():
    atexit.register(settle, sys.stdout)
    atexit.register(settle, sys.stderr)
