"""Metrics of predicted sets: precision, recall and F1, over all pairs (micro), per label (macro), per document.

A ranking is read as a set: every label in it is predicted, so cut it first with `above(threshold)` or `top(k)`.
A macro mean runs over every column of the truth. A label with nothing to divide (for F1: neither true nor predicted
anywhere) counts as `empty`: 0 as most tools do, or nan to leave it out of the mean.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from umpteen.core.ranking import Ranking
from umpteen.metrics.ranking import Floats, Truth, hits, true_labels


@dataclass(frozen=True)
class Counts:
    """How many were predicted, how many are true, how many both: of each label, each document or in all."""

    right: NDArray[np.int64]
    predicted: NDArray[np.int64]
    true: NDArray[np.int64]

    @classmethod
    def per_label(cls, ranking: Ranking, Y: Truth) -> Self:
        """Counts of each column of the truth."""
        Y = true_labels(ranking, Y)
        right, given = hits(ranking, Y), ranking.labels >= 0
        columns = (ranking.labels[right], ranking.labels[given], Y.indices)
        return cls(*(np.bincount(c, minlength=Y.shape[1]).astype(np.int64) for c in columns))

    @classmethod
    def per_document(cls, ranking: Ranking, Y: Truth) -> Self:
        """Counts of each document."""
        Y = true_labels(ranking, Y)
        found = (hits(ranking, Y).sum(axis=1), (ranking.labels >= 0).sum(axis=1), np.diff(Y.indptr))
        return cls(*(np.asarray(f, np.int64) for f in found))

    def total(self) -> "Counts":
        """Everything in one, whose precision, recall and F1 are the micro averages."""
        return Counts(*(np.atleast_1d(part.sum()) for part in (self.right, self.predicted, self.true)))

    def precision(self, *, empty: float = 0.0) -> Floats:
        """Right by predicted."""
        return _divided(self.right, self.predicted, empty)

    def recall(self, *, empty: float = 0.0) -> Floats:
        """Right by true."""
        return _divided(self.right, self.true, empty)

    def f1(self, *, empty: float = 0.0) -> Floats:
        """Twice right by predicted plus true: the harmonic mean of precision and recall."""
        return _divided(2 * self.right, self.predicted + self.true, empty)

    def averages(self, *, empty: float = 0.0) -> dict[str, float]:
        """The means of precision, recall and F1, as "P", "R" and "F1"."""
        scores = {"P": self.precision(empty=empty), "R": self.recall(empty=empty), "F1": self.f1(empty=empty)}
        return {name: mean(values) for name, values in scores.items()}


def mean(values: Floats) -> float:
    """The mean of those that are numbers; nan where there are none."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def _divided(above: NDArray[np.int64], below: NDArray[np.int64], empty: float) -> Floats:
    return np.where(below > 0, above / np.maximum(below, 1), empty)
