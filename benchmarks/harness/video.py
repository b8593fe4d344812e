# SPDX-License-Identifier: MIT
"""The part of benchmarks/run about the video applications: all configurations of each, what they choose by themselves,
and what the paper compares with; then the same on simulated stages."""

import json
import os
import re
import tempfile
import time

from . import files, plans, programs, video_inputs, video_paper, video_runs, video_simulated, video_tables

PART = "video"  # of an entry of the catalogue
KINDS = ("beside a device", "cores alone")
METER = "sim:cores=2,core=5,device_idle=1,device=8,rest=3"  # the watts of benchmarks/mapping
NO_METER = "none"  # no goal that needs joules is asked for
FACTORS = {False: (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0), True: (0.25, 1.0, 4.0)}  # by --quick
ROUNDS = {False: 5, True: 3}  # in which few are measured in turn
PASSES = {False: 3, True: 1}  # .. and all
FEW = 8  # a space with no more than so many configurations has rounds alone
BEST = {False: 3, True: 2}  # of a pass, that are measured in turn
CHOICES = {False: 3, True: 1}  # adaptive runs, of which the most frequent choice counts
# Of --quick, which is to end within 25 minutes also on a busy machine: what has not begun then is left out.
QUICK_SECONDS = 15 * 60
QUICK_SLOW_SECONDS = 10 * 60  # .. of the slow application, which may take as long again
QUICK_ALL_SECONDS = 23 * 60  # .. of simulated stages
ORDER = [application.key for application in video_inputs.ALL]  # of the report
SLOW = "vivid-hd"  # what --quick leaves out on the cores alone


class Plan:
    """What of the part is wanted: [(application, kind of place)]."""

    def __init__(self, catalogue, only, quick):
        there = {os.path.basename(e["program"]) for e in catalogue if e.get("part") == PART}
        expression = re.compile(only, re.IGNORECASE) if only else None
        self.all = [(a, kind) for a in video_inputs.ALL for kind in KINDS
                    if a.program in there and not (quick and a.key == SLOW and kind == KINDS[1])]
        self.wanted = [pair for pair in self.all if expression and expression.search(name_of(*pair))]

    def kinds_of(self, application):
        return [kind for a, kind in self.wanted if a is application]

    def applications(self):
        return [a for a in video_inputs.ALL if self.kinds_of(a)]


def name_of(application, kind):
    """As --only searches it, and --list says it."""
    return f"{PART}: {application.title}: {kind}"


def all_cores():
    """That this process may use."""
    return len(os.sched_getaffinity(0))


# -- one application at one place --

def rotated(names, by):
    """Each round begins with another one."""
    by %= len(names) or 1
    return names[by:] + names[:by]


def passes_of(runner, names, rounds, tell):
    """{configuration: [run, ..]}"""
    found = {name: [] for name in names}
    for index in range(rounds):
        for name in rotated(names, index):
            found[name].append(runner.fixed(name))
        tell(f"round {index + 1} of {rounds} of all {len(names)} configurations")
    return found


def best_by_hand(runner, tell):
    """The mask that is fastest with stages mapped one by one; each is run once."""
    count, ok = runner.application.stages, runner.application.device_ok
    masks = [format(bits, f"0{count}b") for bits in range(1 << count)] if runner.place.device else ["0" * count]
    masks = [mask for mask in masks if all(m <= o for m, o in zip(mask, ok))]
    rates = {mask: runner.apart(mask, all_cores())["rate"] for mask in masks} if len(masks) > 1 else {masks[0]: 0}
    best = max(rates, key=rates.get)
    tell(f"by hand: {best}, of {len(masks)} masks")
    return best


def rounds_of(runner, record, names, rounds, tell):
    """[{configuration, "baseline" or "by hand": run}]"""
    found = []
    for index in range(rounds):
        one = {}
        for name in rotated([*names, video_tables.BASELINE, video_tables.BY_HAND], index):
            if name == video_tables.BASELINE:
                one[name] = runner.baseline()
                record["baseline"] = one[name].pop("configuration")
            elif name == video_tables.BY_HAND:
                one[name] = runner.apart(record["by_hand"], all_cores())
            else:
                one[name] = runner.fixed(name)
        found.append(one)
        tell(f"round {index + 1} of {rounds} of {len(names)} configurations, the baseline, and by hand")
    return found


def most_frequent(choices):
    names = [choice["configuration"] for choice in choices]
    return next(choice for choice in choices if choice["configuration"] == max(names, key=names.count))


def choose(runner, record, model, quick, tell):
    """What is chosen for each goal, and by the paper's system."""
    for metric, objective in video_tables.OBJECTIVES.items():
        if metric != "rate" and runner.place.meter == NO_METER:
            continue
        choices = []
        for index in range(CHOICES[quick]):
            first = metric == "rate" and not index
            choices.append(runner.adaptive(objective, save=model if first else None))
        record["chosen"][metric] = {**most_frequent(choices), "all": [c["configuration"] for c in choices]}
        tell(f"chosen, {objective}: {record['chosen'][metric]['configuration']}")
    record["meter"] = record["chosen"]["rate"].pop("meter")
    record["paper"] = runner.adaptive("throughput", "--rule", "paper", candidates=1)


def measure_one(build, application, place, inputs, folder, model, quick, tell):
    """A record; what was measured of the stages is in the file `model`. Absent, Failure."""
    runner = video_runs.Runner(build, application, place, inputs, folder, quick)
    record = {"key": application.key, "title": application.title, "program": application.program,
              "figure": application.figure, "size": "x".join(map(str, application.size_of(quick))),
              "cores": place.cores, "device": place.device, "place": place.title(), "kind": place.kind,
              "chosen": {}, "passes": {}, "rounds": []}
    runner.probe()
    choose(runner, record, model, quick, tell)
    record["measurements"] = files.load(model, dict)
    record["predicted"] = {rule: video_runs.predictions(build, model, rule)[0] for rule in video_runs.RULES}
    names = [n for n in record["predicted"]["capacity"] if application.medium or not video_tables.is_medium(n)]
    few = len(names) <= FEW
    if not few:
        record["passes"] = passes_of(runner, names, PASSES[quick], tell)
    record["by_hand"] = best_by_hand(runner, tell)
    names = names if few else video_tables.finalists(record, BEST[quick])
    record["rounds"] = rounds_of(runner, record, names, ROUNDS[quick], tell)
    if few:
        record["passes"] = {name: [one[name] for one in record["rounds"]] for name in names}
    return record


# -- how many configurations there are --

def counted(build, folder, application, cores):
    """{kind: configurations}, by the mapper's own count. Failure, Absent."""
    stages, path = application.stages, os.path.join(folder, "space.json")
    model = {"s": stages, "nC": cores, "device_ok": application.device_ok, "medium_grain": application.medium,
             "T_CG1": [1] * stages, "T_CG": [1] * (cores + 1), "T_G": [1] * stages, "T_MG": [1] * stages,
             "h2d": [0] * (stages + 1), "d2h": [0] * (stages + 1)}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(model, file)
    return video_tables.space(video_runs.predictions(build, path, "capacity")[0])


def space(build, folder, applications):
    """{key: {"four": .., "here": ..}} of the paper's nC = 4."""
    return {a.key: counted(build, folder, a, video_paper.SPACE_CORES) for a in applications if a.key != SLOW}


# -- all of it --

def model_of(application, place, places, folder, measurements):
    """The file for what is measured of the stages. Simulated ones have the times of the first place, which has the
    device, and are spread over cores as far as on the cores alone."""
    if place is places[0]:
        return os.path.join(measurements, f"{application.key}.json")
    name = f"{application.key}-cores.json" if not place.device else f"{application.key}.json"
    return os.path.join(measurements if not place.device else folder, name)


class Session:
    """What has been measured is in `result` (of benchmarks/run) whenever this is interrupted."""

    def __init__(self, result, build, quick, tell, save):
        self.result, self.build, self.quick, self.tell, self.save = result, build, quick, tell, save
        self.began = time.monotonic()
        self.video = {"meter": None, "places": [], "applications": [], "space": {}, "simulated": None}
        result["video"] = self.video

    def absent(self, what, why):
        self.result["absent"].append({"what": what, "why": str(why)})

    def attempt(self, what, call):
        """None: it could not be done, which is in the result."""
        try:
            return call()
        except plans.Absent as absent:
            self.absent(what, absent)
        except programs.Failure as failure:
            self.result["failures"].append({"program": PART, "table": what, "what": str(failure)})
            self.tell(f"{what}: failed: {failure}")
        except OSError as error:
            self.result["failures"].append({"program": PART, "table": what, "what": f"{error.strerror}"})
        return None

    def places(self, plan, device, meter):
        """Those of both kinds. What there is no device for is said."""
        found = video_runs.devices(self.build, [a.program for a in plan.applications()])
        places = video_runs.places(found, all_cores(), meter, device)
        if places[0].kind != KINDS[0] and any(kind == KINDS[0] for _, kind in plan.wanted):
            self.absent(f"{PART}: all beside a device", "there is no OpenCL device with two parts, and no GPU: install "
                        "pocl-opencl-icd, or name one with --device")
        if not any(p.gpu for p in places):
            self.absent(f"{PART}: on a GPU", "there is none, so its transfers are not priced, and its joules (NVML) "
                        "not metered")
        self.video["places"] = [{"cores": p.cores, "device": p.device, "kind": p.kind} for p in places]
        return places

    def in_time(self, application):
        """Absent: --quick has no time for it."""
        most = QUICK_SLOW_SECONDS if application.key == SLOW else QUICK_SECONDS
        if self.quick and time.monotonic() - self.began >= most:
            raise plans.Absent("no time is left of --quick")

    def seconds_left(self):
        """For simulated stages; None: as many as they take."""
        left = QUICK_ALL_SECONDS - (time.monotonic() - self.began)
        return min(video_simulated.QUICK_SECONDS, left) if self.quick else None

    def record(self, application, *arguments):
        self.in_time(application)
        return measure_one(self.build, application, *arguments, self.quick, self.tell)

    def application(self, application, kinds, places, folder, measurements):
        inputs = self.attempt(application.title, lambda: video_inputs.make(application, folder, self.quick))
        for place in places if inputs else ():
            if place.kind not in kinds:
                continue
            what = f"{application.title}, {place.title()}"
            self.tell(f"{PART}: {what}")
            model = model_of(application, place, places, folder, measurements)
            record = self.attempt(what, lambda to=place, path=model: self.record(
                application, to, inputs, folder, path))
            if record:
                self.video["meter"] = record["meter"]
                self.video["applications"].append(record)
                self.video["applications"].sort(key=lambda one: ORDER.index(one["key"]))
            self.save()

    def keep(self, simulated):
        self.video["simulated"] = simulated
        self.save()

    def simulated(self, measurements, factors):
        self.tell(f"{PART}: simulated stages")
        self.attempt("simulated stages", lambda: video_simulated.measure(
            self.build, measurements, self.quick, list(factors), self.tell, self.keep, self.seconds_left()))

    def run(self, plan, device, meter, factors):
        """Raises what interrupts it."""
        with tempfile.TemporaryDirectory(prefix="penstock-video-") as folder:
            measurements = os.path.join(folder, "measurements")
            os.mkdir(measurements)
            places = self.places(plan, device, meter)
            counts = self.attempt("the space", lambda: space(self.build, folder, plan.applications()))
            self.video["space"] = counts or {}
            # what takes longest comes last: --quick may have no time for it
            for application in sorted(plan.applications(), key=lambda a: a.key == SLOW):
                self.application(application, plan.kinds_of(application), places, folder, measurements)
            if os.listdir(measurements):
                self.simulated(measurements, factors or FACTORS[self.quick])
            self.save()
