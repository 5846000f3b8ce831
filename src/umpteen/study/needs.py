"""Needs: how much memory and time a run will take, by what the same model took before or its own estimate says."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from statistics import fmean

from umpteen.contract.lesson import Size
from umpteen.models import model
from umpteen.study.cells import Cell
from umpteen.study.counted import Counts
from umpteen.study.results import Results

_PROCESS = 300 * 2**20  # bytes that any run takes
_START = 5.0  # seconds that any run takes beside learning and tagging
_MIB = 2**20


@dataclass(frozen=True)
class Needs:
    """Estimates for the runs of a study."""

    results: Results
    counts: Mapping[str, Counts] = field(default_factory=dict)  # by data
    takes: Mapping[tuple[str, str], float] = field(default_factory=dict)  # seconds by data and model

    def memory(self, cell: Cell) -> int:
        """Bytes; 0 where nothing is known of the data."""
        measured = self._measured(cell, "memory")
        if measured:
            return int(max(measured) * _MIB)
        counts = self.counts.get(cell.at["data"])
        if counts is None:
            return 0
        kind, settings = model(cell.wanted["model"]), cell.wanted["settings"]
        made = kind(**vars(kind.Params.made(settings, owner=cell.wanted["model"])))
        return _PROCESS + made._memory(_learnt(counts.size, cell))

    def seconds(self, cell: Cell) -> float | None:
        """Of the whole run; None where nothing like it has run and the study does not say."""
        learning, tagging = (self._measured(cell, name) for name in ("train-seconds", "tag-seconds"))
        if learning:
            return _START + fmean(learning) + (fmean(tagging) if tagging else 0.0)
        return self.takes.get((cell.at["data"], cell.at["model"]))

    def _measured(self, cell: Cell, measure: str) -> list[float]:
        """Of runs that differ in seed, split and noise alone."""
        found = []
        for other in self.results.cells:
            result = self.results.of(other) if _alike(cell, other) else None
            if result is not None and measure in result.measures:
                found.append(result.measures[measure])
        return found


def _alike(one: Cell, other: Cell) -> bool:
    apart = ("noise", "rate")
    mine, theirs = ({k: v for k, v in cell.at.items() if k not in apart} for cell in (one, other))
    return mine == theirs


def _learnt(size: Size, cell: Cell) -> Size:
    """What is left of all training documents once validation, test and unused ones are taken away."""
    split, share = cell.wanted["split"], cell.wanted.get("share") or 1.0
    left = (1 - cell.wanted["valid"]) * (1 - split["test"] if split else 1) * share
    parts = {name: int(left * getattr(size, name)) for name in ("documents", "characters", "values", "occurrences")}
    return replace(size, **parts)
