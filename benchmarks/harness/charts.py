# SPDX-License-Identifier: MIT
"""Charts that gnuplot draws, as inline SVG: all of a page in one go. Without gnuplot there are none."""

import re
import shutil
import subprocess
from html import escape

from . import figures

WIDTH, HEIGHT, ROW, AXIS = 860, 330, 21, 62  # of lines; of bars: a row, and what is below all of them
SERIES = 8  # lines in one chart
FAR_APART = 50  # the highest of a chart's figures by the lowest: from here on in powers of ten
COLOURS = ("#3f7fcc", "#d9832f", "#3f9f6f", "#bf5f75", "#8a6fc4", "#96862f", "#3f9fae", "#80858f")
ROLES = {"library": COLOURS[0], "serial": "#8a8f98", "ideal": "#a9aeb7", "peer": COLOURS[1], "limit": COLOURS[4],
         "baseline": COLOURS[3]}
MISSING = "there is no gnuplot, which draws charts: scripts/setup installs it (Debian's package is gnuplot-nox)"
SETTINGS = """set encoding utf8
set border linecolor rgb '#8a8f98'
set tics nomirror textcolor rgb 'black'
set grid linecolor rgb '#b08a8f98' linetype 1
set format '%.6g'
"""


def missing():
    """Why there are no charts; None: there are."""
    return None if shutil.which("gnuplot") else MISSING


def quoted(text):
    """gnuplot knows no way to write such quotes in data."""
    return '"' + text.replace('"', "”").replace("\n", " ") + '"'


def block(name, rows):
    return f"${name} << EOD\n" + "".join(" ".join(map(str, row)) + "\n" for row in rows) + "EOD\n"


def bars(rows, unit):
    """A bar for each row (label, role, median, least, most), with what was least and most as a whisker. Its
    height, and a script."""
    data = [(quoted(row["label"]), row["median"], row["least"], row["most"],
             int(ROLES[row["role"]][1:], 16), quoted(figures.number(row["median"]))) for row in rows]
    return ROW * len(rows) + AXIS, block("d", data) + f"""set xlabel {quoted(unit)}
set xrange [0:{1.17 * max(row["most"] for row in rows) or 1}]
set yrange [{len(rows) - 0.5}:-0.5]
set grid noytics
unset key
plot $d using ($2/2):0:(0):2:($0-0.38):($0+0.38):5:ytic(1) with boxxyerror fillstyle solid noborder \
linecolor rgb variable, \\
$d using 2:0:3:4 with xerrorbars pointtype -1 linecolor rgb 'black', \\
$d using 4:0:6 with labels left offset 0.6,0
"""


def spans(rows, unit):
    """What each of the rows (name, kind, spans) did when: a box for each span, kernels and transfers in their colours.
    Its height, and a script."""
    colours = {"kernel": COLOURS[0], "transfer": COLOURS[1]}
    data = [(a, b, i, int(colours[row["kind"]][1:], 16)) for i, row in enumerate(rows) for a, b in row["spans"]]
    ticks = ", ".join(f"{quoted(row['name'])} {i}" for i, row in enumerate(rows))
    return ROW * len(rows) + AXIS, block("d", data) + f"""set xlabel {quoted(unit)}
set yrange [{len(rows) - 0.5}:-0.5]
set ytics ({ticks})
set grid noytics
unset key
plot $d using (($1+$2)/2):3:1:2:($3-0.36):($3+0.36):4 with boxxyerror fillstyle solid noborder linecolor rgb variable
"""


def lines(series, x_title, y_title, linear=False):
    """series: {name: [(x, y), ..]}, at most SERIES of them; linear: never in powers. Its height, and a script."""
    xs = sorted({x for points in series.values() for x, _ in points})
    ys = [y for points in series.values() for _, y in points]
    script = [block(f"d{i}", sorted(points)) for i, points in enumerate(series.values())]
    script.append(f"set xlabel {quoted(x_title)}\nset ylabel {quoted(y_title)}\n"
                  "set key outside right top Left reverse\n")
    if linear:
        script.append(f"set xrange [{xs[0]}:{xs[-1]}]\n" if xs[0] < xs[-1] else "")
    else:
        script.append("set logscale x\n" if xs[0] > 0 and xs[-1] > 8 * xs[0] else
                      "set offsets graph 0.02, graph 0.02\n")
    if len(xs) <= 8:
        script.append(f"set xtics ({', '.join(map(str, xs))})\n")
    script.append("set logscale y\n" if min(ys) > 0 and max(ys) >= FAR_APART * min(ys) and not linear
                  else "set yrange [0:*]\n")
    script.append("plot " + ", \\\n".join(
        f"$d{i} using 1:2 with linespoints linewidth 2 pointtype 7 pointsize 0.6 linecolor rgb '{COLOURS[i % SERIES]}' "
        f"title {quoted(name)}" for i, name in enumerate(series)) + "\n")
    return HEIGHT, "".join(script)


def configurations(shown, y_title):
    """Of a pipeline: "lines" that are predicted over threads, {name: [(n, y), ..]}; "marks" that are measured, of the
    same form; "bars" of what takes all cores at once, [{"name", "measured", "predicted"}]. Its height, and a script."""
    most = max((n for series in ("lines", "marks") for points in shown[series].values() for n, _ in points), default=0)
    ticks = [f"{quoted(str(n))} {n}" for n in range(1, most + 1)]
    at = [most + 2 + 2 * i for i in range(len(shown["bars"]))]
    ticks += [f"{quoted(bar['name'])} {x}" for x, bar in zip(at, shown["bars"])]
    script, plots = [], []
    for i, (name, points) in enumerate(shown["lines"].items()):
        script.append(block(f"l{i}", points))
        plots.append(f"$l{i} using 1:2 with lines linewidth 2 linecolor rgb '{COLOURS[i % SERIES]}' "
                     f"title {quoted(name)}")
    for i, (name, points) in enumerate(shown["marks"].items()):
        script.append(block(f"m{i}", points))
        plots.append(f"$m{i} using 1:2 with points pointtype {(7, 5, 9)[i % 3]} pointsize 1.1 linecolor rgb 'black' "
                     f"title {quoted(name)}")
    said = [(x, bar["predicted"]) for x, bar in zip(at, shown["bars"]) if bar["predicted"] is not None]
    if said:
        script.append(block("p", said))
        plots.append(f"$p using 1:2:(1) with boxes fillstyle solid 0.5 linecolor rgb '{COLOURS[0]}' "
                     "title 'medium grain, predicted'")
    if shown["bars"]:
        script.append(block("b", [(x, bar["measured"]) for x, bar in zip(at, shown["bars"])]))
        plots.append("$b using 1:2 with points pointtype 2 pointsize 1.3 linewidth 2 linecolor rgb 'black' "
                     "title 'medium grain, measured'")
    script.append(f"set xlabel 'threads'\nset ylabel {quoted(y_title)}\nset key outside right top Left reverse\n"
                  f"set xrange [0.5:{at[-1] + 1 if at else most + 0.5}]\nset yrange [0:*]\n"
                  f"set xtics ({', '.join(ticks)})\n"
                  "plot " + ", \\\n".join(plots) + "\n")
    return HEIGHT, "".join(script)


def picture(chart):
    """A file of its own, on paper's colour. OSError, or ValueError with what gnuplot said."""
    charts = Charts()
    charts.add("", chart)
    paper = '<rect width="100%" height="100%" fill="#fcfcfa"/>'
    return charts.draw()[0].replace("</desc>", f"</desc>\n{paper}", 1) + "</svg>\n"


class Charts:
    """Of a page: what add() gives stands for a chart until put() has drawn them all."""

    def __init__(self):
        self.labels, self.scripts = [], []

    def add(self, label, chart):
        height, script = chart
        self.labels.append(label)
        self.scripts.append(f"reset\nset terminal svg size {WIDTH},{height} noenhanced font 'sans-serif,12'\n"
                            f"{SETTINGS}{script}set output\n")
        return f"<!-- chart {len(self.labels) - 1} -->"

    def draw(self):
        """What gnuplot wrote. OSError, or ValueError with what it said."""
        done = subprocess.run(["gnuplot", "-d"], input="".join(self.scripts), capture_output=True, text=True,
                              check=False, encoding="utf-8")
        drawn = done.stdout.split("</svg>")[:-1]
        if done.returncode or len(drawn) != len(self.labels):
            raise ValueError(f"gnuplot has drawn {len(drawn)} of {len(self.labels)} charts: "
                             f"{done.stderr.strip() or 'it did not say why'}")
        return drawn

    def put(self, page):
        """The page with its charts, or with the reason why there are none."""
        if not self.labels:
            return page
        try:
            drawn = self.draw() if not missing() else []
            why = missing()
        except (OSError, ValueError) as error:
            drawn, why = [], str(error)
        if why:
            return page.replace("<!-- chart 0 -->", f'<p class="failure">No charts: {escape(why)}.</p>', 1)
        # the marks that curves are made of stand in the first one only
        for i, (label, svg) in enumerate(zip(self.labels, drawn)):
            body = re.sub(r"\A.*?</desc>|<title>.*?</title>", "", svg, flags=re.DOTALL)
            body = body if not i else re.sub(r"<defs>.*?</defs>", "", body, flags=re.DOTALL)
            size = re.search(r'viewBox="0 0 (\d+) (\d+)"', svg)
            page = page.replace(
                f"<!-- chart {i} -->", f'<svg viewBox="{size.group(0)[9:-1]}" width="{size.group(1)}" role="img" '
                f'aria-label="{escape(label, quote=True)}">{body}</svg>', 1)
        return page
