"""Label by label: how often each occurs, how often it was predicted, and how well."""

from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields
from itertools import chain
from math import isnan
from pathlib import Path

from umpteen.core.errors import DataError
from umpteen.core.files import Staging
from umpteen.core.ranking import Ranking
from umpteen.core.space import LabelSpace
from umpteen.metrics.groups import Ties, label_areas
from umpteen.metrics.ranking import Truth
from umpteen.metrics.sets import Counts


@dataclass(frozen=True)
class LabelRow:
    """One label's line in the table; the scores are in percent, nan where nothing defines them."""

    key: str
    name: str
    train: int  # training documents that have it
    test: int  # test documents that have it
    predicted: int  # test documents that have it among their first k
    right: int
    precision: float
    recall: float
    f1: float
    auc: float  # of the whole ranking, not just the first k


def per_label(ranking: Ranking, Y: Truth, space: LabelSpace, *, k: int = 5, ties: Ties = "half") -> Iterator[LabelRow]:
    """Rows in the order of `space`, which names every column of the truth and counts them in training."""
    if len(space) != Y.shape[1]:
        raise DataError(f"The truth has {Y.shape[1]} labels but the label space {len(space)}.")
    counts = Counts.per_label(ranking.top(k), Y)
    nothing = float("nan")
    scores = (counts.precision(empty=nothing), counts.recall(empty=nothing), counts.f1(empty=nothing))
    areas, _ = label_areas(ranking, Y, ties=ties)
    whole = (space.counts, counts.true, counts.predicted, counts.right)
    columns = [*(c.tolist() for c in whole), *((100 * s).tolist() for s in (*scores, areas))]
    for number, (key, *cells) in enumerate(zip(space.keys, *columns, strict=True)):
        yield LabelRow(key, space.name(number), *cells)


def write_per_label(
    path: str | Path, ranking: Ranking, Y: Truth, space: LabelSpace, *, k: int = 5, ties: Ties = "half"
) -> None:
    """The rows as a TSV file with a header, written beside its place; what is not defined stays empty."""
    names = tuple(field.name for field in fields(LabelRow))
    with Staging() as staging:
        file = staging.open(Path(path))
        for row in chain([names], map(astuple, per_label(ranking, Y, space, k=k, ties=ties))):
            file.write(("\t".join(map(_cell, row)) + "\n").encode("utf-8", "replace"))


def _cell(value: str | int | float) -> str:
    if isinstance(value, float):
        return "" if isnan(value) else f"{value:.2f}"
    return " ".join(str(value).split())
