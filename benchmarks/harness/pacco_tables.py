# SPDX-License-Identifier: MIT
"""The tables and charts of each of PACCO's tables and figures, and the summary of all. Cells are words."""

from . import charts, figures, pacco_paper

KEPT = (("table", "1"), ("table", "2"), ("figure", "15"), ("figure", "20"))
HEAD = ["", "the paper", "predicted", "measured"]
NONE = "–"
WAYS = {"on": "with overlap", "off": "without"}


def number(value, scale=1.0, unit=""):
    if not isinstance(value, (int, float)):
        return NONE
    return figures.number(value * scale) + (f" {unit}" if unit else "")


def ms(value):
    return number(value, 1e3)


def mb(value):
    return number(value, 1e-6)


def ratio(a, b):
    return f"{a / b:.2f}" if isinstance(a, (int, float)) and isinstance(b, (int, float)) and b else NONE


# -- transfers --

def table1(data):
    rows = [[f"paper: {name}", "", "", *(number(rates[k], 1e-9) for k in ("1", "2", "6")), ""]
            for name, rates in data["paper"].items()]
    for link in data["links"]:
        name = " – ".join(link["between"]) + (", forced" if data["forced"] else "")
        for memory in dict.fromkeys(row["memory"] for row in link["measured"]):
            for way in ("there", "back"):
                rates = {row["at_once"]: row[way] for row in link["measured"] if row["memory"] == memory}
                rows.append([name, memory, way, *(number(rates.get(k), 1e-9) for k in (1, 2, 6)),
                             f"{link['locked']:.2f}" if (memory, way) == ("locked", "there") else ""])
    return [("GB/s", ["", "memory", "direction", "1 transfer", "2 at once", "6 at once", "page-locked × pageable"],
             rows)]


# -- saliency --

def table2(data):
    tables = []
    for entry in data["sizes"]:
        steps = entry["steps"]
        totals = [sum(step[key] for step in steps) if all(isinstance(step.get(key), (int, float)) for step in steps)
                  else None for key in ("cores_s", "device_s")]
        rows = [[step["name"], *(ms(step.get(key)) for key in ("paper_s", "cores_s", "device_s"))] for step in steps]
        rows.append(["all", *map(ms, (entry["paper_total_s"], *totals))])
        tables.append((f"{entry['size']}, ms a frame", ["", "the paper's GPU", "cores", "device"], rows))
    return tables + ways(data) + two_devices(data)


def ways(data):
    """Ratios of two runs of one round."""
    rows = [["team of 2, × one thread", str(e.get("size")), ms(e.get("one_s")), ms(e.get("team_s")),
             number(e.get("ratio"))] for e in data["team"]]
    rows += [["library on a device, × by hand", str(e.get("size")), ms(e.get("by_hand_s")), ms(e.get("library_s")),
              number(e.get("ratio"))] for e in data["by_hand"]]
    return [("ms a frame", ["", "size", "reference", "library", "times as fast"], rows)] if rows else []


def two_devices(data):
    names = {"split": "a pipeline over both", "paper": "split as the paper's", "dealt": "frames dealt in turn"}
    both = data["two_devices"]
    found = [(name + where, ways[key]) for where, ways in (("", both), (", the paper's times", both.get("timed", {})))
             for key, name in names.items() if key in ways]
    rows = [[name, number(e.get("rate")), number(e.get("planned")), number(e.get("evenness")),
             "yes" if e.get("in_order") is True else "no" if e.get("in_order") is False else NONE,
             mb(e.get("bytes"))] for name, e in found]
    return [("Two devices", ["", "frames/s", "planned", "evenness", "in order", "memory, MB"], rows)] if rows else []


# -- P-I-I-C --

def cycle_words(latency):
    return ", ".join(f"{actor} {cycle}" for actor, cycle in latency.items())


def timeline(data):
    return [("", ["", "the paper", "planned"], [
        ["cycles between producer and consumer", str(data["paper_cycles"]), str(data["cycles_between"])],
        ["first cycle of each actor", NONE, cycle_words(data["latency"])],
        ["share of transfers beside a kernel of that device", NONE, f"{data['overlapped']:.2f}"]])]


def points4(data):
    head = ["kernel, ms", "with overlap", "model", "without (paper's way)", "model", "times as fast", "model"]
    return [("ms a token", head, [
        [ms(p["kernel_s"]), ms(p["on_s"]), ms(p["model_on_s"]), ms(p["phases_s"]), ms(p["model_phases_s"]),
         ratio(p["phases_s"], p["on_s"]), ratio(p["model_phases_s"], p["model_on_s"])] for p in data["points"]])]


HEAD15 = ["nb_loop", "kernel", "on", "plan", "model", "by hand", "off", "plan", "phases", "model", "S", "by hand/on"]


def points15(data):
    tables = []
    drivers = {"": data, **data.get("drivers", {})}
    for name, found in drivers.items():
        if "points" not in found:
            continue
        rows = [[str(p["nb_loop"]), *(ms(p[key]) for key in (
            "kernel_s", "on_s", "planned_on_s", "model_on_s", "by_hand_s", "off_s", "planned_off_s", "phases_s",
            "model_phases_s")), ratio(p["phases_s"], p["on_s"]), ratio(p["by_hand_s"], p["on_s"])]
            for p in found["points"]]
        tables.append((f"ms a token, {name or found.get('driver', 'timed')} driver. By hand: the paper's runtime with "
                       "overlap; phases: without. S: phases by on", HEAD15, rows))
    hosts = data.get("two_hosts")
    if hosts:
        rows = [[str(p["nb_loop"]), *(ms(p[key]) for key in ("kernel_s", "planned_on_s", "model_on_s", "planned_off_s",
                                                             "model_phases_s")),
                 ratio(p["model_phases_s"], p["planned_on_s"])] for p in hosts["points"]]
        tables.append(("ms a token, two hosts, planned", ["nb_loop", "kernel", "on", "model", "off", "phases, model",
                                                          "S"], rows))
    return tables + hosts15(data)


def hosts15(data):
    """Of two processes."""
    found = data.get("two_hosts_measured")
    if not found:
        return []
    rows = [[str(p["nb_loop"]), *(ms(p[key]) for key in (
        "kernel_s", "on_s", "planned_on_s", "model_on_s", "by_hand_s", "off_s", "planned_off_s", "phases_s",
        "model_phases_s")), ratio(p["phases_s"], p["on_s"]), ratio(p["model_phases_s"], p["model_on_s"]),
        number(p["by_hand_over_on"])] for p in found["points"]]
    tables = [(f"ms a token, two hosts, a {found.get('network', 'modelled')} network. By hand: the paper's runtime "
               "with overlap, by MPI and OpenCL; phases: without. S: phases by on; the paper: "
               f"{pacco_paper.PIIC['speedup']} where nb_loop is {pacco_paper.PIIC['nb_loop']}, by its formula "
               f"{pacco_paper.PIIC['formula']}", HEAD15[:-1] + ["model", "by hand/on"], rows)]
    plan = found.get("plan")
    if plan:
        places = sorted(plan["on"]["memory"])
        tables.append(("MB a place, and that FIFOs took on each host", ["", "the paper", *places, "host 0", "host 1"], [
            [name, mb(pacco_paper.MEMORY[way]), *(mb(plan[way]["memory"].get(place)) for place in places),
             *map(mb, plan[way]["taken"])] for way, name in WAYS.items()]))
    return tables


def curve(points, x, key, scale=1e3):
    return [(p[x], p[key] * scale) for p in points]


def times15(data):
    """Figure 15's lines."""
    points = data["points"]
    return charts.lines({
        "library, with overlap": curve(points, "nb_loop", "on_s"),
        "model: the longest of kernel and hop": curve(points, "nb_loop", "model_on_s"),
        "library, without": curve(points, "nb_loop", "off_s"),
        "the paper's way without": curve(points, "nb_loop", "phases_s"),
        "model: their sum": curve(points, "nb_loop", "model_phases_s")}, "nb_loop", "ms a token", linear=True)


def charts15(data):
    """What was neither measured nor planned has no line; on other drivers there are tables only."""
    found, series = [], {}
    if "points" in data:
        found.append(("Time of a token", times15(data)))
        series["one host, measured"] = [(p["nb_loop"], p["phases_s"] / p["on_s"]) for p in data["points"]]
        series["one host, model"] = [(p["nb_loop"], p["model_phases_s"] / p["model_on_s"]) for p in data["points"]]
    if "two_hosts" in data:
        series["two hosts, planned"] = [(p["nb_loop"], p["model_phases_s"] / p["planned_on_s"])
                                        for p in data["two_hosts"]["points"]]
    measured = data.get("two_hosts_measured")
    if measured:
        found.append(("Time of a token, two hosts", times15(measured)))
        series["two hosts, measured"] = [(p["nb_loop"], p["phases_s"] / p["on_s"]) for p in measured["points"]]
    if "two_hosts" in data or measured:
        paper = pacco_paper.PIIC
        series["the paper, measured"] = [(paper["nb_loop"], paper["speedup"])]
        series["the paper, by its formula"] = [(paper["nb_loop"], paper["formula"])]
    if series:
        found.append(("Speed-up", charts.lines(series, "nb_loop", "times as fast with overlap", linear=True)))
    return found


def charts4(data):
    points = [{**p, "kernel_ms": p["kernel_s"] * 1e3} for p in data["points"]]
    return [("Time of a token", charts.lines({
        "library, with overlap": curve(points, "kernel_ms", "on_s"),
        "model": curve(points, "kernel_ms", "model_on_s"),
        "the paper's way without": curve(points, "kernel_ms", "phases_s"),
        "model: the sum": curve(points, "kernel_ms", "model_phases_s")}, "kernel, ms", "ms a token", linear=True))]


def charts_timeline(data):
    rows = [{**queue, "name": f"{queue['device']}: {queue['name']}",
             "spans": [(a * 1e3, b * 1e3) for a, b in queue["spans"]]} for queue in data["queues"]]
    return [("Kernels blue, transfers orange", charts.spans(rows, "ms"))]


# -- plans --

def buffers9(data):
    rows = [[f"bn_{b['id']}", b["place"], b["writer"] or f"from bn_{b['from']}", ", ".join(b["readers"]),
             str(b["depth"]), str(off["depth"])] for b, off in zip(data["buffers"]["on"], data["buffers"]["off"])]
    latencies = [[actor, str(position), *(str(data["latency"][way][actor]) for way in WAYS)]
                 for actor, position in data["schedule"].items()]
    return [("Schedule and latency", ["", "schedule", *(f"cycle {way}" for way in WAYS.values())], latencies),
            ("Buffers", ["", "place", "written by", "read by", "depth with overlap", "without"], rows)]


def memory_rows(memory):
    return [[place, mb(m["bytes"]), mb(m["merged_bytes"]), ratio(m["bytes"], m["merged_bytes"])]
            for place, m in memory.items()]


def memory10(data):
    return [(f"MB, {name}: {data[way]['freed']} of {data[way]['buffers']} buffers freed (the paper: "
             f"{pacco_paper.MERGED})", ["", "apart", "merged", "factor"], memory_rows(data[way]["memory"]))
            for way, name in WAYS.items()]


def memory14(data):
    return [("MB a place", ["", "the paper", *sorted(data["on"]["memory"])], [
        [name, mb(pacco_paper.MEMORY[way]), *(mb(data[way]["memory"][place]["bytes"])
                                              for place in sorted(data["on"]["memory"]))]
        for way, name in WAYS.items()])]


def tasks18(data):
    return [("", ["", "schedule", "place"], [[actor, str(position), data["mapping"][actor]]
                                             for actor, position in data["schedule"].items()])]


def extra19(data):
    keys = {"one_device": "one device", "two_devices": "two devices", "extra": "more", "paper_extra": "the paper says",
            "paper_loop_extra": "its figs. 2 and 3"}
    return [("The sink's first cycle", ["", *keys.values()],
             [[name, *(str(data[way][key]) for key in keys)] for way, name in WAYS.items()])]


def memory24(data):
    tables = [(f"MB, {name}; the paper: factor {data['paper_factor']:g} on the first device",
               ["", "apart", "merged", "factor"], memory_rows(data[way]["memory"])) for way, name in WAYS.items()]
    split = data["split"]
    rows = [["split of the paper", number(split["frames"]), number(split["paper_frames"]),
             f"{split['second_busy']:.2f}", f"{split['paper_second_busy']:.2f}"]]
    rows += [[f"chosen, {name}", number(found["frames"]), NONE, NONE, NONE] for name, found in data["chosen"].items()]
    return tables + [("By the paper's times", ["", "frames/s", "the paper", "second device busy", "the paper"], rows)]


# -- granulometry --

def curve17(data):
    rows = [[str(n), number(g), number(data["PS"][n]) if n < len(data["PS"]) else NONE]
            for n, g in enumerate(data["G"])]
    return [(f"Main size: {data.get('main', NONE)}", ["opening", "pixels left", "pattern spectrum"], rows)]


def charts17(data):
    return [("Pixels", charts.lines({"granulometric curve": list(enumerate(data["G"])),
                                     "pattern spectrum": list(enumerate(data["PS"]))}, "opening", "pixels",
                                    linear=True))]


def points20(data):
    tables = []
    for name, found in {"": data, **data.get("drivers", {})}.items():
        best, speedup = found["best"], found["speedup"]
        paper = NONE if name else str(pacco_paper.GRANULOMETRY["best"])
        rows = [["best N", paper, str(best["predicted"]), str(best["measured"])],
                ["times as fast as in sequence", NONE if name else str(pacco_paper.GRANULOMETRY["speedup"]),
                 number(speedup["predicted"]), number(speedup["measured"])],
                ["N chosen by --split auto", NONE, NONE, str(best.get("auto", NONE))],
                ["that, × the best of all N", NONE, NONE, number(best.get("auto_ratio"))],
                ["that, × one device alone", NONE, NONE, number(speedup.get("against_alone"))]]
        tables.append((f"{found.get('openings', '')} openings, {name or found.get('driver', 'timed')} driver", HEAD,
                       rows))
    return tables


def charts20(data):
    return [(f"Time of an image, {name or found.get('driver', 'timed')} driver", charts.lines({
        "measured": curve(found["points"], "n", "measured_s"),
        "predicted": curve(found["points"], "n", "predicted_s")}, "N: openings of the first device", "ms an image",
        linear=True)) for name, found in {"": data, **data.get("drivers", {})}.items()]


def shares(data):
    return [("", ["", ""], [["share of transfers beside a kernel of that device", f"{data['overlapped']:.2f}"]])]


def nothing(_data):
    return []


OF = {("table", "1"): table1, ("table", "2"): table2, ("figure", "2"): timeline, ("figure", "3"): timeline,
      ("figure", "4"): points4, ("figure", "9"): buffers9, ("figure", "10"): memory10, ("figure", "14"): memory14,
      ("figure", "15"): points15, ("figure", "17"): curve17, ("figure", "18"): tasks18, ("figure", "19"): extra19,
      ("figure", "20"): points20, ("figure", "22"): nothing, ("figure", "23"): shares, ("figure", "24"): memory24}
CHARTS = {"2": charts_timeline, "3": charts_timeline, "4": charts4, "15": charts15, "17": charts17, "20": charts20,
          "23": charts_timeline}


def charts_of(kind, key, data):
    """[(label, chart)]"""
    return CHARTS[key](data) if kind == "figure" and key in CHARTS else []


# -- the summary --

def best_speedup(points, over, under):
    return max(p[over] / p[under] for p in points)


def summary15(data):
    rows = []
    hosts, measured = data.get("two_hosts"), data.get("two_hosts_measured")
    if hosts or measured:
        paper = pacco_paper.PIIC
        rows.append(["P-I-I-C, two hosts: most that overlap gives (fig. 15)",
                     f"{paper['speedup']} (its formula: {paper['formula']})",
                     f"{best_speedup(hosts['points'], 'model_phases_s', 'planned_on_s'):.2f}" if hosts else NONE,
                     f"{best_speedup(measured['points'], 'phases_s', 'on_s'):.2f}" if measured else NONE])
    if measured:
        points = measured["points"]
        rows += [["library with overlap, × the paper's runtime by hand, least of all points, two hosts", NONE, NONE,
                  f"{min(p['by_hand_over_on'] for p in points):.2f}"],
                 ["period with overlap on two hosts, farthest from max(a n, Tib, Th)", NONE, NONE,
                  f"{100 * max(abs(p['on_s'] / p['model_on_s'] - 1) for p in points):.1f} %"]]
    for name, found in {"": data, **data.get("drivers", {})}.items():
        if "points" not in found:
            continue
        points, driver = found["points"], name or found.get("driver", "timed")
        worst = max((abs(p["on_s"] / p["planned_on_s"] - 1) for p in points), default=0)
        rows += [[f"P-I-I-C, one host: most that overlap gives, {driver}", NONE,
                  f"{best_speedup(points, 'model_phases_s', 'model_on_s'):.2f}",
                  f"{best_speedup(points, 'phases_s', 'on_s'):.2f}"],
                 [f"library with overlap, × the paper's runtime by hand, least of all points, {driver}", NONE, NONE,
                  f"{min(p['by_hand_s'] / p['on_s'] for p in points):.2f}"]]
        if not name:
            rows.append(["period with overlap, farthest from the plan's", NONE, NONE, f"{100 * worst:.1f} %"])
    plan = data.get("plan")
    if plan:
        rows.append(["memory with overlap, × without (fig. 14)", "2",
                     ratio(plan["on"]["bytes"], plan["off"]["bytes"]),
                     ratio(plan["on"]["taken"], plan["off"]["taken"])])
    return rows


def summary20(data):
    best, speedup, paper = data["best"], data["speedup"], pacco_paper.GRANULOMETRY
    return [["granulometry: best N of 40 openings (fig. 20)", str(paper["best"]), str(best["predicted"]),
             str(best["measured"])],
            ["granulometry: two devices and the reading, × in sequence", str(paper["speedup"]),
             number(speedup["predicted"]), number(speedup["measured"])],
            *([f"granulometry on {name}: --split auto, × the best of all N; × one device", NONE, NONE,
               f"{number(found['best'].get('auto_ratio'))}; {number(found['speedup'].get('against_alone'))}"]
              for name, found in data.get("drivers", {}).items())]


def summary2(data):
    """Of table 2: what one device gives, and what two do."""
    rows = []
    for entry in data["sizes"]:
        times = [step.get("device_s") for step in entry["steps"]]
        whole = all(isinstance(time, (int, float)) for time in times) and sum(times) > 0
        rows.append([f"saliency on one device, {entry['size']}, frames/s by table 2",
                     str(pacco_paper.FRAMES.get(entry["size"], NONE)), NONE, number(1 / sum(times)) if whole else NONE])
    both = data["two_devices"]
    timed = both.get("timed", {}).get("paper")
    if timed:
        rows.append(["saliency, split as the paper's, on devices that take its times, frames/s",
                     str(pacco_paper.FRAMES["two devices"]), number(timed.get("planned")), number(timed.get("rate"))])
    for where, ways in (("", both), (", the paper's times", both.get("timed", {}))):
        if "split" in ways and "dealt" in ways:
            rows.append([f"saliency over two devices, × frames dealt in turn{where}", NONE, NONE,
                         ratio(ways["split"].get("rate"), ways["dealt"].get("rate"))])
    return rows


def summary24(data):
    split, factor = data["split"], f"{data['paper_factor']:g}"
    return [
        ["saliency on two devices, frames/s by table 2", str(split["paper_frames"]), number(split["frames"]), NONE],
        ["the same by the planner's split", NONE, number(data["chosen"]["contiguous"]["frames"]), NONE],
        ["the paper's split: second device busy", f"{split['paper_second_busy']:.2f}",
         f"{split['second_busy']:.2f}", NONE],
        ["first device's buffers, apart by merged, with overlap (fig. 24)", factor, ratio(*first_device(data["on"])),
         NONE],
        ["the same without", factor, ratio(*first_device(data["off"])), NONE]]


def summary(result):
    """Rows of [what, the paper, predicted, measured]."""
    found, rows = result["figures"], []
    table = result["tables"].get("2")
    for key in ("2", "3"):
        if key in found:
            rows.append([f"cycles from producer to consumer, {WAYS[found[key]['overlap']]} (fig. {key})",
                         str(found[key]["paper_cycles"]), str(found[key]["cycles_between"]), NONE])
    if "4" in found:
        points = found["4"]["points"]
        rows.append(["one device: most that overlap gives (fig. 4)", "2",
                     f"{best_speedup(points, 'model_phases_s', 'model_on_s'):.2f}",
                     f"{best_speedup(points, 'phases_s', 'on_s'):.2f}"])
    if "10" in found:
        rows.append(["buffers that merging frees (fig. 10)", str(pacco_paper.MERGED), str(found["10"]["on"]["freed"]),
                     NONE])
    rows += summary15(found["15"]) if "15" in found else []
    rows += [[f"cycles that the second device adds, {WAYS[way]} (fig. 19)", str(found["19"][way]["paper_extra"]),
              str(found["19"][way]["extra"]), NONE] for way in WAYS if "19" in found]
    rows += summary20(found["20"]) if "20" in found else []
    rows += summary2(table) if table else []
    return rows + (summary24(found["24"]) if "24" in found else [])


def first_device(data):
    memory = data["memory"]["h/g0"]
    return memory["bytes"], memory["merged_bytes"]
