"""Metrics at k: how many of a ranking's first k labels are right, and how high they stand.

Each metric is a sum over documents divided by another. A `Ratio` keeps what every document adds to the two, so that
the figure and its bootstrap interval come from the same numbers. Documents without labels add nothing above the line.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from umpteen.core.errors import DataError
from umpteen.core.ranking import Ranking

Truth = sparse.csr_array | sparse.csr_matrix  # (documents, labels); what is not zero is true
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Ratio:
    """A metric before averaging: what each document adds above and below the line."""

    above: Floats  # (documents,)
    below: Floats  # (documents,)

    @classmethod
    def mean(cls, values: Floats) -> Self:
        """The plain mean over documents."""
        return cls(values, np.ones(len(values)))

    @property
    def value(self) -> float:
        """The metric as a fraction; 0 where nothing could be right."""
        below = self.below.sum()
        return float(self.above.sum() / below) if below else 0.0


@dataclass(frozen=True)
class Judged:
    """A ranking held against the truth, k deep; weights are inverse propensities."""

    right: NDArray[np.bool_]  # (documents, k)
    true: NDArray[np.int64]  # (documents,) how many labels a document really has
    got: Floats  # (documents, k) weight of the label at each place, 0 where it is wrong
    best: Floats  # (documents, k) the same for the best ranking there could be

    @classmethod
    def of(cls, ranking: Ranking, Y: Truth, *, k: int, weights: Floats | None = None) -> Self:
        """The first k labels of each document, right or wrong; without weights every label weighs 1."""
        Y = true_labels(ranking, Y)
        weights = np.ones(Y.shape[1]) if weights is None else weights
        top = ranking.top(k)
        missing = ((0, 0), (0, k - top.depth))
        right = hits(top, Y)
        got = np.where(right, weights[top.labels], 0.0)
        return cls(
            np.pad(right, missing), np.diff(Y.indptr).astype(np.int64), np.pad(got, missing), _best(Y, weights, k)
        )

    def precision(self, k: int) -> Ratio:
        """P@k: the share of k places that are right, however few labels the document has."""
        return Ratio.mean(self._first(self.right, k).sum(axis=1) / k)

    def recall(self, k: int) -> Ratio:
        """R@k: the share of the document's labels among the first k."""
        return Ratio.mean(self._first(self.right, k).sum(axis=1) / np.maximum(self.true, 1))

    def dcg(self, k: int) -> Ratio:
        """DCG@k: right labels, each worth 1 / log2(place + 1)."""
        return Ratio.mean(self._first(self.right, k) @ discounts(k))

    def ndcg(self, k: int) -> Ratio:
        """nDCG@k: DCG@k as a share of what the document's labels could reach."""
        return Ratio.mean(self.dcg(k).above / self._most(k))

    def psp(self, k: int) -> Ratio:
        """PSP@k: weight of the right labels by the largest weight there was to get, both summed over documents."""
        return Ratio(self._first(self.got, k).sum(axis=1), self._first(self.best, k).sum(axis=1))

    def psndcg(self, k: int) -> Ratio:
        """PSnDCG@k: as PSP@k with places discounted; each document counts by the nDCG's normaliser."""
        most = self._most(k)
        return Ratio(self._first(self.got, k) @ discounts(k) / most, self._first(self.best, k) @ discounts(k) / most)

    def _most(self, k: int) -> Floats:
        """The DCG@k of perfect documents; 1 for those without labels, which have nothing to divide."""
        reach = np.concatenate([[1.0], np.cumsum(discounts(k))])
        return np.asarray(reach[np.minimum(self.true, k)])

    def _first(self, places: NDArray[np.generic], k: int) -> Floats:
        if not 1 <= k <= places.shape[1]:
            raise DataError(f"The ranking was judged {places.shape[1]} labels deep, so k cannot be {k}.")
        return places[:, :k].astype(np.float64)


def discounts(k: int) -> Floats:
    """1 / log2(place + 1) for the places 1 to k."""
    return 1.0 / np.log2(np.arange(2, k + 2))


def inverse_propensity(counts: ArrayLike, documents: int, *, a: float = 0.55, b: float = 1.5) -> Floats:
    """The weight of each label: 1 + C (count + b)^-a, C = (ln documents - 1)(b + 1)^a, both counted in training.

    a=0.5, b=0.4 belong to WikiLSHTC-325K and Wikipedia-500K, a=0.6, b=2.6 to Amazon-670K and Amazon-3M,
    the defaults to all other data.
    """
    if documents < 1:
        raise DataError(f"Propensities need the number of training documents, 1 or more, not {documents}.")
    scale = (np.log(documents) - 1) * (b + 1) ** a
    return np.asarray(1 + scale * (np.asarray(counts, np.float64) + b) ** -a)


def coverage(ranking: Ranking, Y: Truth, *, k: int) -> float:
    """Of the labels that occur in the truth, the share that is right at least once among the first k."""
    Y = true_labels(ranking, Y)
    top = ranking.top(k)
    occurring = len(np.unique(Y.indices))
    return len(np.unique(top.labels[hits(top, Y)])) / occurring if occurring else 0.0


def hits(ranking: Ranking, Y: Truth) -> NDArray[np.bool_]:
    """Which places of the ranking hold a right label, (documents, depth)."""
    Y = true_labels(ranking, Y)
    documents, labels = Y.shape
    rows = np.arange(documents, dtype=np.int64)
    pairs = np.append(np.repeat(rows, np.diff(Y.indptr)) * labels + Y.indices, documents * labels)  # rising
    sought = np.where(ranking.labels >= 0, rows[:, None] * labels + ranking.labels, -1)
    return np.asarray(pairs[np.searchsorted(pairs, sought)] == sought)


def true_labels(ranking: Ranking, Y: Truth) -> sparse.csr_array:
    """The truth with sorted rows and without stored zeros, once it is clear that it belongs to the ranking."""
    if Y.shape[0] != len(ranking):
        raise DataError(f"The ranking is of {len(ranking)} documents but the truth of {Y.shape[0]}.")
    if ranking.labels.size and ranking.labels.max() >= Y.shape[1]:
        raise DataError(f"The ranking names label {ranking.labels.max()} but the truth has only {Y.shape[1]} labels.")
    if isinstance(Y, sparse.csr_array) and Y.has_canonical_format and Y.data.all():
        return Y
    clean = sparse.csr_array(Y, copy=True)
    clean.sum_duplicates()
    clean.eliminate_zeros()
    return clean


def _best(Y: sparse.csr_array, weights: Floats, k: int) -> Floats:
    """The k largest weights among each document's labels, falling, padded with 0."""
    rows = np.repeat(np.arange(Y.shape[0]), np.diff(Y.indptr))
    worth = weights[Y.indices]
    order = np.lexsort((-worth, rows))
    place = np.arange(len(rows)) - Y.indptr[rows]
    keep = place < k
    best = np.zeros((Y.shape[0], k))
    best[rows[keep], place[keep]] = worth[order][keep]
    return best
