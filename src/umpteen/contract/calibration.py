"""Calibration: scores made into probabilities, by what became of a model's suggestions for documents kept aside.

Two steps of one kind. In the first, labels of like frequency in training share a map from score to probability; in the
second, labels at the same place of their documents do, since the first of a document's labels is right more often than
another of the same score. A group's map begins at one that is learnt from all suggestions and moves away from it only
as far as its own demand: rare labels have too few suggestions to be believed by themselves.
"""

from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from umpteen.contract.kinds import DEPTH, How
from umpteen.core.errors import DataError
from umpteen.core.ranking import Ranking
from umpteen.metrics.ranking import Floats

_PLACES = (1, 2, 3, 5)  # the last place of each group but the last
_CELLS = 20  # ranges of scores with as many suggestions each, among the first five labels and among all
_BELIEF = 5.0  # suggestions that a group needs in a range to be believed as much as all groups together
_SLOPE = 0.001  # share of the score in a probability, so that no two scores become one


@dataclass(frozen=True)
class Maps:
    """Probabilities at some scores, for each group; between two scores they rise in a straight line."""

    scores: Floats  # (points,), rising
    chances: Floats  # (groups, points), rising along each row

    def __post_init__(self) -> None:
        if self.scores.ndim != 1 or not self.scores.size or self.chances.shape[1:] != self.scores.shape:
            raise DataError("A calibration takes a probability for each of its scores, in every group.")

    @classmethod
    def fit(
        cls, ranking: Ranking, right: NDArray[np.bool_], group: NDArray[np.int64], groups: int, *, how: How
    ) -> Self:
        """Learn from rankings, which places of them are right, and the group of each place, (documents, k) both."""
        given = ranking.labels >= 0
        scores, edges = ranking.scores[given].astype(np.float64), _edges(ranking)
        at = group[given] * (len(edges) + 1) + np.searchsorted(edges, scores, side="right")
        seen, good, sums = (
            np.bincount(at, weights=part, minlength=groups * (len(edges) + 1)).reshape(groups, -1).astype(np.float64)
            for part in (np.ones(len(at)), right[given], scores)
        )
        some = seen.any(axis=0)
        seen, good, points = seen[:, some], good[:, some], sums[:, some].sum(axis=0) / seen[:, some].sum(axis=0)
        learn = _stepwise if how == "isotonic" else _sigmoid
        common = learn(points, seen.sum(axis=0), good.sum(axis=0), good.sum() / max(1.0, seen.sum()), 1.0)
        rows = [learn(points, seen[n], good[n], common, _BELIEF) for n in range(groups)]
        return cls(points, np.array(rows))

    def __call__(self, scores: Floats, group: NDArray[np.int64]) -> Floats:
        """The probability of each score in its group."""
        group, last = np.minimum(group, len(self.chances) - 1), len(self.scores) - 1
        high = np.clip(np.searchsorted(self.scores, scores), min(1, last), last)
        low = np.maximum(high - 1, 0)
        width = np.maximum(self.scores[high] - self.scores[low], 1e-12)
        share = np.clip((scores - self.scores[low]) / width, 0.0, 1.0)
        found = (1 - share) * self.chances[group, low] + share * self.chances[group, high]
        return np.asarray((1 - _SLOPE) * found + _SLOPE * scores)


@dataclass(frozen=True)
class Calibration:
    """Scores of a ranking made into probabilities."""

    how: How
    by_count: Maps  # groups of labels that 2^(g-1) to 2^g - 1 training documents have
    by_place: Maps

    @classmethod
    def fit(
        cls, ranking: Ranking, right: NDArray[np.bool_], counts: NDArray[np.integer], *, how: How = "isotonic"
    ) -> Self:
        """Learn from rankings of documents kept aside, which places of them are right, and labels' training counts."""
        group = _groups(counts)
        by_count = Maps.fit(ranking, right, group[ranking.labels], int(group.max(initial=0)) + 1, how=how)
        first, order = _reordered(ranking, by_count, counts)
        right = np.take_along_axis(right, order, 1)
        places = np.broadcast_to(_places(ranking.depth), right.shape)
        return cls(how, by_count, Maps.fit(first, right, places, len(_PLACES) + 1, how=how))

    def __call__(self, ranking: Ranking, counts: NDArray[np.integer]) -> Ranking:
        """The ranking with probabilities for scores, falling; the first labels in their order."""
        first, _ = _reordered(ranking, self.by_count, counts)
        chances = self.by_place(first.scores.astype(np.float64), _places(ranking.depth))
        chances = np.minimum.accumulate(chances, axis=1) * (1 - 1e-6 * np.arange(ranking.depth))  # no ties
        return Ranking.best(first.labels, np.where(first.labels >= 0, chances, 0.0), ranking.depth)

    def behind(self, score: float, count: int) -> float:
        """The probability of a label that is not among the first of its document."""
        chance = self.by_count(np.array([score]), _groups(np.array([count])))
        return float(self.by_place(chance, np.array([len(_PLACES)]))[0])

    def to_json(self) -> dict[str, Any]:
        """What a model folder keeps; `from_json` reads it."""
        maps = {"by_count": self.by_count, "by_place": self.by_place}
        return {"how": self.how, **{n: {k: v.tolist() for k, v in asdict(m).items()} for n, m in maps.items()}}

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> Self:
        """The calibration that `to_json` wrote."""
        by_count, by_place = (
            Maps(**{k: np.array(v, np.float64) for k, v in saved[name].items()}) for name in ("by_count", "by_place")
        )
        return cls(saved["how"], by_count, by_place)


def _groups(counts: NDArray[np.integer]) -> NDArray[np.int64]:
    """Groups of labels: 0 never seen, 1 once, 2 up to three times, 3 up to seven times, and so on."""
    return np.ceil(np.log2(np.asarray(counts, np.float64) + 1)).astype(np.int64)


def _places(depth: int) -> NDArray[np.int64]:
    """The group of each place in a document's ranking."""
    return np.searchsorted(_PLACES, np.arange(1, depth + 1)).astype(np.int64)


def _reordered(ranking: Ranking, maps: Maps, counts: NDArray[np.integer]) -> tuple[Ranking, NDArray[np.int64]]:
    """The ranking after the first step, and which of its former places each label held."""
    chances = maps(ranking.scores.astype(np.float64), _groups(counts)[ranking.labels])
    worth = np.where(ranking.labels >= 0, chances, -1.0)
    order = np.tile(np.arange(ranking.depth), (len(ranking), 1))
    order[:, :DEPTH] = np.argsort(-worth[:, :DEPTH], axis=1, kind="stable")
    labels, values = (np.take_along_axis(part, order, 1) for part in (ranking.labels, np.maximum(worth, 0.0)))
    return Ranking(labels, values.astype(np.float32)), order


def _edges(ranking: Ranking) -> Floats:
    """Between ranges of scores: fine where the first labels score, coarser below."""
    shares = np.linspace(0, 1, _CELLS + 1)[1:-1]
    parts = [part.scores[part.labels >= 0] for part in (ranking.top(5), ranking)]
    return np.unique(np.concatenate([np.quantile(part, shares) if len(part) else part for part in parts]))


def _stepwise(points: Floats, seen: Floats, good: Floats, prior: Floats | float, belief: float) -> Floats:
    """Isotonic regression, with `belief` more suggestions in each range as `prior` says."""
    from scipy.optimize import isotonic_regression  # tagging need not load it

    return np.asarray(isotonic_regression((good + belief * prior) / (seen + belief), weights=seen + belief).x)


def _sigmoid(points: Floats, seen: Floats, good: Floats, prior: Floats | float, belief: float) -> Floats:
    """Platt's sigmoid over the scores' logits, with `belief` more suggestions in each range as `prior` says."""
    from scipy.optimize import minimize
    from scipy.special import expit, logit

    x, weights = logit(np.clip(points, 1e-6, 1 - 1e-6)), seen + belief
    shares = (good + belief * prior) / weights

    def loss(turn: Floats) -> tuple[float, Floats]:
        value = turn[0] * x + turn[1]
        force = weights * (expit(value) - shares) / weights.sum()
        worth = (weights * (np.logaddexp(0, value) - shares * value)).sum() / weights.sum()
        return float(worth), np.array([(force * x).sum(), force.sum()])

    turn = minimize(loss, np.array([1.0, 0.0]), jac=True, method="L-BFGS-B", bounds=[(0, None), (None, None)]).x
    return np.asarray(expit(turn[0] * x + turn[1]))
