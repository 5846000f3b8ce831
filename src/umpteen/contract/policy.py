"""Policies: how many labels a document gets. Each is tuned for one kind of F1 on documents kept aside."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.contract.expected import best_counts
from umpteen.contract.kinds import POLICIES, Goal, Policy
from umpteen.core.errors import check_choice
from umpteen.core.ranking import Ranking
from umpteen.metrics.ranking import Floats, hits

_MOST = 20  # labels of the policy `top`, at most
_TRIED = 60  # thresholds
_BELIEF = 10.0  # true cases a label must have for its own threshold to count as much as that of all labels
_ROUNDS = 3  # in which labels' thresholds follow each other


@dataclass(frozen=True)
class Trial:
    """Rankings of documents kept aside, and which of their places are right."""

    ranking: Ranking
    right: NDArray[np.bool_]  # (documents, k)
    in_document: NDArray[np.int64]  # (documents,) true labels
    in_label: NDArray[np.int64]  # (labels,) documents that truly have it

    @classmethod
    def of(cls, ranking: Ranking, Y: sparse.csr_array) -> Self:
        """A ranking beside the truth."""
        in_document, in_label = np.diff(Y.indptr), np.bincount(Y.indices, minlength=Y.shape[1])
        return cls(ranking, hits(ranking, Y), in_document.astype(np.int64), in_label.astype(np.int64))

    def f1(self, given: NDArray[np.bool_], goal: Goal) -> float:
        """F1 where these places of the ranking are given: over all, or the mean over labels or documents."""
        if goal == "macro":
            labels, size = self.ranking.labels, len(self.in_label)
            right = np.bincount(labels[given & self.right], minlength=size)
            both = np.bincount(labels[given], minlength=size) + self.in_label
        else:
            right, both = (given & self.right).sum(axis=1), given.sum(axis=1) + self.in_document
        if goal == "micro":
            right, both = right.sum(keepdims=True), both.sum(keepdims=True)
        return float((2 * right / np.maximum(both, 1)).mean())


@dataclass(frozen=True)
class Policies:
    """All policies as tuned, and the one that is used unless another is asked for."""

    chosen: Policy
    goal: Goal
    top: int
    threshold: float
    labels: NDArray[np.float32]  # (labels,) the threshold of each

    @classmethod
    def tuned(cls, trial: Trial, goal: Goal, chosen: Policy = "expected-f1") -> Self:
        """The best of each kind for a goal, on probabilities."""
        ranking = trial.ranking
        there = ranking.labels >= 0
        top = _best(range(1, min(_MOST, ranking.depth) + 1), lambda k: _first(there, np.array(k)), trial, goal)
        tried = np.unique(np.quantile(ranking.top(10).scores, np.linspace(0, 1, _TRIED)))
        threshold = _best(tried.tolist(), lambda t: there & (ranking.scores >= t), trial, goal)
        labels = np.full(len(trial.in_label), threshold)
        for _ in range(_ROUNDS):
            tuned = _each(trial, labels, goal, threshold)
            if trial.f1(_above(ranking, tuned), goal) <= trial.f1(_above(ranking, labels), goal):
                break
            labels = tuned
        return cls(chosen, goal, int(top), float(threshold), labels.astype(np.float32))

    def given(self, ranking: Ranking, policy: Policy | None = None) -> NDArray[np.bool_]:
        """Which places of a ranking with probabilities a document gets, (documents, k)."""
        policy = policy or self.chosen
        check_choice("policy", policy, POLICIES)
        there = ranking.labels >= 0
        if policy == "top":
            return _first(there, np.array(self.top))
        if policy == "threshold":
            return np.asarray(there & (ranking.scores >= self.threshold))
        if policy == "labels":
            most = int(ranking.labels.max(initial=-1)) + 1
            own = np.pad(self.labels, (0, max(0, most - len(self.labels))), constant_values=self.threshold)
            return _above(ranking, own)
        return _first(there, best_counts(ranking.scores.astype(np.float64))[:, None])

    def __call__(self, ranking: Ranking, policy: Policy | None = None) -> Ranking:
        """The labels that each document gets."""
        given = self.given(ranking, policy)
        return Ranking.best(np.where(given, ranking.labels, -1), ranking.scores, ranking.depth)

    def spoken(self, policy: Policy | None = None) -> str:
        """What a policy does, for people."""
        words = {
            "top": f"the first {self.top}" if self.top > 1 else "the first",
            "threshold": f"probability {self.threshold:.3g} or more",
            "labels": "a threshold for each label",
            "expected-f1": "as many as promise the highest F1",
        }
        return words[policy or self.chosen]

    def using(self, policy: Policy) -> "Policies":
        """The same with another policy in use."""
        return replace(self, chosen=policy)

    def to_json(self) -> dict[str, Any]:
        """All but the labels' thresholds."""
        return {"policy": self.chosen, "goal": self.goal, "top": self.top, "threshold": self.threshold}


def _first(there: NDArray[np.bool_], count: NDArray[np.integer]) -> NDArray[np.bool_]:
    return np.asarray(there & (np.arange(there.shape[1]) < count))


def _above(ranking: Ranking, thresholds: NDArray[np.floating]) -> NDArray[np.bool_]:
    return np.asarray((ranking.labels >= 0) & (ranking.scores >= thresholds[ranking.labels]))


def _best(values: Any, given: Any, trial: Trial, goal: Goal) -> Any:
    return max(values, key=lambda value: trial.f1(given(value), goal))


def _each(trial: Trial, thresholds: Floats, goal: Goal, common: float) -> Floats:
    """Each label's best threshold while all others stay, drawn towards the common one where few cases speak for it."""
    ranking, there = trial.ranking, trial.ranking.labels >= 0
    order = np.lexsort((-ranking.scores[there], ranking.labels[there]))
    labels, scores = ranking.labels[there][order], ranking.scores[there][order].astype(np.float64)
    starts = np.flatnonzero(np.r_[True, labels[1:] != labels[:-1]])
    place = np.arange(len(labels)) - np.repeat(starts, np.diff(np.r_[starts, len(labels)]))
    gains = _gains(trial, _above(ranking, thresholds), goal)[there][order]
    total = np.cumsum(gains)
    total -= np.repeat(total[starts] - gains[starts], np.diff(np.r_[starts, len(labels)]))
    worth = 2 * total / (place + 1 + trial.in_label[labels]) if goal == "macro" else total
    best = np.lexsort((place, -worth, labels))[starts]  # of equals the highest threshold
    below = np.where(np.r_[labels[1:] == labels[:-1], False], np.r_[scores[1:], 0.0], 0.0)[best]
    own = np.where(worth[best] > 0, (scores[best] + below) / 2, np.minimum(1.0, scores[starts] + 1e-3))
    cases = trial.in_label[labels[starts]]
    found = np.full(len(thresholds), common)
    found[labels[starts]] = (cases * own + _BELIEF * common) / (cases + _BELIEF)
    return found


def _gains(trial: Trial, given: NDArray[np.bool_], goal: Goal) -> Floats:
    """What F1 gains, to first order, by each place that is given; for the mean over labels whether it is right."""
    right = trial.right.astype(np.float64)
    if goal == "macro":
        return right
    both = given.sum(axis=1) + trial.in_document
    found = (given & trial.right).sum(axis=1)
    if goal == "micro":
        return np.asarray(right - found.sum() / max(1, both.sum()))
    weight = 1.0 / np.maximum(both, 1)
    return np.asarray(weight[:, None] * (right - (found * weight)[:, None]))
