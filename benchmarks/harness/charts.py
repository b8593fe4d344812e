# SPDX-License-Identifier: MIT
"""Charts as inline SVG. Colours are classes, so that the page chooses them by day and by night."""

import math
from html import escape

from . import figures

WIDTH, LABEL, VALUE = 860, 270, 90  # of a bar chart; its names at least; its numbers
LETTER, LABEL_MOST = 6.4, 460
BAR, GAP = 16, 5
SERIES = 8  # colours, and lines in one chart
DECADES_FROM = 50  # the highest of a chart's figures by the lowest: from here on in powers of ten


def ticks(most, count=5):
    """Round numbers from 0 to at least `most`."""
    if not most > 0 or not math.isfinite(most):
        return [0, 1]
    rough = most / count
    power = 10 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= rough * 0.999)
    return [i * step for i in range(math.ceil(most / step * 0.999) + 1)]


def text(x, y, content, kind="", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{escape(content)}</text>'


def line(x1, y1, x2, y2, kind):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def svg(width, height, label, parts):
    return (f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" role="img" '
            f'aria-label="{escape(label, quote=True)}">' + "".join(parts) + "</svg>")


def bars(rows, unit, label):
    """A bar for each row (label, role, median, least, most), with what was least and most as a whisker."""
    marks = ticks(max(row["most"] for row in rows))
    names = min(max(LABEL, LETTER * max(len(row["label"]) for row in rows) + 12), LABEL_MOST)
    room, bottom = WIDTH - names - VALUE, len(rows) * (BAR + GAP)
    scale = room / marks[-1]
    parts = []
    for mark in marks:
        x = names + mark * scale
        parts += [line(x, 0, x, bottom, "grid"), text(x, bottom + 16, figures.number(mark), "tick", "middle")]
    for i, row in enumerate(rows):
        y = i * (BAR + GAP) + GAP / 2
        middle = y + BAR / 2
        spread = f"{figures.number(row['least'])} to {figures.number(row['most'])}"
        tip = f"{row['label']}: {figures.number(row['median'])} ({spread}) {unit}"
        parts += [
            text(names - 8, middle + 4, row["label"], "name", "end"),
            f'<rect x="{names}" y="{y:.1f}" width="{max(row["median"] * scale, 0.5):.1f}" height="{BAR}" '
            f'class="{row["role"]}"><title>{escape(tip)}</title></rect>',
            line(names + row["least"] * scale, middle, names + row["most"] * scale, middle, "whisker"),
            text(names + row["most"] * scale + 6, middle + 4, figures.number(row["median"]), "value")]
    parts.append(text(names + room / 2, bottom + 34, unit, "axis", "middle"))
    return svg(WIDTH, bottom + 42, label, parts)


def place(values, left, room):
    """x of a value: doubled values at equal distances where they are far apart."""
    low, high = min(values), max(values)
    if low > 0 and high / low > 8:
        return lambda x: left + room * math.log(x / low) / math.log(high / low)
    return lambda x: left + (room * (x - low) / (high - low) if high > low else room / 2)


def decades(low, high):
    """Powers of ten from below to above."""
    return [10.0 ** power for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def heights(values, height):
    """The numbers at a chart's side, and how high a value is."""
    low, high = min(values), max(values)
    if low > 0 and high / low >= DECADES_FROM:
        marks = decades(low, high)
        return marks, lambda y: height * math.log(y / marks[0]) / math.log(marks[-1] / marks[0])
    marks = ticks(high)
    return marks, lambda y: height * y / marks[-1]


def curve(index, name, points, to_x, to_y, x_title, y_title):
    kind = f"s{index % SERIES}"
    path = " ".join(f"{to_x(x):.1f},{to_y(y):.1f}" for x, y in points)
    parts = [f'<polyline points="{path}" class="curve {kind}"/>']
    for x, y in points:
        tip = f"{name}: {figures.number(y)} {y_title} at {figures.number(x)} {x_title}"
        parts.append(f'<circle cx="{to_x(x):.1f}" cy="{to_y(y):.1f}" r="3.5" class="dot {kind}">'
                     f"<title>{escape(tip)}</title></circle>")
    return parts


def lines(series, x_title, y_title, label):
    """series: {name: [(x, y), ..]}, at most SERIES of them."""
    left, top, room, height = 70, 10, 470, 260
    xs = sorted({x for points in series.values() for x, _ in points})
    marks, up = heights([y for points in series.values() for _, y in points], height)
    to_x = place(xs, left + 10, room - 20)

    def to_y(y):
        return top + height - up(y)

    parts = []
    for mark in marks:
        parts += [line(left, to_y(mark), left + room, to_y(mark), "grid"),
                  text(left - 6, to_y(mark) + 4, figures.number(mark), "tick", "end")]
    last = -math.inf
    for x in xs:
        if to_x(x) - last >= 34:  # numbers side by side, not over each other
            last = to_x(x)
            parts.append(text(last, top + height + 16, figures.number(x), "tick", "middle"))
    for i, (name, points) in enumerate(series.items()):
        parts += curve(i, name, sorted(points), to_x, to_y, x_title, y_title)
        y = top + 14 + i * 20
        parts += [line(left + room + 16, y - 4, left + room + 36, y - 4, f"curve s{i % SERIES}"),
                  text(left + room + 42, y, name, "name")]
    parts += [text(left + room / 2, top + height + 36, x_title, "axis", "middle"),
              f'<text x="14" y="{top + height / 2}" class="axis" text-anchor="middle" '
              f'transform="rotate(-90 14 {top + height / 2})">{escape(y_title)}</text>']
    return svg(WIDTH, max(top + height + 46, top + 20 * len(series) + 10), label, parts)
