# SPDX-License-Identifier: MIT
"""How long a run may take: it is divided over the tables, each of which has so many rounds as fit into its share."""

import time

REPORT = 0.03  # of the time: for files and charts


def divided(costs, most, seconds):
    """How many more rounds each table has, at most `most`, when one costs so many seconds: all tables get the same
    time, and what some don't need the others get. What doesn't fit gets none."""
    def rounds(share):
        return [most if cost * most <= share else int(share // cost) for cost in costs]

    def taken(share):
        return sum(n * cost for n, cost in zip(rounds(share), costs))
    least, enough = 0, max((cost * most for cost in costs), default=0)
    if taken(enough) <= seconds:
        return rounds(enough)
    for _ in range(50):
        middle = (least + enough) / 2
        if taken(middle) <= seconds:
            least = middle
        else:
            enough = middle
    return rounds(least)


class Budget:
    """Of a whole run, from here on. Without minutes there is no end."""

    def __init__(self, minutes, now=time.monotonic):
        self.now = now
        self.end = now() + 60 * minutes * (1 - REPORT) if minutes else None

    def left(self):
        return float("inf") if self.end is None else self.end - self.now()

    def fits(self, seconds):
        return seconds <= self.left()

    def choose(self, tables, cost, most):
        """The tables that have another round, of `most` that are left: cost(table) is what it takes."""
        if self.end is None:
            return list(tables)
        costs = [cost(table) for table in tables]
        return [table for table, rounds in zip(tables, divided(costs, most, self.left())) if rounds]
