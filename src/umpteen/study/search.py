"""Search: settings by successive halving. Many learn from few documents; the best third goes on with thrice as many.

Each trial is judged on validation documents, which it does not learn from; test documents are never read. What a model
is without a search, its default, goes on to the end, so that one sees what the search gained.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from umpteen.core.errors import SettingError
from umpteen.models import model
from umpteen.study.cells import FORMAT, Cell
from umpteen.study.measures import depths, less_is_better
from umpteen.study.results import Results
from umpteen.study.sources import Source, mark

_KEPT = 3  # one of so many goes on
_LEAST = 500  # documents that a trial should learn from

Budget = Literal["documents", "epochs"]


@dataclass(frozen=True)
class Trial:
    """Settings to try; none of them is the default."""

    settings: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Short, and the same whenever the settings are."""
        if not self.settings:
            return "default"
        return hashlib.sha256(json.dumps(self.settings, sort_keys=True).encode()).hexdigest()[:6]


@dataclass(frozen=True)
class Rung:
    """A round of a search: how much each trial learns from, and how many go through it."""

    share: float
    trials: int


@dataclass(frozen=True, kw_only=True)
class Search:
    """What is searched, and by what."""

    source: Source
    model: str
    preset: str | None = None
    fixed: Mapping[str, Any] = field(default_factory=dict)
    trials: tuple[Trial, ...]
    metric: str = "nDCG@5"
    budget: Budget = "documents"
    valid: float = 0.2  # share of the training documents, where no file of validation documents is given
    validation: str | None = None  # such a file
    seed: int = 0

    def cell(self, trial: Trial, share: float) -> Cell:
        """One run: a trial with a share of the documents, or of the epochs."""
        settings = self._settings(trial, share)
        threads = settings.pop("jobs")
        wanted = {
            "umpteen": FORMAT,
            "files": self._marks,
            "where": {key: [*values] for key, values in self.source.data.where.items()},
            "format": self.source.data.format,
            "valid": 0 if self.validation is not None else self.valid,
            "at": [*depths((self.metric,))],
            "split": None,
            "noise": None,
            "model": self.model,
            "settings": settings,
            "seed": self.seed,
            "share": share if self.budget == "documents" else 1.0,
        }
        place = {
            "data": self.source.data.name,
            "trial": trial.name,
            "share": float(f"{share:.3g}"),
            "model": self.model,
        }
        return Cell(place, None, self.seed, wanted, self._files, threads)

    @cached_property
    def _files(self) -> dict[str, str]:
        files = {part: path for part, path in self.source.files.items() if part != "test"}
        return files if self.validation is None else {**files, "valid": self.validation}

    @cached_property
    def _marks(self) -> dict[str, str]:
        return {part: mark(Path(path)) for part, path in self._files.items()}

    def _settings(self, trial: Trial, share: float) -> dict[str, Any]:
        params = model(self.model).Params
        given = {**self.fixed, **trial.settings, "seed": self.seed}
        made = params.made(given, owner=self.model, preset=self.preset)
        found: dict[str, Any] = json.loads(json.dumps(asdict(made)))
        if self.budget == "epochs":
            if "epochs" not in found:
                raise SettingError(f"{self.model} has no epochs to go through fewer of: use --budget documents.")
            found["epochs"] = max(1, round(share * found["epochs"]))
            found["least_steps"] = round(share * found["least_steps"])
        return found


def rungs(trials: int, documents: int, budget: Budget) -> list[Rung]:
    """The rounds, the last with everything; few documents or trials make few rounds."""
    found, count = [trials], trials
    while count >= _KEPT:
        count //= _KEPT
        found.append(count)
    if budget == "documents":
        while len(found) > 1 and documents / _KEPT ** (len(found) - 1) < _LEAST:
            found.pop()  # the rest is decided in the last round
    return [Rung(_KEPT ** -(len(found) - 1 - number), count) for number, count in enumerate(found)]


@dataclass(frozen=True)
class Judged:
    """How far a trial came, and what it was worth there."""

    trial: Trial
    share: float
    score: float | None  # none: it failed
    seconds: float


def searched(search: Search, rounds: Sequence[Rung], run: Callable[[Sequence[Cell], Rung], Results]) -> list[Judged]:
    """Go through all rounds; the trials, the best first, each as it stood in its last round.

    `run` does runs that are not done yet and gives the results of all.
    """
    default, trials = Trial({}), [*search.trials]
    ended = list[Judged]()
    for rung, after in zip(rounds, [*rounds[1:], None], strict=True):
        cells = [(trial, search.cell(trial, rung.share)) for trial in _with(default, trials)]
        results = run([cell for _, cell in cells], rung)
        judged = [_judged(trial, rung, results, cell, search.metric) for trial, cell in cells]
        judged.sort(key=_order(search.metric))
        if after is None:
            return judged + ended[::-1]
        best = [one for one in judged if one.score is not None and one.trial != default][: after.trials]
        trials = [one.trial for one in best]
        ended += [one for one in reversed(judged) if one.trial not in trials and one.trial != default]
    raise AssertionError("there is always a last round")


def _with(default: Trial, trials: Sequence[Trial]) -> list[Trial]:
    return [default, *(trial for trial in trials if trial != default)]


def _judged(trial: Trial, rung: Rung, results: Results, cell: Cell, metric: str) -> Judged:
    found = results.of(cell)
    measures = found.measures if found is not None else {}
    return Judged(trial, rung.share, measures.get(metric), measures.get("train-seconds", 0.0))


def _order(metric: str) -> Callable[[Judged], tuple[bool, float]]:
    sign = 1 if less_is_better(metric) else -1
    return lambda one: (one.score is None, sign * (one.score or 0.0))
