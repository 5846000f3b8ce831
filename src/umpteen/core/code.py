"""Code of libraries: pages that only loading them needed are handed back to the system.

Torch and LLVM run through much of their code once, when they are loaded, and what they ran through counts as memory of
the process from then on. Pages that nobody has changed can be let go: what is needed again is found in the file.
"""

import ctypes
import mmap
import re
import sys
from collections.abc import Iterator
from pathlib import Path

_LARGE = 1 << 10  # KiB in memory of one stretch of a library that are worth the call
_ACCOUNTED = "ac"  # the flag of stretches that could once be written
_HEAD = re.compile(r"([0-9a-f]+)-([0-9a-f]+) r-[-x]p \S+ \S+ \S+ +/.*\.so[.\d]*$")  # read only, of a library


def let_go() -> None:
    """Hand back the pages of libraries that are as they are in their files."""
    if not sys.platform.startswith("linux"):
        return
    advise = ctypes.CDLL(None).madvise
    advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    for start, end in _unchanged(Path("/proc/self/smaps")):
        advise(start, end - start, mmap.MADV_DONTNEED)


def _unchanged(table: Path) -> Iterator[tuple[int, int]]:
    """Stretches of libraries in memory that cannot be written, and of which no page was changed when they could be."""
    try:
        lines = table.read_text("utf-8", "replace").splitlines()
    except OSError:
        return
    place, sizes = None, dict[str, int]()
    for line in lines:
        name, *values = line.split()
        if name == "VmFlags:":  # the last line of a stretch
            changed = sizes.get("Anonymous:", 1) + sizes.get("Swap:", 0) or _ACCOUNTED in values
            if place is not None and not changed and sizes.get("Rss:", 0) >= _LARGE:
                yield place
        elif name.endswith(":"):
            sizes[name] = int(values[0]) if values[0].isdigit() else 0
        else:
            head = _HEAD.match(line)
            place, sizes = (int(head[1], 16), int(head[2], 16)) if head else None, {}
