"""Calibration: whether labels that score 0.7 are right seven times in ten.

The expected calibration error (ECE) groups label suggestions by score in bins of equal width; it is the mean distance
between the mean score and the share of right ones in a bin, each bin weighed by how many suggestions it holds.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from umpteen.core.ranking import Ranking
from umpteen.metrics.ranking import Floats, Truth, hits

BINS = 15  # as most papers


@dataclass(frozen=True)
class Reliability:
    """What scores promise and what they keep, bin by bin from 0 to 1; empty bins hold 0."""

    count: NDArray[np.int64]  # (bins,) suggestions
    promised: Floats  # (bins,) mean score
    kept: Floats  # (bins,) share that is right

    @classmethod
    def of(cls, scores: ArrayLike, right: ArrayLike, *, bins: int = BINS) -> Self:
        """Of suggestions' scores between 0 and 1, and whether each is right."""
        values, hit = np.asarray(scores, np.float64).ravel(), np.asarray(right, np.float64).ravel()
        place = np.minimum((values * bins).astype(np.int64), bins - 1)
        count = np.bincount(place, minlength=bins)
        some = np.maximum(count, 1)
        sums = (np.bincount(place, weights=part, minlength=bins) / some for part in (values, hit))
        return cls(count, *sums)

    @classmethod
    def at(cls, ranking: Ranking, Y: Truth, *, k: int, bins: int = BINS) -> Self:
        """Of the first k labels of each document."""
        top = ranking.top(k)
        given = top.labels >= 0
        return cls.of(top.scores[given], hits(top, Y)[given], bins=bins)

    @property
    def error(self) -> float:
        """The expected calibration error as a fraction; 0 where nothing was suggested."""
        total = self.count.sum()
        return float((self.count * np.abs(self.promised - self.kept)).sum() / total) if total else 0.0

    def to_json(self) -> dict[str, list[float]]:
        """All of it as plain values."""
        return {"count": self.count.tolist(), "promised": self.promised.tolist(), "kept": self.kept.tolist()}

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> Self:
        """What `to_json` gave."""
        count, *shares = (np.array(saved[name]) for name in ("count", "promised", "kept"))
        return cls(count.astype(np.int64), *shares)
