"""A team: processes elsewhere that train one network together, each on its share of every batch."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol

from numpy.typing import NDArray

from umpteen.core.ranking import Ranking
from umpteen.core.run import Run
from umpteen.train.batches import Source
from umpteen.train.stages import Stage


@dataclass(frozen=True)
class Found:
    """The best weights of a stage."""

    score: float  # nDCG@5 on validation documents
    epoch: float  # where they were found
    chosen: Mapping[str, Any] = field(default_factory=dict)  # beside the weights, on documents kept aside


@dataclass(frozen=True)
class Lesson:
    """All that a stage's training is given."""

    stage: Stage
    number: int
    source: Source
    valid: Source
    rank: (
        Callable[[Source, int], Ranking] | None
    )  # labels the network as it stands gives, where that is more than its own
    before: Found | None  # what is known of the stage before


class Team(Protocol):
    """Who trains instead of this process."""

    def train(self, lesson: Lesson, run: Run | None) -> tuple[Mapping[str, NDArray[Any]], Found]:
        """The weights that a stage's training ends with; its log and checkpoints go to `run` as if it were here."""


_team: ContextVar[Team | None] = ContextVar("team", default=None)


def team() -> Team | None:
    """Who trains networks; None: this process."""
    return _team.get()


@contextmanager
def taught_by(other: Team) -> Iterator[None]:
    """Have networks inside trained by a team."""
    before = _team.set(other)
    try:
        yield
    finally:
        _team.reset(before)
