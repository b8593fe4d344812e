# SPDX-License-Identifier: MIT
"""Grey pictures of programs (PGM, PNG) as what a page can have in it."""

import base64
import re
import struct
import zlib

from . import programs

PNG = b"\x89PNG\r\n\x1a\n"


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, grey):
    lines = b"".join(b"\0" + grey[row * width:(row + 1) * width] for row in range(height))
    return (PNG + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b""))


def load(path):
    """A file as base64 of a PNG. Failure: it is neither PNG nor PGM of 8 bits."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise programs.Failure(f"its picture can't be read: {error.strerror}") from error
    if not data.startswith(PNG):
        head = re.match(rb"P5\s+(?:#.*\n)?(\d+)\s+(\d+)\s+255\s", data)
        width, height = map(int, head.groups()) if head else (0, 0)
        if not width or not height or len(data) - head.end() != width * height:
            raise programs.Failure("its picture is no PGM of 8 bits")
        data = png(width, height, data[head.end():])
    return base64.b64encode(data).decode()
