# SPDX-License-Identifier: MIT
"""check_skimage.py PROGRAM FOLDER: the counts of granulometry are those of scikit-image's openings, in 2-D and 3-D."""

import os
import random
import subprocess
import sys

import numpy
from skimage import morphology

OPENINGS = 5
FOOTPRINTS = {
    (2, "square"): morphology.square(3),
    (2, "cross"): morphology.diamond(1),
    (3, "square"): morphology.cube(3),
    (3, "cross"): morphology.octahedron(1),
}


def draw(shape, rng):
    """An image of boxes and dots."""
    image = numpy.zeros(shape, numpy.uint8)
    for _ in range(rng.randint(0, 10)):
        box = []
        for side in shape:
            at, radius = rng.randrange(side), rng.randint(0, 6)
            box.append(slice(max(0, at - radius), at + radius + 1))
        image[tuple(box)] = rng.randint(1, 255)
    for _ in range(rng.randint(0, 30)):
        image[tuple(rng.randrange(side) for side in shape)] = rng.randint(0, 255)
    return image


def times(step, image, footprint, count):
    """Repeats an erosion or a dilation."""
    for _ in range(count):
        image = step(image, footprint)
    return image


def counts(image, footprint):
    """G(0) .. G(OPENINGS), up to the first 0. Outside of the image there are 1s for an erosion, 0s for a dilation, as
    scikit-image has it for grey images."""
    result = []
    for n in range(OPENINGS + 1):
        opened = times(morphology.dilation, times(morphology.erosion, image, footprint, n), footprint, n)
        result.append(int(numpy.count_nonzero(opened)))
        if not result[-1]:
            break
    return result


def measured(program, folder, image, element, threshold, split):
    """What the program says."""
    path = os.path.join(folder, "image.u8")
    image.tofile(path)
    size = "x".join(str(side) for side in reversed(image.shape))
    out = subprocess.run(
        [program, "--input", path, "--size", size, "--element", element, "--threshold", str(threshold),
         "--openings", str(OPENINGS), "--split", str(split), "--output", "-"],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return [int(line.split(",")[2]) for line in out.splitlines()[1:]]


def main():
    program, folder = sys.argv[1:]
    rng = random.Random(1)
    for number in range(60):
        dimensions, element = rng.choice(list(FOOTPRINTS))
        shape = [rng.randint(1, 12 if dimensions == 3 else 90) for _ in range(dimensions)]
        image = draw(shape, rng)
        threshold = rng.choice([0, 100])
        expected = counts((image > threshold).astype(numpy.uint8), FOOTPRINTS[dimensions, element])
        got = measured(program, folder, image, element, threshold, rng.randint(1, OPENINGS))
        if got != expected:
            sys.exit("image %d, %s, %s: %s, scikit-image has %s" % (number, shape, element, got, expected))
    print("60 images agree")


main()
