# SPDX-License-Identifier: MIT
"""What the figures were measured on."""

import os
import platform
import re
import subprocess

PACKAGES = ("libtbb-dev", "libstarpu-dev", "gnuradio-dev", "libliquid-dev", "pocl-opencl-icd",
            "ocl-icd-libopencl1", "gcc", "g++")
# What peers are linked with: their pkg-config modules, of which the first that is there counts.
LIBRARIES = {"oneTBB": ("tbb",), "StarPU": ("starpu-1.4", "starpu-1.3"), "GNU Radio": ("gnuradio-runtime",),
             "libxml2": ("libxml-2.0",)}


def read(path):
    """The text of a file; None: it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return None


def said(*command, must=True):
    """What a command prints; None: it cannot be run, or it fails and must not."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30,
                              errors="replace", check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return None if must and done.returncode else done.stdout.strip()


def line_of(text, pattern):
    found = re.search(pattern, text or "", re.MULTILINE)
    return found.group(1).strip() if found else None


def caches():
    found = []
    for index in range(8):
        folder = f"/sys/devices/system/cpu/cpu0/cache/index{index}/"
        level, kind, size = (read(folder + name) for name in ("level", "type", "size"))
        if level and size:
            found.append(f"L{level} {kind.lower()} {size}")
    return ", ".join(found) or line_of(read("/proc/cpuinfo"), r"^cache size\s*:\s*(.*)$")


def virtual(info):
    """Which kind of virtual machine; "yes" where only that is known."""
    if not re.search(r"^flags\s*:.*\bhypervisor\b", info or "", re.MULTILINE):
        return None
    return line_of(said("lscpu"), r"^Hypervisor vendor:\s*(.*)$") or "yes"


def compiler(build, name="CC", flags="CFLAGS"):
    """As configure has chosen it, and its version."""
    makefile = read(os.path.join(build, "Makefile"))
    cc, flags = line_of(makefile, rf"^{name} = (.*)$"), line_of(makefile, rf"^{flags} = (.*)$")
    if not cc:
        return None
    version = said(*cc.split(), "--version")
    return f"{version.splitlines()[0] if version else cc}, {flags}"


def packages():
    """Of a Debian system; it fails where one is unknown, and yet says the others."""
    listed = said("dpkg-query", "-W", "-f=${Package} ${db:Status-Status} ${Version}\n", *PACKAGES, must=False)
    lines = [line.split() for line in (listed or "").splitlines()]
    return {line[0]: line[2] for line in lines if len(line) == 3 and line[1] == "installed"}


def libraries():
    """The peers that configure can find."""
    found = {}
    for name, modules in LIBRARIES.items():
        versions = (said("pkg-config", "--modversion", module) for module in modules)
        version = next(filter(None, versions), None)
        if version:
            found[name] = version
    return found


def devices(build):
    """OpenCL's, with their drivers: what the library itself sees, else what clinfo does."""
    listed = said(os.path.join(build, "apps/motion_detection/motion_detection"), "--devices")
    if listed is not None:
        lines = [re.sub(r"\s{2,}", ", ", line.strip()) for line in listed.splitlines()[1:]]
        return "; ".join(filter(None, lines)) or None
    listed = said("clinfo", "--raw")
    facts = (line_of(listed, rf"CL_{key}\s+(.*)$")
             for key in ("DEVICE_NAME", "DRIVER_VERSION", "PLATFORM_VERSION"))
    return ", ".join(filter(None, facts)) or None


def commit(source):
    """Of the library; with "+" where files differ from it."""
    head = said("git", "-C", source, "rev-parse", "HEAD")
    return head and head + ("+" if said("git", "-C", source, "status", "--porcelain", "-uno") else "")


def load():
    """Processes that want to run: of the last 1, 5 and 15 minutes."""
    return list(os.getloadavg())


def describe(source, build):
    """Only what is known is in it."""
    info = read("/proc/cpuinfo")
    memory = line_of(read("/proc/meminfo"), r"^MemTotal:\s*(\d+) kB$")
    facts = {
        "cpu": line_of(info, r"^(?:model name|Model|Hardware)\s*:\s*(.*)$") or platform.machine(),
        "architecture": platform.machine(),
        "cores": os.cpu_count(),
        "cores that may be used": len(os.sched_getaffinity(0)),
        "virtual": virtual(info) or "no sign of it",
        "caches": caches(),
        "memory": memory and f"{int(memory) / 2**20:.1f} GiB",
        "governor": read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") or "not told",
        "kernel": platform.release(),
        "system": line_of(read("/etc/os-release"), r'^PRETTY_NAME="?([^"\n]*)'),
        "compiler": compiler(build),
        "C++ compiler": compiler(build, "CXX", "CXXFLAGS"),
        "OpenCL": devices(build) or "no device",
        "commit": commit(source),
    }
    return {**{key: value for key, value in facts.items() if value}, "libraries": libraries(),
            "packages": packages(), "load": load()}
