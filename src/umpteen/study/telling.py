"""Telling: what a run does, sent to the study that started it, a JSON line each on stdout, and kept in its log."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from umpteen.core.progress import Bar

_EVERY = 0.5  # seconds between two reports


class Reporter:
    """Sends what the innermost bar shows to the parent, a few times a second."""

    def __init__(self) -> None:
        self._open: list[_Line] = []
        self._told = 0.0

    @contextmanager
    def bar(self, what: str, total: float | None) -> Iterator[Bar]:
        line = _Line(self, what, total)
        self.line(f"{datetime.now():%Y-%m-%d %H:%M:%S}  {what}")
        self._open.append(line)
        self.tell(now=True)
        try:
            yield line
        finally:
            self._open.remove(line)

    def line(self, text: str) -> None:
        sys.stderr.write(f"{text}\n")

    def tell(self, *, now: bool = False) -> None:
        if self._open and (now or time.monotonic() - self._told > _EVERY):
            self._told = time.monotonic()
            sys.stdout.write(json.dumps(self._open[-1].state()) + "\n")
            sys.stdout.flush()


class _Line:
    def __init__(self, reporter: Reporter, what: str, total: float | None) -> None:
        self._reporter, self._what, self._total = reporter, what, total
        self._done, self._note = 0.0, ""

    def advance(self, amount: float = 1) -> None:
        self._done += amount
        self._reporter.tell()

    def note(self, text: str) -> None:
        self._note = text
        self._reporter.tell()

    def state(self) -> dict[str, Any]:
        return {"what": self._what, "done": self._done, "total": self._total, "note": self._note}
