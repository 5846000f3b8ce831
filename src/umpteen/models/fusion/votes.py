"""How rankings of several models become one: each listed label brings evidence, evidence adds up, sums become scores.

A label that a model does not list brings none. `either` is the chance that not all models are wrong, 1 - (1 - p)(1 - q)
for two; `mean` and `ranks` are means of scores and of 1 / (offset + place); `learnt` is a logistic regression.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.core.ranking import Ranking
from umpteen.metrics.ranking import Floats, hits

How = Literal["either", "mean", "ranks", "learnt"]
_SURE = 1e-6  # logits are of scores this far from 0 and 1 at least
_DECAY = 1e-4  # of what is learnt, so that members which always agree share the weight


def joined(
    rankings: Sequence[Ranking], k: int, *, how: How, weights: Floats, offset: float, learnt: Floats | None = None
) -> Ranking:
    """The k best labels by all rankings, which name labels by the same ids; weights are those of the rankings."""
    labels = np.concatenate([ranking.labels for ranking in rankings], axis=1)
    if how == "learnt":
        assert learnt is not None
        ids, facts = merged(labels, _facts(rankings))
        return Ranking.best(ids, _sigmoid(facts @ learnt[:-1] + learnt[-1]), k)
    shares = weights / weights.sum()
    parts = []
    for ranking, weight, share in zip(rankings, weights, shares, strict=True):
        scores = ranking.scores.astype(np.float64)
        if how == "either":
            with np.errstate(divide="ignore"):
                parts.append(-weight * np.log1p(-scores))
        elif how == "mean":
            parts.append(share * scores)
        else:
            places = np.arange(1, ranking.depth + 1)
            parts.append(np.broadcast_to(share * (offset + 1) / (offset + places), scores.shape))
    ids, sums = merged(labels, np.concatenate(parts, axis=1)[:, :, None])
    total = sums[:, :, 0]
    return Ranking.best(ids, np.clip(-np.expm1(-total) if how == "either" else total, 0.0, 1.0), k)


def learn(rankings: Sequence[Ranking], Y: sparse.csr_array) -> Floats:
    """Weights of each ranking's logit and of its listing a label at all, and the bias, by documents with labels."""
    from scipy.optimize import minimize

    ids, facts = merged(np.concatenate([r.labels for r in rankings], axis=1), _facts(rankings))
    there = ids >= 0
    right = hits(Ranking(ids, np.zeros(ids.shape, np.float32)), Y)[there]
    X = np.column_stack([facts[there], np.ones(int(there.sum()))])

    def loss(turn: Floats) -> tuple[float, Floats]:
        value = X @ turn
        worth = float((np.logaddexp(0, value) - right * value).mean()) + _DECAY * float(turn @ turn)
        return worth, X.T @ (_sigmoid(value) - right) / len(value) + 2 * _DECAY * turn

    return np.asarray(minimize(loss, np.zeros(X.shape[1]), jac=True, method="L-BFGS-B").x)


def merged(labels: NDArray[np.int32], facts: Floats) -> tuple[NDArray[np.int32], Floats]:
    """Each label once, in the first of its places by id, with the sum of its facts; -1 elsewhere.

    Labels are (documents, candidates), facts (documents, candidates, numbers).
    """
    order = np.argsort(labels, axis=1, kind="stable")
    ids = np.take_along_axis(labels, order, 1)
    facts = np.take_along_axis(facts, order[:, :, None], 1)
    first = np.ones(ids.shape, bool)
    first[:, 1:] = ids[:, 1:] != ids[:, :-1]
    if ids.size:
        facts = facts.reshape(-1, facts.shape[2])
        sums = np.zeros_like(facts)
        starts = np.flatnonzero(first.ravel())
        sums[starts] = np.add.reduceat(facts, starts, axis=0)
        facts = sums.reshape(*ids.shape, -1)
    return np.where(first, ids, np.int32(-1)), facts


def _facts(rankings: Sequence[Ranking]) -> Floats:
    """For each candidate the logit of its score and a one, in columns of the ranking that lists it."""
    documents, width = len(rankings[0]), 2 * len(rankings)
    parts = []
    for number, ranking in enumerate(rankings):
        part = np.zeros((documents, ranking.depth, width))
        scores = np.clip(ranking.scores.astype(np.float64), _SURE, 1 - _SURE)
        part[:, :, 2 * number] = np.log(scores) - np.log1p(-scores)
        part[:, :, 2 * number + 1] = 1
        parts.append(part)
    return np.concatenate(parts, axis=1)


def _sigmoid(value: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(value, -50, 50))))
