# SPDX-License-Identifier: MIT
"""Runs of the video applications, as a user runs them: at one configuration, adaptive, or as the baseline."""

import contextlib
import math
import os
import re
import resource

from . import files, plans, programs

WINDOW, WINDOW_FACTOR = 16, 4  # items of a pipeline's window, at least; for each thread
RULES = ("capacity", "bounded", "paper")
SECONDS = {False: 1.0, True: 0.3}  # by --quick: of a run behind its first window, at least
WINDOWS = {False: 2, True: 1}  # .. and windows
WINDOWS_MOST = 64
TRAINING_SECONDS = 0.1  # of one experiment, about: shorter ones are repeated until a meter can tell what they took
REPETITIONS, EXPERIMENTS_MORE, TRY_WINDOWS = 3, 3, 4  # .. nC + 3 experiments; of a candidate
STUCK = 30  # a run that takes that many times as long as it should ..
STUCK_LEAST = 120  # .. and so many seconds
LONGER = 4  # times that an adaptive run may be made twice as long


BUSY = 0.05  # of the machine's time, that others took in a run: it counts as disturbed


def ticks():
    """(all, busy) of all cores' time, s; what the machine below took counts as busy. None: it is not told."""
    try:
        with open("/proc/stat", encoding="ascii") as file:
            values = [int(word) for word in file.readline().split()[1:9]]
    except (OSError, ValueError):
        return None
    return (sum(values) / os.sysconf("SC_CLK_TCK"), (sum(values) - values[3] - values[4]) / os.sysconf("SC_CLK_TCK"))


def of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Others:
    """Which share of the machine other processes take between its begin and share()."""

    def __init__(self):
        self.began, self.children = ticks(), of_children()

    def share(self):
        """None: it is not told, or too little time is over."""
        ended = ticks()
        if not self.began or not ended or ended[0] <= self.began[0]:
            return None
        busy = ended[1] - self.began[1] - (of_children() - self.children)
        return min(1.0, max(0.0, busy / (ended[0] - self.began[0])))


class Place:
    """Cores, and a device or none, that a pipeline may use."""

    def __init__(self, kind, cores, device, meter, gpu=False):
        self.kind, self.cores, self.device, self.meter = kind, cores, device, meter
        self.gpu = gpu

    def title(self):
        return f"nC = {self.cores}" + (f" beside {self.device}" if self.device else ", no device")

    def options(self):
        return ["--cores", str(self.cores), "--device", self.device or "cores", "--meter", self.meter]

    def window(self):
        return max(WINDOW, WINDOW_FACTOR * (self.cores + 1))


def path_of(build, program):
    """Absent: it is not built."""
    path = os.path.join(build, "apps", program, program)
    if not (os.path.isfile(path) and os.access(path, os.X_OK)):
        raise plans.Absent(f"apps/{program} is not built: make builds it")
    return path


def devices(build, names):
    """[(selector, units)] of OpenCL, as the first program says that is built; none where there is no driver."""
    found, lines = [], []
    for name in names:
        with contextlib.suppress(plans.Absent, programs.Failure):
            lines = programs.call([path_of(build, name), "--devices"], STUCK_LEAST).splitlines()
            break
    for line in lines[1:]:
        words = re.split(r"\s{2,}", line.strip())
        units = next((word for word in words[4:5] if word.isdigit()), "1")
        if re.match(r"\w+:\w+:\d+$", words[0]):
            found.append((words[0], int(units)))
    return found


def type_of(given, found):
    """cpu, gpu, ..: what a selector, which may be a part of one, names first of those that are there. None: nothing."""
    words = [word for word in given.split("/")[0].split(":") if word]
    named = (selector.split(":") for selector, _ in found)
    known = next((selector[1] for selector in named if all(word in selector for word in words)), None)
    return known or next((word for word in words if word in ("cpu", "gpu")), None)


def places(found, cores, meter, given=None):
    """Half of a CPU device beside one core, all of a GPU beside all cores; and the cores alone."""
    if given:
        kind = type_of(given, found)
        chosen = [Place("beside a device", 1 if kind == "cpu" else cores, given, meter, kind == "gpu")]
    else:
        halves = [selector for selector, units in found if ":cpu:" in selector and units >= 2]
        graphics = [selector for selector, _ in found if ":gpu:" in selector]
        chosen = [Place("beside a device", 1, f"{selector}/1of2", meter)
                  for selector in halves[:1]]
        chosen += [Place("beside a device", cores, selector, meter, True) for selector in graphics[:1]]
    return chosen + [Place("cores alone", cores, None, meter)]


class Runner:
    """An application at a place. seconds_left is not asked: a run that hangs is stopped by itself."""

    def __init__(self, build, application, place, inputs, folder, quick):
        self.application, self.place, self.inputs, self.folder = application, place, inputs, folder
        self.build, self.quick = build, quick
        self.path = path_of(build, application.program)
        self.rate = None  # items/s of one thread on the cores, about
        self.others = None  # share of the machine that others took in the latest run

    def text(self, kind, device, threads):
        """CPU-CG:000:2, say."""
        return f"{kind}:{device * self.application.stages}:{threads}"

    def failure(self, what, why):
        return programs.Failure(f"{self.application.title}, {self.place.title()}: {what}: {why}")

    def run(self, items, *options):
        """The pipeline's figures of --stats. Failure names the configuration."""
        return self.called(items, self.checked, *options)

    def called(self, items, checked, *options):
        stats = os.path.join(self.folder, "stats.json")
        count = items + self.application.frames_more
        what = " ".join(options)
        others = Others()
        limit = max(STUCK_LEAST, STUCK * items / self.rate if self.rate else 0)
        try:
            programs.call([self.path, *self.inputs, "--frames", str(count), "--repeat", str(count),
                           *self.place.options(), "--stats", stats, *options], limit)
            self.others = others.share()
            found = files.load(stats, dict)
            return checked(found)
        except programs.Failure as failure:
            raise self.failure(what, failure) from failure
        except (OSError, ValueError) as error:
            raise self.failure(what, f"its figures: {error}") from error

    def checked(self, found):
        """Failure: what is needed is not among the figures."""
        pipelines = found.get("pipelines")
        if not isinstance(pipelines, list) or not pipelines or not isinstance(pipelines[0], dict):
            raise programs.Failure("no pipeline among its figures")
        pipeline = pipelines[0]
        if not isinstance(pipeline.get("configuration"), str) or not isinstance(pipeline.get("measured"), dict):
            raise programs.Failure("no configuration, or nothing measured, among its figures")
        return pipeline

    def figures(self, pipeline, what):
        """{"rate", "energy"} behind the first window."""
        rate, energy = (pipeline["measured"].get(key) for key in ("mean_rate", "mean_energy"))
        if not programs.proper(rate, (int, float)) or rate <= 0:
            raise self.failure(what, "it ended before its second window")
        energy = energy if programs.proper(energy, (int, float)) and energy > 0 else None
        windows = pipeline.get("windows", {})
        waited = windows.get("starved", 0) + windows.get("blocked", 0)
        return {"rate": rate, "energy": energy, "waited": 2 * waited > windows.get("count", 0), "others": self.others}

    # -- how long --

    def windows(self):
        by_time = math.ceil(SECONDS[self.quick] * (self.rate or 0) / self.place.window())
        return min(max(WINDOWS[self.quick], by_time), WINDOWS_MOST)

    def items(self):
        """Of a run at one configuration: those that come before and behind its windows, one window that does not
        count, those that do."""
        return 2 * (self.place.cores + 1) + self.place.window() * (1 + self.windows())

    def training_items(self, candidates):
        """About, of a training and what it tries."""
        each = max(self.place.cores + 1, math.ceil(TRAINING_SECONDS * (self.rate or 1)))
        tried = TRY_WINDOWS * self.place.window() + 2 * (self.place.cores + 1)
        return REPETITIONS * (self.place.cores + EXPERIMENTS_MORE) * each + (candidates * tried if candidates > 1
                                                                             else 0)

    # -- runs --

    def probe(self):
        """How fast one thread is."""
        what = self.text("CPU-CG", "0", 1)
        self.rate = self.figures(self.run(2 * (self.place.cores + 1) + 2 * self.place.window(), "--pipeline", what),
                                 what)["rate"]

    def fixed(self, configuration):
        pipeline = self.run(self.items(), "--pipeline", configuration)
        return self.figures(pipeline, configuration)

    def apart(self, mask, cores):
        """Stages one by one, those of the mask on the device, under a team: of the whole run, which has no windows and
        no joules. It has twice as many items, but for --quick, so that filling the line counts less."""
        items = self.items() if self.quick else 2 * self.items()
        found = self.called(items, self.whole, "--pipeline", f"none:{mask}", "--cores", str(cores))
        return {"rate": found, "energy": None, "waited": False, "others": self.others}

    def whole(self, found):
        rate = found.get("frames_per_second", found.get("pairs_per_second"))  # tracking counts pairs
        if not programs.proper(rate, (int, float)) or rate <= 0:
            raise programs.Failure("no frames a second among its figures")
        return rate

    def trained(self, candidates, *options):
        """A run that trains, and then goes on for as many windows as a fixed one."""
        items = self.training_items(candidates) + self.items()
        for _ in range(LONGER):
            pipeline = self.run(items, *options)
            count = pipeline.get("windows", {}).get("count", 0)
            if pipeline.get("why") != "training" and count > WINDOWS[self.quick]:
                return pipeline
            items *= 2
        raise self.failure(" ".join(options), f"it still trains after {items // 2} items")

    def baseline(self):
        pipeline = self.trained(1, "--pipeline", "baseline")
        return {"configuration": pipeline["configuration"], **self.figures(pipeline, "baseline")}

    def adaptive(self, objective, *options, candidates=None, save=None):
        """What it chooses, predicts and reaches, and what its training took."""
        more = [*options, *(["--candidates", str(candidates)] if candidates else []),
                *(["--save-measurements", save] if save else [])]
        tried = candidates or (4 if self.application.stages <= 4 else 8)
        pipeline = self.trained(tried, "--objective", objective, "--max-overhead", "0", *more)
        predicted, trained = pipeline.get("predicted", {}), pipeline.get("trainings") or [{}]
        return {"configuration": pipeline["configuration"], "why": pipeline.get("why"),
                "predicted": {key: predicted.get(key) for key in ("rate", "energy")},
                "training": {key: trained[0].get(key) for key in ("items", "seconds", "dt")},
                "meter": pipeline.get("meter"), **self.figures(pipeline, f"adaptive, {objective}")}


def predictions(build, model, rule, objective="throughput"):
    """{configuration: {"rate", "energy"}} of `penstock map`, in its order, and the best one."""
    found = plans.said(build, "map", "--model", model, "--rule", rule, "--objective", objective)
    try:
        return ({entry["configuration"]: {key: entry.get(key) for key in ("rate", "energy")}
                 for entry in found["configurations"]}, found["best"]["configuration"])
    except (KeyError, TypeError) as error:
        raise programs.Failure(f"penstock map: its JSON has another form: {error!r}") from error
