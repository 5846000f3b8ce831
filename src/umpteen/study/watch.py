"""Watch: which runs go on, how far each is, and how long the rest will roughly take."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from umpteen.core.legible import spoken_seconds
from umpteen.study.cells import Cell

_LONGEST = "Learning"  # the part of a run whose bar tells how far the whole is
_KNOWN = 0.02  # of it must be done before it says how long the rest takes


@dataclass
class Going:
    """A run that goes on."""

    cell: Cell
    expected: float | None  # seconds in all
    began: float = field(default_factory=lambda: time.monotonic())
    state: Mapping[str, Any] = field(default_factory=dict)

    @property
    def taken(self) -> float:
        """Seconds so far."""
        return time.monotonic() - self.began

    @property
    def left(self) -> float | None:
        """Seconds, as far as one can tell."""
        share = _share(self.state)
        if self.state.get("what") == _LONGEST and share is not None and share > _KNOWN:
            return self.taken * (1 - share) / share
        return None if self.expected is None else max(0.0, self.expected - self.taken)

    def __str__(self) -> str:
        share, left = _share(self.state), self.left
        doing = [self.state.get("what", "starting") + (f" {100 * share:.0f}%" if share is not None else "")]
        doing += [self.state["note"]] if self.state.get("note") else []
        doing += [f"{spoken_seconds(self.taken)} so far"]
        doing += [f"about {spoken_seconds(left)} left"] if left is not None else []
        return f"{self.cell.name}: {', '.join(doing)}"


class Watch:
    """All runs that go on."""

    def __init__(self, seconds: Callable[[Cell], float | None] = lambda cell: None) -> None:
        self._seconds = seconds
        self._going: dict[str, Going] = {}
        self._ended: list[float] = []

    def begin(self, cell: Cell) -> None:
        """A run begins."""
        self._going[cell.key] = Going(cell, self._seconds(cell))

    def tell(self, cell: Cell, state: Mapping[str, Any]) -> None:
        """What its process reports."""
        if cell.key in self._going:
            self._going[cell.key].state = state

    def end(self, cell: Cell) -> None:
        """It has ended."""
        going = self._going.pop(cell.key, None)
        if going is not None:
            self._ended.append(going.taken)

    def left(self, waiting: Sequence[Cell], jobs: int) -> float | None:
        """Seconds to the end of all; runs of which nothing is known count as long as others on the average."""
        going = [run.left for run in [*self._going.values()]]
        known = [*going, *(self._seconds(cell) for cell in waiting)]
        some = [seconds for seconds in known if seconds is not None]
        usual = some + self._ended
        if not usual:
            return None
        total = sum(some) + (len(known) - len(some)) * fmean(usual)
        return max([total / jobs, *(seconds for seconds in going if seconds is not None)])

    def lines(self) -> list[str]:
        """How far each run is."""
        return [str(run) for run in [*self._going.values()]]


def _share(state: Mapping[str, Any]) -> float | None:
    return state["done"] / state["total"] if state.get("total") else None
