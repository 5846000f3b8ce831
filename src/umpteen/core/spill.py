"""Spill: arrays that grow on disk instead of in memory, where work was given a limit of memory to keep to.

What lies on disk is mapped: the system reads it when it is asked for. A watcher counts what the process holds, and has
the system forget mapped pages before the limit is reached. Files have no name, so that a stop leaves none behind.
"""

import ctypes
import mmap
import sys
import tempfile
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from umpteen.core.errors import UmpteenError
from umpteen.core.memory import mapped, resident, spoken

_LEAST = 256 * 2**20  # bytes of a limit; the libraries alone take most of them
_MARGIN = 256 * 2**20  # bytes below the limit, at most, at which mapped pages are let go
_STEP = 32 * 2**20  # bytes of them that are worth it
_LOOK = 0.01  # seconds between two looks


class Growing:
    """An array that grows at its end, in memory."""

    def __init__(self, kind: DTypeLike) -> None:
        self._kind, self._parts = np.dtype(kind), list[NDArray[Any]]()

    def add(self, values: NDArray[Any]) -> None:
        """Put values behind those there are."""
        self._parts.append(values.astype(self._kind, copy=False))

    def whole(self) -> NDArray[Any]:
        """All values; there is no adding afterwards."""
        parts, self._parts = self._parts[::-1], []
        if len(parts) == 1:
            return parts[0]
        made, at = np.empty(sum(map(len, parts)), self._kind), 0
        while parts:  # each is let go once it is copied, so that not all are held twice
            part = parts.pop()
            made[at : at + len(part)] = part
            at += len(part)
        return made


class Spill:
    """A limit of memory, and the place on disk for what is too much."""

    def __init__(self, limit: int, folder: Path | None = None) -> None:
        if limit < _LEAST:
            raise UmpteenError(f"A limit of {spoken(limit)} is too small to work with: give {spoken(_LEAST)} or more.")
        self.limit, self.folder = limit, folder
        self.written = 0  # bytes
        self._stays = 0  # bytes mapped that are not ours: libraries
        self._maps: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()

    def growing(self, kind: DTypeLike) -> "_OnDisk":
        """An array that grows on disk."""
        return _OnDisk(self, kind)

    def left(self) -> int:
        """Bytes that may still be taken, with all mapped pages and what was freed before let go."""
        self._let_go()
        with suppress(AttributeError, OSError, TypeError):  # other systems have no such function
            ctypes.CDLL(None).malloc_trim(0)
        return self.limit - (resident() or 0)

    def _mapped(self, file: Any) -> mmap.mmap:
        made = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._maps.add(made)
        return made

    def _let_go(self) -> None:
        if hasattr(mmap, "MADV_DONTNEED"):
            for made in list(self._maps):
                made.madvise(mmap.MADV_DONTNEED)

    def watch(self, end: threading.Event) -> None:
        """Keep mapped pages below the limit until the end."""
        while not end.wait(_LOOK):
            self.look()

    def look(self) -> None:
        """Let mapped pages go if the limit is near and that gains something."""
        full = (resident() or 0) > self.limit - min(_MARGIN, self.limit // 4)
        if full and (mapped() or 0) > self._stays + _STEP:
            self._let_go()
            self._stays = mapped() or 0


class _OnDisk(Growing):
    def __init__(self, spill: Spill, kind: DTypeLike) -> None:
        super().__init__(kind)
        self._spill = spill
        self._file = tempfile.TemporaryFile(dir=spill.folder, prefix="umpteen-")  # noqa: SIM115 (closed once mapped)

    def add(self, values: NDArray[Any]) -> None:
        part = values.astype(self._kind, copy=False)
        try:
            self._file.write(np.ascontiguousarray(part).data.cast("B") if part.size else b"")
        except OSError as error:
            place = self._spill.folder or tempfile.gettempdir()
            raise UmpteenError(
                f"{place} cannot hold what does not fit into memory: {error.strerror or error}. "
                "Make room there, or set TMPDIR to another folder."
            ) from error
        self._spill.written += part.nbytes

    def whole(self) -> NDArray[Any]:
        self._file.flush()
        with self._file:
            if not self._file.tell():
                return np.empty(0, self._kind)
            return np.frombuffer(self._spill._mapped(self._file), self._kind)


_spill: ContextVar[Spill | None] = ContextVar("spill", default=None)


def spill() -> Spill | None:
    """The limit that the work at hand must keep to; None: whatever there is."""
    return _spill.get()


def growing(kind: DTypeLike) -> Growing:
    """An array that grows at its end: on disk where there is a limit of memory, else in memory."""
    limit = _spill.get()
    return Growing(kind) if limit is None else limit.growing(kind)


@contextmanager
def limited(limit: int, folder: Path | None = None) -> Iterator[Spill]:
    """Keep what is done inside to a limit of memory, with the rest in files in a folder (the system's, without one)."""
    made, end = Spill(limit, folder), threading.Event()
    watcher = threading.Thread(target=made.watch, args=(end,), daemon=True)
    before = _spill.set(made)
    if sys.platform == "linux":
        watcher.start()
    try:
        yield made
    finally:
        _spill.reset(before)
        end.set()
        if watcher.is_alive():
            watcher.join()
