"""Kernel regression: every training document speaks on every label, as loud as gives training documents their labels.

Documents are alike by ((1 + cosine of their features) / 2) to the power of 4. Each is compared with each, so memory and
time grow fast with their number: it is for thousands of documents.
"""

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.core.corpus import Rows
from umpteen.core.errors import DataError, UmpteenWarning
from umpteen.core.ranking import Ranking
from umpteen.core.sound import check_bounds, check_kind, check_places
from umpteen.core.store import Folder, NewFolder
from umpteen.kernels import votes as kernel
from umpteen.kernels.neighbours import likeness
from umpteen.kernels.threads import each
from umpteen.kernels.weights import unit_rows
from umpteen.text.columns import Columns
from umpteen.text.vocabulary import Tokens

DOCUMENTS = 30_000  # at most: as many squared are 3.6 GB
_NUMBERS = 1 << 26  # documents times labels, at most
LIFT = 1.0  # at most

Scores = NDArray[np.float32]


def is_feasible(documents: int, labels: int) -> bool:
    """Whether so many are few enough."""
    return 0 < documents <= DOCUMENTS and documents * labels <= _NUMBERS


def of_features(tokens: Tokens, features: int) -> sparse.csr_array:
    """Documents' features as rows of unit length."""
    assert tokens.values is not None
    values = tokens.values.copy()
    unit_rows(values, tokens.bounds)
    return sparse.csr_array((values, tokens.ids, tokens.bounds), shape=(len(tokens), features))


@dataclass(frozen=True)
class Weight:
    """How regression counts beside a ranking."""

    share: float = 0.0  # of a label's score
    damping: float = 0.3  # keeps it from learning documents by heart
    lift: float = 0.0  # odds of a label are multiplied by how much rarer than the mean it is, to this power

    @classmethod
    def checked(cls, values: Mapping[str, Any]) -> "Weight":
        """What a folder tells of; raises if it cannot be. Older folders tell less."""
        usual = cls()
        found = [values.get(name, getattr(usual, own)) for name, own in _TOLD.items()]
        if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in found):
            raise DataError("How regression counts is not told in numbers.")
        share, damping, lift = map(float, found)
        if not 0 <= share <= 1 or not 0 < damping < np.inf or not 0 <= lift <= LIFT:
            raise DataError("Regression cannot count as is told.")
        return cls(share, damping, lift)

    def told(self) -> dict[str, float]:
        """What `checked` reads: nothing but that it has no share, where it has none."""
        return {name: getattr(self, own) for name, own in _TOLD.items() if self.share or own == "share"}

    def odds(self, counts: NDArray[np.int64]) -> Scores | None:
        """What the odds of labels that so many documents have are multiplied by; none: they stay."""
        if not self.lift:
            return None
        there = counts[counts > 0]
        rarity = there.mean() / np.maximum(counts, 1) if len(there) else np.ones(len(counts))
        return (rarity**self.lift).astype(np.float32)


_TOLD = {"regression": "share", "damping": "damping", "lift": "lift"}


class Regression:
    """Training documents, and how loud each speaks for each label."""

    def __init__(self, X: sparse.csr_array, weights: Scores) -> None:
        self.X, self.weights = X, weights  # (documents, features), (documents, labels)
        self._columns = Columns.of(X)

    @classmethod
    def of(cls, X: sparse.csr_array, Y: sparse.csr_array, *, damping: float, jobs: int = 0) -> "Regression":
        """Learn the labels of documents with features of unit length; damping keeps it from doing so by heart."""
        from scipy import linalg  # only here: most who tag need not load it

        made = cls(X, np.empty((0, Y.shape[1]), np.float32))
        alike = np.empty((X.shape[0], X.shape[0]), np.float32)
        for (start, end), block in zip(made._columns.parts(len(alike)), made._alike(X, jobs), strict=True):
            alike[start:end] = block
        alike[np.diag_indices(len(alike))] += np.float32(damping)
        factor = linalg.cho_factor(
            alike.T, overwrite_a=True, check_finite=False
        )  # turned, which LAPACK needs no copy of
        wanted = Y.toarray().astype(np.float32)
        solved = linalg.cho_solve(factor, wanted, overwrite_b=True, check_finite=False)
        made.weights = np.ascontiguousarray(solved, np.float32)
        return made

    def with_more(
        self, X: sparse.csr_array, Y: sparse.csr_array, *, damping: float, jobs: int = 0
    ) -> "Regression | None":
        """Learnt anew with more documents, given the labels of all; none, with a warning, once those are too many."""
        if is_feasible(*Y.shape):
            whole = sparse.csr_array(sparse.vstack([self.X, X]))
            return Regression.of(whole, Y, damping=damping, jobs=jobs)
        warnings.warn(
            f"{Y.shape[0]:,} documents with {Y.shape[1]:,} labels are too many for regression: from now on only "
            "votes and heads count.",
            UmpteenWarning,
            stacklevel=2,
        )
        return None

    def beside(
        self, ranking: Ranking, X: sparse.csr_array, k: int, share: float, *, odds: Scores | None = None, jobs: int = 0
    ) -> Ranking:
        """The k best labels where this has a share of the scores, and a ranking of the same documents the rest.

        With `odds`, those of each label are then multiplied.
        """
        parts = zip(self._columns.parts(X.shape[0]), self._alike(X, jobs), strict=True)
        found = (joined(_part(ranking, *rows), alike @ self.weights, k, share, odds) for rows, alike in parts)
        return Ranking.joined(found, k)

    def scores(self, X: sparse.csr_array, *, jobs: int = 0) -> Scores:
        """What this says of all labels of documents, (documents, labels)."""
        return np.concatenate([alike @ self.weights for alike in self._alike(X, jobs)])

    def _alike(self, X: sparse.csr_array, jobs: int) -> Iterator[Scores]:
        """How alike documents are to all that are known, some at a time."""
        rows, columns = Rows(X.indptr, X.indices, X.data, X.shape), self._columns

        def block(part: tuple[int, int]) -> Scores:
            given, wanted, products = columns.begun(rows, part)
            likeness(*given, *columns.arrays, wanted, products)
            return products

        return each(block, columns.parts(X.shape[0]), jobs=jobs)

    def save(self, folder: NewFolder) -> None:
        """Write all that `load` needs."""
        folder.array("regression_bounds", self.X.indptr.astype(np.int64))
        folder.array("regression_features", self.X.indices.astype(np.int32))
        folder.array("regression_values", self.X.data)
        folder.array("regression_weights", self.weights)

    @classmethod
    def load(cls, folder: Folder, *, features: int, labels: int) -> "Regression":
        """The same as was saved, for documents of so many features and no more labels than so many."""
        bounds, ids, values, weights = (
            folder.array(f"regression_{name}") for name in ("bounds", "features", "values", "weights")
        )
        check_kind(weights, "f4", 2)
        check_kind(values, "f4")
        check_bounds(bounds, len(weights), len(ids))
        check_places(ids, features)
        if len(values) != len(ids) or weights.shape[1] > labels:
            raise DataError("Documents of the regression have other features or labels than there are.")
        return cls(sparse.csr_array((values, ids, bounds), shape=(len(weights), features)), weights)


def _part(ranking: Ranking, start: int, end: int) -> Ranking:
    return Ranking(ranking.labels[start:end], ranking.scores[start:end])


def joined(ranking: Ranking, scores: Scores, k: int, share: float, odds: Scores | None = None) -> Ranking:
    """The k best by both; a label that the ranking does not list has nothing there, and none with nothing is given.

    With `odds`, those of each label are then multiplied.
    """
    labels = max(scores.shape[1], int(ranking.labels.max(initial=-1)) + 1)  # with some that came later
    raised = np.ones(labels, np.float32) if odds is None else odds
    assert len(raised) >= labels
    return Ranking(*kernel.beside(ranking.labels, ranking.scores, scores, np.float32(share), raised[:labels], k))
