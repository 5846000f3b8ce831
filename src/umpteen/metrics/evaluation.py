"""Evaluation: a report kept in a file, with the best labels of each document, so that it can be compared later."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from umpteen.core.errors import DataError
from umpteen.core.files import Staging, opened
from umpteen.core.ranking import Ranking
from umpteen.core.space import LabelSpace
from umpteen.metrics.report import Report


@dataclass(frozen=True)
class Evaluation:
    """What one model scored on one data set, and which labels it put first."""

    name: str  # of the model
    data: str
    metrics: dict[str, Any]  # a report's `to_json`, or just scores by name
    documents: tuple[str, ...] = ()  # ids of the documents
    labels: tuple[str, ...] = ()  # keys that `top` points to
    top: NDArray[np.int32] | None = None  # (documents, k), padded with -1

    @classmethod
    def of(
        cls,
        report: Report,
        ranking: Ranking,
        space: LabelSpace,
        *,
        name: str,
        data: str,
        documents: Sequence[str] | None = None,
        k: int = 5,
    ) -> Self:
        """A report with the first k labels of each document; documents without ids are numbered from 1."""
        ids = tuple(documents or map(str, range(1, len(ranking) + 1)))
        if len(ids) != len(ranking):
            raise DataError(f"There are {len(ids)} document ids but {len(ranking)} documents in the ranking.")
        first = ranking.top(k).labels
        used = np.unique(first[first >= 0])
        top = np.where(first >= 0, np.searchsorted(used, first), -1).astype(np.int32)
        return cls(name, data, report.to_json(), ids, tuple(space.keys[n] for n in used), top)

    @property
    def scores(self) -> dict[str, float]:
        """The metrics that are single scores."""
        names = (name for name in self.metrics if "@" in name or "-" in name)
        return {name: self.metrics[name] for name in names if isinstance(self.metrics[name], int | float)}

    def save(self, path: str | Path) -> None:
        """Writes one JSON file, beside its place and then renamed."""
        kept: dict[str, Any] = {"name": self.name, "data": self.data, "metrics": self.metrics}
        if self.top is not None:
            kept["rankings"] = {"documents": self.documents, "labels": self.labels, "top": self.top.tolist()}
        with Staging() as staging:
            staging.open(Path(path)).write(json.dumps(kept).encode() + b"\n")

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Reads what `save` wrote."""
        with opened(Path(path)) as stream:
            text = stream.read()
        try:
            kept = json.loads(text)
            name, data, metrics = (kept[part] for part in ("name", "data", "metrics"))
            if "rankings" not in kept:
                return cls(name, data, metrics)
            saved = kept["rankings"]
            top = np.array(saved["top"], np.int32).reshape(len(saved["documents"]), -1)
            return cls(name, data, metrics, tuple(saved["documents"]), tuple(saved["labels"]), top)
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(
                'This is not a saved evaluation: a JSON object with "name", "data" and "metrics" was expected.',
                file=path,
            ) from error


def overlap(one: Evaluation, other: Evaluation, *, k: int) -> float:
    """How far two models agree: the mean share of labels common to both first k, as a fraction."""
    mine, theirs = _first(one, k), _first(other, k)
    if one.documents != other.documents:
        theirs = theirs[_places(one, other)]
    ids = {key: number for number, key in enumerate(one.labels)}
    known = np.array([*(ids.get(key, -2) for key in other.labels), -2])  # -1, the padding, reads the last
    same = mine[:, :, None] == known[theirs][:, None, :]  # (documents, k, k)
    return float(same.sum() / (k * len(mine)))


def _places(one: Evaluation, other: Evaluation) -> list[int]:
    """Where the documents of one stand in the other."""
    places = {document: number for number, document in enumerate(other.documents)}
    if len(one.documents) != len(other.documents) or places.keys() != set(one.documents):
        raise DataError(f"{one.name} and {other.name} were evaluated on different documents and have no overlap.")
    return [places[document] for document in one.documents]


def _first(evaluation: Evaluation, k: int) -> NDArray[np.int32]:
    if evaluation.top is None or evaluation.top.shape[1] < k:
        raise DataError(f"The evaluation of {evaluation.name} does not keep the first {k} labels of each document.")
    return evaluation.top[:, :k]
