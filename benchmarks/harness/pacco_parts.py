# SPDX-License-Identifier: MIT
"""The parts of benchmarks/pacco: each runs a program or a few, and gives tables and figures by their key."""

import json
import os
import shlex
import shutil
import tempfile

from . import files, pacco_paper, pictures, plans, programs, timeline

EXAMPLES = os.path.relpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../examples"))
QUICK_MINUTES = 14
LOOPS_TIMED = {"4": "0,80,160,240,320,400,480,560,640", "15": "0,40,80,120,160,200,240,320,400"}
LOOPS_TRACE = "160"  # where the timed driver's kernel takes as long as a hop
LAUNCHERS = ("mpirun.mpich", "mpiexec.mpich", "mpiexec.hydra")


class Session:
    """What all parts need; what they add. left(): seconds that a program may take."""

    def __init__(self, build, quick, left):
        self.build, self.quick, self.left = build, quick, left
        self.tables, self.figures, self.skipped = {}, {}, []

    def skip(self, what, why):
        self.skipped.append({"what": what, "why": str(why)})

    def program(self, name):
        """Its path. Absent: it is not built."""
        path = os.path.join(self.build, "benchmarks", name)
        if not (os.path.isfile(path) and os.access(path, os.X_OK)):
            raise plans.Absent(f"benchmarks/{name} is not built: make builds it, if configure found what it needs")
        return path

    def run(self, name, *options, variables=None, launcher=()):
        """What a program of ours writes as JSON. Absent: it writes none, and has said why."""
        with tempfile.TemporaryDirectory(prefix="penstock-pacco-") as folder:
            path = os.path.join(folder, "figures.json")
            said = programs.call([*launcher, self.program(name), *options, "-j", path], self.left(), variables)
            if not os.path.exists(path):
                lines = said.strip().splitlines()
                raise plans.Absent(lines[-1] if lines else f"benchmarks/{name} has said nothing")
            return checked(path, name)


def two_ranks():
    """What starts a program twice: MPIRUN, or MPICH's. Absent: there is none."""
    given = os.environ.get("MPIRUN") or next(filter(shutil.which, LAUNCHERS), None)
    if not given:
        raise plans.Absent("there is no mpirun of MPICH: install mpich, or say in MPIRUN what starts programs of MPI")
    return [*shlex.split(given), "-n", "2"]


def checked(path, name):
    try:
        found = files.load(path, dict)
        json.dumps(found, allow_nan=False)
        return found
    except (OSError, ValueError) as error:
        raise programs.Failure(f"benchmarks/{name}: its figures: {error}") from error


def numbers(found, keys, program):
    """Failure: one of these is no number."""
    for key in keys:
        if not isinstance(found, dict) or not programs.proper(found.get(key), (int, float)):
            raise programs.Failure(f"benchmarks/{program}: no number '{key}' among its figures")


def members(found, key, kind, program):
    """Failure: it has no such member of this kind."""
    if not isinstance(found.get(key), kind):
        raise programs.Failure(f"benchmarks/{program}: no '{key}' among its figures")
    return found[key]


def records(found, key, program):
    """A list of objects, which need not be there."""
    values = found.get(key, [])
    if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
        raise programs.Failure(f"benchmarks/{program}: '{key}' among its figures is no list of objects")
    return values


# -- plans --

def graph(name):
    return os.path.join(EXAMPLES, f"plan_{name}.yaml")


def add_drawing(session, key, name, *options):
    try:
        session.figures[key]["svg"] = plans.drawing(session.build, graph(name), *options)
    except plans.Absent as absent:
        session.skip(f"the drawing of figure {key}", absent)


def freed(plan):
    """Buffers that need no memory of their own."""
    return len(plan["buffers"]) - len({buffer["group"] for buffer in plan["buffers"]})


def fig5(session):
    found = plans.both(session.build, graph("fig5"))
    session.figures["9"] = {"schedule": found["on"]["schedule"], "latency": {w: p["latency"] for w, p in found.items()},
                            "buffers": {way: plan["buffers"] for way, plan in found.items()}}
    session.figures["10"] = {way: {"buffers": len(plan["buffers"]), "freed": freed(plan), "memory": plan["memory"]}
                             for way, plan in found.items()}
    add_drawing(session, "9", "fig5", "--merge", "off")
    add_drawing(session, "10", "fig5")


def memory14(session):
    found = plans.both(session.build, graph("piic"))
    session.figures["14"] = {way: {"memory": p["memory"], "latency": p["latency"]} for way, p in found.items()}


def cycles(plan):
    return plan["latency"]["sink"]


def granulometry_plan(session):
    two = plans.both(session.build, graph("granulometry"))
    one = plans.both(session.build, graph("granulometry"), "--set", "second=h/g0")
    session.figures["18"] = {"schedule": two["on"]["schedule"], "mapping": two["on"]["mapping"]}
    session.figures["19"] = {way: {"one_device": cycles(one[way]), "two_devices": cycles(two[way]),
                                   "extra": cycles(two[way]) - cycles(one[way]), "paper_extra": pacco_paper.EXTRA[way],
                                   "paper_loop_extra": pacco_paper.LOOP_EXTRA[way],
                                   "latency": two[way]["latency"], "buffers": two[way]["buffers"]}
                             for way in two}
    add_drawing(session, "18", "granulometry", "--overlap", "off")
    add_drawing(session, "19", "granulometry")


def saliency_plan(session):
    found = plans.both(session.build, graph("saliency"))
    chosen = {name: plans.plan(session.build, graph("saliency"), "--mapping", "auto", *more)
              for name, more in (("contiguous", ["--contiguous"]), ("free", []))}
    on = found["on"]
    session.figures["24"] = {way: {"memory": plan["memory"]} for way, plan in found.items()} | {
        "paper_factor": pacco_paper.HALVED,
        "split": {"period_s": on["period"], "frames": 1 / on["period"],
                  "paper_frames": pacco_paper.FRAMES["two devices"],
                  "second_busy": on["loads"]["h/g1"] / on["period"], "paper_second_busy": pacco_paper.SECOND_BUSY},
        "chosen": {name: {"period_s": plan["period"], "frames": 1 / plan["period"], "mapping": plan["mapping"]}
                   for name, plan in chosen.items()}}
    add_drawing(session, "24", "saliency")


def all_plans(session):
    """Of the graphs in examples/."""
    for part in (fig5, memory14, granulometry_plan, saliency_plan):
        try:
            part(session)
        except (KeyError, TypeError, AttributeError, ZeroDivisionError) as error:
            raise programs.Failure(f"penstock plan: its JSON has another form: {error!r}") from error


# -- table 1 --

def links(session, variables=None):
    found = plans.said(session.build, "machine", "--measure", *(["--bytes", str(16 << 20)] if session.quick else []),
                       variables=variables)
    return [link for link in found["machine"]["links"] if "measured" in link]


def ratio_of_locked(rows):
    rates = {row["memory"]: row["there"] for row in rows if row["at_once"] == 1}
    return rates["locked"] / rates["pageable"]


def transfers(session):
    """What is copied; where nothing is, what a copy would cost."""
    try:
        found, forced = links(session), False
        if not found:
            found, forced = links(session, {"PENSTOCK_MEMORY": "copy"}), True
        if not found:
            raise plans.Absent("there is no OpenCL device to measure transfers of")
        session.tables["1"] = {
            "forced": forced, "paper": pacco_paper.TRANSFERS, "paper_locked": pacco_paper.LOCKED,
            "links": [{"between": link["between"], "duplex": link["duplex"], "latency_s": link["latency"],
                       "locked": ratio_of_locked(link["measured"]), "measured": link["measured"]} for link in found]}
    except (KeyError, TypeError, AttributeError, ZeroDivisionError) as error:
        raise programs.Failure(f"penstock machine: its JSON has another form: {error!r}") from error


# -- P-I-I-C --

POINT_KEYS = ("nb_loop", "kernel_s", "hop_s", "on_s", "off_s", "by_hand_s", "phases_s", "model_on_s", "model_phases_s",
              "planned_on_s", "planned_off_s")


def check_points(found, program, *more):
    for point in members(found, "points", list, program):
        numbers(point, (*POINT_KEYS, *more), program)
    if not found["points"]:
        raise programs.Failure(f"benchmarks/{program}: no points among its figures")
    return found


def piic(session, *options, variables=None):
    return check_points(session.run("piic", *options, variables=variables), "piic", "serial_s", "model_serial_s")


def size(session, full, quick):
    return quick if session.quick else full


def fig4(session):
    session.figures["4"] = piic(session, "-i", "1", "-x", "half", "-l", LOOPS_TIMED["4"],
                                *size(session, ("-n", "5", "-f", "45"), ("-n", "1", "-f", "24")))


def fig15(session):
    session.figures["15"] = piic(session, "-l", LOOPS_TIMED["15"],
                                 *size(session, ("-n", "5", "-f", "60"), ("-n", "1", "-f", "30")))


def two_hosts(session):
    """The paper's two hosts, which are planned: kernels as in its figure, a hop of the network with 120 rounds."""
    copy, net = (pacco_paper.PIIC_BYTES / rate for rate in pacco_paper.PIIC_RATES)
    points = []
    for loops in (0, 40, 80, 120, 160, 200, 240, 320, 400):
        kernel = net * loops / pacco_paper.PIIC["nb_loop"]
        found = plans.both(session.build, graph("piic"), "--set", f"kernel={kernel:.9g}")
        points.append({"nb_loop": loops, "kernel_s": kernel, "planned_on_s": found["on"]["simulated"],
                       "planned_off_s": found["off"]["simulated"], "model_on_s": max(kernel, copy, net),
                       "model_phases_s": kernel + copy + net})
    session.figures.setdefault("15", {})["two_hosts"] = {"hop_s": copy, "net_s": net, "points": points}


def two_hosts_measured(session):
    """The same by two processes, whose links and devices take time by the clock, in the paper's ratio."""
    found = session.run("piic_hosts", *size(session, ("-n", "3", "-f", "45"), ("-n", "1", "-f", "24")),
                        launcher=two_ranks())
    check_points(found, "piic_hosts", "net_s", "by_hand_over_on")
    session.figures.setdefault("15", {})["two_hosts_measured"] = found


def fig15_drivers(session):
    """The same on real drivers."""
    for driver, tries in (("pocl", [["-i", "2"]]), ("gpu", [["-i", "2"], ["-i", "1"]])):
        for some in tries:
            try:
                found = piic(session, "-d", driver, *some, "-b", "1000000", "-l", "0,40,120",
                             *size(session, ("-n", "9", "-f", "60"), ("-n", "1", "-f", "24")))
                session.figures.setdefault("15", {}).setdefault("drivers", {})[driver] = found
                break
            except plans.Absent as absent:
                why = absent
        else:
            session.skip(f"figure 15 on {driver}", why)


def traces(session):
    """Figures 2 and 3: the library's runs without and with overlap, of which the one with comes first."""
    with tempfile.TemporaryDirectory(prefix="penstock-pacco-") as folder:
        path = os.path.join(folder, "trace.json")
        found = piic(session, "-n", "1", "-l", LOOPS_TRACE, "-f", "18", variables={"PENSTOCK_TRACE": path})
        written = timeline.files(path)
        if len(written) < 2:
            raise programs.Failure("benchmarks/piic has not written two traces")
        for key, way, name in (("3", "on", written[0]), ("2", "off", written[1])):
            queues = timeline.rows(name)
            latency = members(members(found, "plan", dict, "piic"), way, dict, "piic").get("latency")
            numbers(latency, ("P", "C"), "piic")
            session.figures[key] = {"overlap": way, "latency": latency, "cycles_between": latency["C"] - 1,
                                    "paper_cycles": pacco_paper.CYCLES[key], "overlapped": timeline.overlapped(queues),
                                    "queues": queues}


# -- granulometry --

def granulometry_run(session, driver):
    found = session.run("granulometry", "-d", driver, *size(session, (), ("-q",)))
    for point in members(found, "points", list, "granulometry"):
        numbers(point, ("n", "predicted_s", "measured_s"), "granulometry")
    numbers(members(found, "best", dict, "granulometry"), ("predicted", "measured"), "granulometry")
    numbers(members(found, "speedup", dict, "granulometry"), ("predicted", "measured"), "granulometry")
    if not found["points"]:
        raise programs.Failure("benchmarks/granulometry: no points among its figures")
    return found


def granulometry(session):
    for driver in ("timed", "pocl"):
        try:
            found = granulometry_run(session, driver)
        except plans.Absent as absent:
            if driver == "timed":
                raise
            session.skip(f"figure 20 on {driver}", absent)
            continue
        curve = found.pop("curve", None)
        if driver == "timed":
            session.figures["20"] = found
        else:
            session.figures["20"].setdefault("drivers", {})[driver] = found
        if isinstance(curve, dict) and all(
                isinstance(curve.get(key), list) and curve[key]
                and all(programs.proper(value, (int, float)) for value in curve[key]) for key in ("G", "PS")):
            session.figures.setdefault("17", curve)
    if "17" not in session.figures:
        session.skip("figure 17", "benchmarks/granulometry tells no curve")


# -- saliency --

def with_paper(entry):
    """Table 2 of a size, the paper's times beside ours."""
    paper = dict(zip(pacco_paper.STEPS, pacco_paper.SALIENCY.get(entry.get("size"), ())))
    steps = [{**step, "name": str(step.get("name")), "paper_s": paper.get(step.get("name"))}
             for step in records(entry, "steps", "saliency")]
    if not steps:
        raise programs.Failure("benchmarks/saliency: a size without steps among its figures")
    return {"size": entry.get("size"), "steps": steps, "paper_total_s": sum(paper.values()) or None}


def two_devices(found):
    """Both ways, here and, also with the paper's split, on devices that take the paper's times."""
    both = found.get("two_devices")
    if not isinstance(both, dict):
        return {}
    ways = {way: both[way] for way in ("split", "paper", "dealt") if isinstance(both.get(way), dict)}
    timed = both.get("timed")
    return ways | ({"timed": two_devices({"two_devices": timed})} if isinstance(timed, dict) else {})


def saliency(session):
    with tempfile.TemporaryDirectory(prefix="penstock-pacco-") as folder:
        picture, trace = os.path.join(folder, "filters.pgm"), os.path.join(folder, "trace.json")
        found = session.run("saliency", "-F", picture, "-T", trace, *size(session, (), ("-q",)))
        if records(found, "table2", "saliency"):
            session.tables["2"] = {
                "sizes": [with_paper(entry) for entry in found["table2"]], "two_devices": two_devices(found),
                "team": records(found, "team", "saliency"), "by_hand": records(found, "by_hand", "saliency")}
        else:
            session.skip("table 2", "benchmarks/saliency tells none")
        filters = found.get("filters")
        if isinstance(filters, dict) and os.path.exists(picture):
            session.figures["22"] = {key: filters.get(key) for key in ("rows", "columns", "width", "height")} | {
                "png": pictures.load(picture)}
        else:
            session.skip("figure 22", "benchmarks/saliency has drawn no filters")
        written = timeline.files(trace)
        if written:
            queues = timeline.rows(written[0])
            session.figures["23"] = {"overlapped": timeline.overlapped(queues), "queues": queues}
        else:
            session.skip("figure 23", "benchmarks/saliency has written no trace: it needs an OpenCL device")


# what is said of it, what measures it
PARTS = {
    "plans": ("figures 9, 10, 14, 18, 19, 24: plans", all_plans),
    "table1": ("table 1: transfers", transfers),
    "traces": ("figures 2, 3: timelines of P-I-I-C", traces),
    "piic1": ("figure 4: P-I-C", fig4),
    "piic": ("figure 15: P-I-I-C", fig15),
    "hosts": ("figure 15: two hosts, planned", two_hosts),
    "ranks": ("figure 15: two hosts, measured", two_hosts_measured),
    "drivers": ("figure 15 on PoCL and GPUs", fig15_drivers),
    "granulometry": ("figures 17, 20: granulometry", granulometry),
    "saliency": ("table 2, figures 22, 23: saliency", saliency),
}
