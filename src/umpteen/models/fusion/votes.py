"""How rankings of several models become one: each listed label brings evidence, evidence adds up, sums become scores.

A label that a model does not list brings none. `either` is the chance that not all models are wrong, 1 - (1 - p)(1 - q)
for two; a model of weight w counts as (1 - p)^w. `mean` and `ranks` are means of scores and of 1 / (offset + place).
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.core.ranking import Ranking, merged
from umpteen.metrics.ranking import Floats, Judged

How = Literal["either", "mean", "ranks"]
_SURE = 1e-9  # nothing is surer than that
_TRIED = (0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)  # weights
_ROUNDS = 3  # in which weights follow each other
_LISTED = 20  # labels of each ranking that weights are learnt by


def joined(rankings: Sequence[Ranking], k: int, *, how: How, weights: Floats, offset: float = 60.0) -> Ranking:
    """The k best labels by all rankings, which name labels by the same ids; weights are those of the rankings."""
    shares = weights / weights.sum()
    parts = []
    for ranking, weight, share in zip(rankings, weights, shares, strict=True):
        scores = ranking.scores.astype(np.float64)
        if how == "either":
            parts.append(-weight * np.log1p(-np.minimum(scores, 1 - _SURE)))
        elif how == "mean":
            parts.append(share * scores)
        else:
            places = np.arange(1, ranking.depth + 1)
            parts.append(np.broadcast_to(share * (offset + 1) / (offset + places), scores.shape))
    ids, sums = merged(np.concatenate([ranking.labels for ranking in rankings], axis=1), np.concatenate(parts, axis=1))
    best = Ranking.best(ids, sums, k)  # by the evidence, which tells apart what is next to certain
    return Ranking(best.labels, _scores(best.scores, sure=how == "either"))


def _scores(sums: NDArray[np.float32], *, sure: bool) -> NDArray[np.float32]:
    """Sums that fall as scores between 0 and 1 that fall wherever sums do, be it by the least step there is."""
    scores = np.clip(-np.expm1(-sums) if sure else sums, np.float32(0), np.float32(1))
    for place in range(1, scores.shape[1]):
        before = scores[:, place - 1]
        less = np.where(sums[:, place] < sums[:, place - 1], np.nextafter(before, np.float32(0)), before)
        scores[:, place] = np.minimum(scores[:, place], less)
    return scores


def learn(rankings: Sequence[Ranking], Y: sparse.csr_array) -> Floats:
    """The weights in `either` that rank documents with known labels best, by nDCG@5: one after the other, in turns."""
    short, weights = [ranking.top(_LISTED) for ranking in rankings], np.ones(len(rankings))

    def worth(tried: Floats) -> float:
        return Judged.of(joined(short, 5, how="either", weights=tried), Y, k=5).ndcg(5).value if tried.any() else 0.0

    best = worth(weights)
    for _ in range(_ROUNDS):
        before = best
        for member in range(len(weights)):
            for weight in _TRIED:
                tried = weights.copy()
                tried[member] = weight
                if (found := worth(tried)) > best:
                    best, weights = found, tried
        if best == before:
            break
    return weights
