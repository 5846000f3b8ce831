"""The heap: memory that is freed and asked for again all the time stays with the process meanwhile.

Training frees and asks for arrays of many megabytes in every step. By itself the C library gives each back to the
system and gets fresh pages, which the system has to clear: more work than the arithmetic on them.
"""

import ctypes
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock

LARGE = 32 << 20  # bytes: smaller arrays stay by themselves
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _MMAP_MAX = -1, -3, -4  # numbers of mallopt, as <malloc.h> has them
_USUAL = {_MMAP_THRESHOLD: LARGE, _TRIM_THRESHOLD: 2 * LARGE, _MMAP_MAX: 65536}  # where it comes to by itself
_KEPT = {_TRIM_THRESHOLD: (1 << 31) - 1, _MMAP_MAX: 0}
_EVERY = 0.5  # seconds
_lock, _inside, _tidied = Lock(), 0, 0.0
_KERNELS = (
    "ONEDNN_PRIMITIVE_CACHE_CAPACITY",
    "LRU_CACHE_CAPACITY",
)  # how many oneDNN keeps, and torch's layer above it
_FEW = 16  # kernels, enough of them: batches of one shape come together


@cache
def _library() -> ctypes.CDLL | None:
    """The C library, where it is GNU's."""
    if not sys.platform.startswith("linux"):
        return None
    library = ctypes.CDLL(None)
    return library if hasattr(library, "mallopt") and hasattr(library, "gnu_get_libc_version") else None


@contextmanager
def kept() -> Iterator[None]:
    """Keep freed memory inside; give it back at the end, when the last of several such threads has left."""
    global _inside
    with _lock:
        _inside += 1
        _set(_KEPT)
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                _set(_USUAL)
                _give_back()


def tidy() -> None:
    """Give back what is free just now, at most twice a second: it takes some milliseconds.

    Arrays of ever other sizes leave gaps between them that fit none, and memory would grow and grow.
    """
    global _tidied
    if time.monotonic() - _tidied >= _EVERY:
        _give_back()
        _tidied = time.monotonic()


def keep_few_kernels() -> None:
    """Let torch keep a few of the kernels that it makes for each shape of matrices instead of a thousand.

    Each comes with memory of its own, and batches have ever other lengths. It takes effect where torch has not
    computed with them yet, and what the user set stands.
    """
    for name in _KERNELS:
        os.environ.setdefault(name, str(_FEW))


def _set(numbers: dict[int, int]) -> None:
    if (library := _library()) is not None:
        for name, value in numbers.items():
            library.mallopt(name, value)


def _give_back() -> None:
    if (library := _library()) is not None:
        library.malloc_trim(0)
