# SPDX-License-Identifier: MIT
"""The middle of a timeline that the library has written (Chrome's trace format): what the queues of devices did."""

import glob
import json
import re

from . import programs

KINDS = ("kernel", "transfer")
BAD = "its trace is not in Chrome's format"


def files(path):
    """Of a process with several networks: in the order of their runs. The second network's has .2 behind its name."""
    found = {int(name[len(path) + 1:] or 1): name for name in glob.glob(glob.escape(path) + "*")
             if re.fullmatch(r"(\.\d+)?", name[len(path):])}
    return [found[number] for number in sorted(found)]


def load(path):
    """All events. Failure: it is no trace."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except OSError as error:
        raise programs.Failure(f"its trace can't be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise programs.Failure(BAD) from error
    events = found.get("traceEvents") if isinstance(found, dict) else found
    if not isinstance(events, list) or not all(isinstance(event, dict) for event in events):
        raise programs.Failure(BAD)
    return events


def place_of(queue):
    """In the order in which a window comes by: transfers to the device, kernels, the other transfers."""
    return 0 if queue["name"].endswith("to the device") else 1 + KINDS.index(queue["kind"])


def queues_of(events):
    """[{"device", "name", "kind", "spans": [(start, end), ..]}] in s, a device's one after the other."""
    devices, names, queues = {}, {}, {}
    for event in events:
        key = event.get("pid"), event.get("tid")
        if event.get("name") == "process_name":
            devices[key[0]] = event["args"]["name"].partition(" (")[0]
        elif event.get("name") == "thread_name":
            names[key] = event["args"]["name"]
        elif event.get("ph") == "X" and event.get("cat") in KINDS:
            start = event["ts"] * 1e-6
            queues.setdefault((*key, event["cat"]), []).append((start, start + event["dur"] * 1e-6))
    found = [(pid, {"device": devices.get(pid, str(pid)), "name": names.get((pid, tid), str(tid)), "kind": kind,
                    "spans": sorted(spans)}) for (pid, tid, kind), spans in sorted(queues.items())]
    return [queue for _, queue in sorted(found, key=lambda of: (of[0], place_of(of[1])))]


def rows(path, shown=5):
    """The queues, in s from the first span that is shown: as long as so many of the fullest queue's take, in the
    middle of the run."""
    try:
        queues = queues_of(load(path))
    except (KeyError, TypeError, AttributeError) as error:
        raise programs.Failure(BAD) from error
    if not queues:
        raise programs.Failure("its trace has no commands of devices")
    fullest = max((queue["spans"] for queue in queues), key=len)
    first = max(0, (len(fullest) - shown) // 2)
    begin, end = fullest[first][0], fullest[first:first + shown][-1][1]
    for queue in queues:
        queue["spans"] = [[max(a, begin) - begin, min(b, end) - begin] for a, b in queue["spans"]
                          if a < end and b > begin]
    return [queue for queue in queues if queue["spans"]]


def merged(spans):
    """Those that touch are one."""
    found = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1][1] = max(found[-1][1], end)
        else:
            found.append([start, end])
    return found


def overlapped(queues):
    """Which share of the time of a device's transfers had one of its kernels running, too; of all devices."""
    transfers = both = 0.0
    for device in {queue["device"] for queue in queues}:
        spans = {kind: merged(span for queue in queues if queue["device"] == device and queue["kind"] == kind
                              for span in queue["spans"]) for kind in KINDS}
        transfers += sum(b - a for a, b in spans["transfer"])
        both += sum(min(b, d) - max(a, c) for a, b in spans["transfer"] for c, d in spans["kernel"]
                    if a < d and b > c)
    return both / transfers if transfers else 0.0
