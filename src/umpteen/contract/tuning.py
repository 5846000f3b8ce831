"""Tuning: what documents kept aside teach about a fitted model: probabilities, and how many labels to give.

What is said of it afterwards comes from learning on one half of these documents and looking at the other, and the other
way round; what is kept is learnt from all of them.
"""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.contract.calibration import Calibration
from umpteen.contract.kinds import GOALS, HOWS, POLICIES, Goal, How, Policy
from umpteen.contract.policy import Policies, Trial
from umpteen.core.errors import DataError, check_choice
from umpteen.core.ranking import Ranking
from umpteen.core.space import LabelSpace
from umpteen.core.store import Folder, NewFolder
from umpteen.metrics.calibration import Reliability
from umpteen.metrics.ranking import Judged, hits

_FILE, _THRESHOLDS = "tuning", "thresholds"
_FIRST = 5  # labels of a document whose calibration is reported


@dataclass(frozen=True)
class Found:
    """What a tuning did, by documents that it had not learnt from; fractions."""

    documents: int
    before: Reliability  # among the first five labels
    after: Reliability
    ndcg: tuple[float, float]  # nDCG@5 before and after, since labels change places
    f1: dict[Policy, float]  # of each policy, the F1 that they are tuned for

    @property
    def error(self) -> tuple[float, float]:
        """Expected calibration error before and after."""
        return self.before.error, self.after.error

    def to_json(self) -> dict[str, Any]:
        """What a model folder keeps; `from_json` reads it."""
        sides = {"before": self.before.to_json(), "after": self.after.to_json()}
        return {"documents": self.documents, **sides, "ndcg": list(self.ndcg), "f1": self.f1}

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> Self:
        """What `to_json` gave."""
        before, after = (Reliability.from_json(saved[side]) for side in ("before", "after"))
        return cls(saved["documents"], before, after, tuple(saved["ndcg"]), saved["f1"])


@dataclass(frozen=True)
class Tuning:
    """Probabilities and policies of a model."""

    calibration: Calibration
    policies: Policies
    found: Found

    @classmethod
    def learn(
        cls,
        ranking: Ranking,
        Y: sparse.csr_array,
        counts: NDArray[np.integer],
        *,
        how: How = "isotonic",
        goal: Goal = "document",
        policy: Policy | None = None,
    ) -> Self:
        """Learn from a model's rankings of labelled documents; without a `policy`, the one that does best is used.

        Columns of the truth behind the labels that `counts` tells of are labels that the model does not know.
        """
        check_choice("how", how, HOWS)
        check_choice("goal", goal, GOALS)
        check_choice("policy", policy or POLICIES[0], POLICIES)
        if len(ranking) < 2 or not Y.nnz:
            raise DataError(f"Calibration needs labelled documents, two at least; there are {len(ranking)}.")
        if not Y[:, : len(counts)].nnz:
            raise DataError(
                "The model knows none of the labels of these documents, so there is nothing to calibrate: are they of "
                "the same kind as those it learnt from?"
            )
        if (ranking.labels < 0).all():
            raise DataError("The model suggests no label for any of these documents, so there is nothing to calibrate.")
        found = _halves(ranking, Y, counts, how, goal)
        calibration, policies = _learnt(ranking, Y, counts, how, goal)
        best = max(found.f1, key=lambda name: found.f1[name])
        return cls(calibration, policies.using(policy or best), found)

    def save(self, folder: NewFolder) -> None:
        """Write it into a model's folder."""
        kept = {"calibration": self.calibration.to_json(), "policies": self.policies.to_json()}
        folder.json(_FILE, kept | {"found": self.found.to_json()})
        folder.array(_THRESHOLDS, self.policies.labels)

    @classmethod
    def load(cls, folder: Folder) -> Self | None:
        """What `save` wrote, if it did."""
        if not folder.has(f"{_FILE}.json"):
            return None
        saved: dict[str, Any] = folder.json(_FILE)
        kept = dict(saved["policies"])
        policies = Policies(kept.pop("policy"), **kept, labels=folder.array(_THRESHOLDS))
        return cls(Calibration.from_json(saved["calibration"]), policies, Found.from_json(saved["found"]))

    def moved(self, old: LabelSpace, new: LabelSpace) -> "Tuning":
        """The same for a model that numbers its labels in another way."""
        policies, places = self.policies, {key: number for number, key in enumerate(old.keys)}
        own = [policies.labels[places[key]] if key in places else policies.threshold for key in new.keys]
        return replace(self, policies=replace(policies, labels=np.array(own, np.float32)))


def _learnt(
    ranking: Ranking, Y: sparse.csr_array, counts: NDArray[np.integer], how: How, goal: Goal
) -> tuple[Calibration, Policies]:
    calibration = Calibration.fit(ranking, hits(ranking, Y), counts, how=how)
    return calibration, Policies.tuned(Trial.of(calibration(ranking, counts), Y), goal)


def _halves(ranking: Ranking, Y: sparse.csr_array, counts: NDArray[np.integer], how: How, goal: Goal) -> Found:
    """Learn on one half of the documents, look at the other, and the other way round."""
    half = np.random.default_rng(0).permutation(len(ranking)) % 2 == 0
    after = Ranking(ranking.labels.copy(), ranking.scores.copy())
    given = {name: np.zeros(ranking.labels.shape, bool) for name in POLICIES}
    for one, other in ((half, ~half), (~half, half)):
        calibration, policies = _learnt(_rows(ranking, one), Y[one], counts, how, goal)
        seen = calibration(_rows(ranking, other), counts)
        after.labels[other], after.scores[other] = seen.labels, seen.scores
        for name, places in given.items():
            places[other] = policies.given(seen, name)
    trial = Trial.of(after, Y)
    return Found(
        len(ranking),
        Reliability.at(ranking, Y, k=_FIRST),
        Reliability.at(after, Y, k=_FIRST),
        (Judged.of(ranking, Y, k=_FIRST).ndcg(_FIRST).value, Judged.of(after, Y, k=_FIRST).ndcg(_FIRST).value),
        {name: trial.f1(places, goal) for name, places in given.items()},
    )


def _rows(ranking: Ranking, rows: NDArray[np.bool_]) -> Ranking:
    return Ranking(ranking.labels[rows], ranking.scores[rows])
