"""Ending: a request to stop (Ctrl-C, SIGTERM) that waits for the end of a step, so that nothing learnt is lost."""

import signal
import threading
from types import FrameType
from typing import Any, Self


class Ending:
    """Inside, the first request is noted for `heed`; a second one stops at once, as both would without this."""

    def __init__(self) -> None:
        self._before: dict[int, Any] = {}
        self._asked: int | None = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():  # no other is told
            for number in (signal.SIGINT, signal.SIGTERM):
                before = signal.getsignal(number)
                if callable(before):
                    self._before[number] = before
                    signal.signal(number, self._note)
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)
        if kind is None:
            self.heed()

    @property
    def asked(self) -> bool:
        """Whether there was a request."""
        return self._asked is not None

    def heed(self) -> None:
        """Do what was asked for, once."""
        number, self._asked = self._asked, None
        if number is not None:
            self._before[number](number, None)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            self._before[number](number, frame)
        self._asked = number
