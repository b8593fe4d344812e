# SPDX-License-Identifier: MIT
"""The video applications with stages simulated with four cores and a device (benchmarks/mapping): stages take the times
that this machine has measured, on the device these times by a factor. Records have the form of video_tables."""

import json
import os
import tempfile
import time

from . import files, plans, programs, video_inputs

CORES = 4  # the paper's chips
METER = "sim:cores=2,core=5,device_idle=1,device=8,rest=3"
CHECKED = (0.25, 1.0, 4.0)  # factors at which what is chosen is compared with the best of all configurations
# Of the times of an item: simulated ones are so long, and what is measured is scaled back. A thread that wakes late by
# 60 us is to matter as little in short stages as in long ones.
ITEM_SECONDS, LONG_ITEM_SECONDS, LONG_STAGES = 0.02, 0.04, 5
ADAPT_SECONDS = 0.08  # of the slower one's item
ADAPT = ("vivid-ld", "vivid-hd")
SECONDS = {False: 0.4, True: 0.3}  # by --quick: of a run
ROUNDS = {False: 3, True: 1}  # in which what is chosen and the best run in turn
MANY, MOST = 100, {False: 64, True: 24}  # of a larger space so many, the first ones of the event simulation
MOST_CHECKED = {False: 12, True: 8}  # at other factors than 1
MOST_RATIO = 4  # for the objective ratio, of which all have been measured before
STUCK = 3600  # seconds
QUICK_SECONDS = 9 * 60  # that --quick has for it, at most


class Bed:
    """benchmarks/mapping, and how it is called."""

    def __init__(self, path, folder, quick):
        self.path, self.folder, self.first = path, folder, may_come_first()
        self.rounds = ROUNDS[quick]
        self.how = ["--meter", METER, "--seconds", str(SECONDS[quick]), *(["--before-others"] if self.first else [])]

    def run(self, stages, rounds, *options):
        """What it writes of these pipelines as JSON. options: None stands for the file that has them."""
        given, found = (os.path.join(self.folder, name) for name in ("stages.json", "found.json"))
        with open(given, "w", encoding="utf-8") as file:
            json.dump(stages, file)
        words = [given if word is None else word for word in options]
        try:
            programs.call([self.path, *words, *self.how, "--rounds", str(rounds), "--json", found], STUCK)
            return files.load(found, dict)
        except programs.Failure as failure:
            raise programs.Failure(f"benchmarks/mapping {options[0]}: {failure}") from failure
        except (OSError, ValueError) as error:
            raise programs.Failure(f"benchmarks/mapping {options[0]}: its figures: {error}") from error


def path_of(build):
    """Absent: it is not built."""
    path = os.path.join(build, "benchmarks/mapping")
    if not (os.path.isfile(path) and os.access(path, os.X_OK)):
        raise plans.Absent("benchmarks/mapping is not built: make builds it, if configure found OpenCL and jansson")
    return path


def may_come_first():
    """May threads of this user come before those of other processes? They hardly need a core."""
    try:
        policy, param = os.sched_getscheduler(0), os.sched_getparam(0)
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
        os.sched_setscheduler(0, policy, param)
    except (OSError, AttributeError):
        return False
    return True


# -- stages --

def serial_share(one, spread, cores):
    """Of a stage that takes so long on one core, and spread over so many (Amdahl)."""
    return min(max((cores * spread / one - 1) / (cores - 1), 0), 1)


def medium_times(model, cores_model):
    """What each stage takes on CORES cores: as far as it can be spread here over as many as there are. And whether that
    was measured: where it was not, it is ideal."""
    for source in (cores_model, model):
        if source and source["nC"] > 1 and "T_MG" in source:
            shares = [serial_share(a, b, source["nC"]) for a, b in zip(source["T_CG1"], source["T_MG"])]
            return [t * (q + (1 - q) / CORES) for t, q in zip(model["T_CG1"], shares)], True
    return [t / CORES for t in model["T_CG1"]], False


def scaled(times, scale):
    return [1e3 * scale * time for time in times]


def stages_of(application, model, cores_model, scale):
    """A pipeline of benchmarks/mapping; its times are ms."""
    stages = {"name": application.key, "s": model["s"], "nC": CORES, "core_ms": scaled(model["T_CG1"], scale),
              "device_ms": scaled(model["T_G"], scale)}
    if "device_ok" in model:
        stages["device_ok"] = model["device_ok"]
    if model.get("medium_grain", True):
        stages["medium_ms"] = scaled(medium_times(model, cores_model)[0], scale)
    else:
        stages["medium_grain"] = False
    return stages


def item_seconds(model):
    return sum(model["T_CG1"])


def own_scale(model):
    return (LONG_ITEM_SECONDS if model["s"] >= LONG_STAGES else ITEM_SECONDS) / item_seconds(model)


def are_times(values, count):
    return (isinstance(values, list) and len(values) == count
            and all(programs.proper(value, (int, float)) and value >= 0 for value in values))


def fits(model):
    """Has it times of each of its stages? It may lack those of medium grain and of a device."""
    known = ["T_CG1", *(key for key in ("T_MG", "T_G") if key in model)]
    return (all(programs.proper(model.get(key), int) and model[key] >= 1 for key in ("s", "nC"))
            and all(are_times(model.get(key), model["s"]) for key in known) and min(model["T_CG1"]) > 0
            and isinstance(model.get("device_ok", ""), str))


def load_model(folder, name):
    """None: there is none. Failure: it is no file of measurements."""
    path = os.path.join(folder, f"{name}.json")
    if not os.path.exists(path):
        return None
    try:
        model = files.load(path, dict)
    except (OSError, ValueError) as error:
        raise programs.Failure(f"measurements: {error}") from error
    if not fits(model):
        raise programs.Failure(f"measurements: {path}: 's', 'nC' and the times of stages don't fit")
    return model


class Source:
    """What was measured of an application: beside a device, and (KEY-cores.json, which need not be there) on several
    cores, which tells how far stages can be spread; of another size of its frames, if that is all that there is."""

    def __init__(self, application, folder):
        self.application = application
        self.model = load_model(folder, application.key)
        kin = [application, *(a for a in video_inputs.ALL if a.program == application.program and a is not application)]
        self.cores_model = next(filter(None, (load_model(folder, f"{a.key}-cores") for a in kin)), None)

    def is_there(self):
        return bool(self.model) and "T_G" in self.model

    def stages(self, scale):
        return stages_of(self.application, self.model, self.cores_model, scale)

    def spread(self):
        """How the times of medium grain came about."""
        if not self.model.get("medium_grain", True):
            return "none"
        return "measured" if medium_times(self.model, self.cores_model)[1] else "ideal"


# -- records --

def run_of(rate, energy, scale):
    """In the times of the machine that the stages were measured on."""
    return {"rate": rate * scale, "energy": None if energy is None else energy / scale}


def runs_of(rates, energies, scale):
    """{configuration: run} of what was measured, or predicted."""
    return {name: run_of(rate, energies[name], scale) for name, rate in rates.items() if rate is not None}


def choice_of(found, scale):
    """None: it can't choose of this one."""
    if found is None:
        return None
    predicted = None if found["predicted"] is None else run_of(found["predicted"], found["predicted_energy"], scale)
    return {"configuration": found["chosen"], "predicted": predicted, "of_best": found["of_best"],
            "training": {"seconds": found["training"] / scale, "dt": found["dt"] / scale},
            **run_of(found["rate"], found["energy"], scale)}


def add_choices(record, metric, found, scale):
    """Of one call of the program. Failure: its figures have another form."""
    try:
        pipeline = found["pipelines"][0]
        choices = {name: choice_of(choice, scale) for name, choice in pipeline["choosers"].items()}
        passes = runs_of(pipeline["measured"], pipeline["energies"], scale)
        chosen, baseline = choices["capacity"], choices["baseline"]
        record["chosen"][metric] = chosen
        record["best"][metric] = pipeline["best"]
        for name, run in passes.items():
            record["passes"].setdefault(name, []).append(run)
        one = {**passes, chosen["configuration"]: {key: chosen[key] for key in ("rate", "energy")}}
        if baseline:
            record["baseline"] = baseline["configuration"]
            one["baseline"] = {key: baseline[key] for key in ("rate", "energy")}
        record["rounds"].append(one)
        if metric == "rate":
            record["paper"] = choices["paper"]
            record["predicted"] = {rule: runs_of(said["rates"], said["energies"], scale)
                                   for rule, said in pipeline["rules"].items()}
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise programs.Failure(f"benchmarks/mapping --choose: its figures have another form: {error!r}") from error


def space_of(model):
    masks = 2 ** model.get("device_ok", "1" * model["s"]).count("1")
    return masks * (CORES + (2 if model.get("medium_grain", True) else 1))


def most_of(model, factor, quick):
    """--most: how many configurations are measured; none: all."""
    if factor not in CHECKED:
        return ["--most", "0"]
    if factor != 1:
        return ["--most", str(MOST_CHECKED[quick])]
    return ["--most", str(MOST[quick])] if space_of(model) > MANY else []


def measure_one(bed, source, factor, quick):
    """A record. Failure."""
    application, scale = source.application, own_scale(source.model)
    stages = [source.stages(scale)]
    record = {"key": application.key, "title": application.title, "program": application.program,
              "figure": application.figure, "size": "", "cores": CORES, "device": "simulated", "kind": "simulated",
              "place": f"nC = {CORES}, device × {factor:g}", "factor": factor, "scale": scale, "stages": stages[0],
              "spread": source.spread(), "space": space_of(source.model), "chosen": {}, "best": {}, "baseline": None,
              "passes": {}, "rounds": []}
    common = ["--stages", None, "--choose", "--passes", "1", "--device-factor", str(factor)]
    rounds = bed.rounds if factor in CHECKED else 1
    add_choices(record, "rate", bed.run(stages, rounds, *common, *most_of(source.model, factor, quick)), scale)
    if factor == 1:
        ratio = bed.run(stages, rounds, *common, "--most", str(MOST_RATIO), "--objective", "ratio")
        add_choices(record, "ratio", ratio, scale)
    return record


# -- section V-B --

def adaptation_of(found, scale, factor):
    """In the times of the machine that the stages were measured on."""
    try:
        return {"factor": factor, "dts": found["dts"], "of_once": found["of_once"],
                "pipelines": [{"key": one["name"], "best": one["best"], "of_fixed": one["of_fixed"],
                               "own": run_of(one["own"]["rate"], one["own"]["energy"], scale),
                               "other": run_of(one["other"]["rate"], one["other"]["energy"], scale),
                               "break_even": None if one["break_even"] is None else one["break_even"] / scale}
                              for one in found["pipelines"]],
                "phases": [{"key": one["name"], "at_end": one["at_end"], "items": one["items"],
                            "trainings": one["trainings"],
                            **{key: one[key] / scale for key in ("seconds", "training", "dt")},
                            **run_of(one["items"] / one["seconds"], one["energy"], scale)}
                           for one in found["phases"]]}
    except (KeyError, TypeError, ZeroDivisionError) as error:
        raise programs.Failure(f"benchmarks/mapping --adapt: its figures have another form: {error!r}") from error


def adapt(bed, pair, factor):
    """From LD to HD and back."""
    scale = ADAPT_SECONDS / max(item_seconds(source.model) for source in pair)
    stages = [source.stages(scale) for source in pair]
    found = bed.run(stages, bed.rounds, "--adapt", None, "--device-factor", str(factor))
    return adaptation_of(found, scale, factor)


# -- all of it --

def tasks_of(sources, factors, quick):
    """What is measured, in turn: (words, list that gets it, call of a bed). What the factor 1 tells comes first."""
    pair = [source for key in ADAPT for source in sources if source.application.key == key]
    for factor in sorted(factors, key=lambda f: (f != 1, f)):
        for source in sources:
            yield (f"{source.application.title}, device × {factor:g}", "applications",
                   lambda bed, s=source, f=factor: measure_one(bed, s, f, quick))
        if len(pair) == len(ADAPT) and (factor == 1 or (factor in CHECKED and not quick)):
            yield (f"{' to '.join(ADAPT)} and back, device × {factor:g}", "adaptations",
                   lambda bed, f=factor: adapt(bed, pair, f))


def measure(build, measurements, quick, factors, tell, keep=None, seconds=None):
    """measurements: a folder with what was measured of each application, KEY.json and KEY-cores.json as
    --save-measurements writes them. factors: of the times on the device. keep(found): called when there is more of it.
    seconds: what has not begun then is left out; None: nothing is. Absent, Failure."""
    path, wanted = path_of(build), sorted({1.0, *factors})
    sources = [source for source in (Source(a, measurements) for a in video_inputs.ALL) if source.is_there()]
    if not sources:
        raise plans.Absent("nothing was measured of stages on cores and on a device: they are what is simulated")
    until = None if seconds is None else time.monotonic() + seconds
    with tempfile.TemporaryDirectory(prefix="penstock-video-simulated-") as folder:
        bed = Bed(path, folder, quick)
        found = {"cores": CORES, "meter": METER, "factors": wanted, "first": bed.first, "quick": quick,
                 "applications": [], "adaptations": [], "left_out": []}
        for words, key, call in tasks_of(sources, wanted, quick):
            if until is not None and time.monotonic() > until:
                found["left_out"].append(words)
                continue
            tell(f"simulated: {words}")
            found[key].append(call(bed))
            if keep:
                keep(found)
    return found
