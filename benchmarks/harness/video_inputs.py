# SPDX-License-Identifier: MIT
"""The video applications, and what they are run with: frames, vocabularies and weights that are made here."""

import array
import os
import random
import sys

FRAMES = 4  # of a stream, which is repeated: to and fro by a few pixels, so that its end fits its beginning
SHIFTS = ((0, 0), (2, 1), (4, 2), (2, 1))
CELL = 8  # pixels of a square of one grey level: it has corners, which can be tracked
WORDS, DESCRIPTOR, CLASSES = 32, 128, ("brick", "grass", "gravel")


class Application:
    """One of the paper's inputs: key, and what it is called; the program; its frames; how many stages it has, which of
    them have a form for the device, and the figure of the paper."""

    def __init__(self, key, title, program, size, stages, device_ok, figure, quick_size=None):
        self.key, self.title, self.program, self.stages, self.device_ok = key, title, program, stages, device_ok
        self.size, self.quick_size, self.figure = size, quick_size or size, figure
        self.medium = program != "scene_recognition"
        self.frames_more = 1 if program == "tracking" else 0  # than items: an item is a pair of them

    def size_of(self, quick):
        return self.quick_size if quick else self.size


ALL = [Application("vivid-ld", "ViVid LD", "vivid", (600, 416), 3, "111", 4),
       Application("vivid-hd", "ViVid HD", "vivid", (1920, 1080), 3, "111", 4),
       Application("srad", "SRAD", "srad", (458, 502), 6, "111111", 6),
       Application("tracking", "Tracking", "tracking", (1920, 1080), 3, "111", 7, quick_size=(352, 288)),
       Application("scene", "Scene", "scene_recognition", (256, 256), 2, "10", 8)]


def frame(lines, size, shift):
    """Of a texture of squares."""
    (width, height), (right, down) = size, shift
    return b"".join(lines[(y + down) // CELL][right:right + width] for y in range(height))


def make_stream(path, size):
    """FRAMES frames of raw grey, the same ones for each run."""
    grey = random.Random(1)
    across, along = size[0] // CELL + 2, size[1] // CELL + 2
    lines = [b"".join(bytes([value]) * CELL for value in grey.randbytes(across)) for _ in range(along)]
    with open(path, "wb") as file:
        for shift in SHIFTS:
            file.write(frame(lines, size, shift))


def make_floats(path, count, low):
    """Little-endian f32 from low to 1."""
    numbers = random.Random(2)
    values = array.array("f", (numbers.uniform(low, 1) for _ in range(count)))
    if sys.byteorder == "big":
        values.byteswap()
    with open(path, "wb") as file:
        values.tofile(file)


def make(application, folder, quick):
    """Files into a folder. The program's options for them."""
    size = application.size_of(quick)
    path = os.path.join(folder, f"{application.key}.gray")
    make_stream(path, size)
    options = ["--input", path, "--size", f"{size[0]}x{size[1]}"]
    if application.program == "scene_recognition":
        words, weights = (os.path.join(folder, name) for name in ("vocabulary.f32", "weights.f32"))
        make_floats(words, WORDS * DESCRIPTOR, 0)
        make_floats(weights, (WORDS + 1) * len(CLASSES), -1)
        options += ["--vocabulary", words, "--weights", weights, "--classes", ",".join(CLASSES)]
    return options
