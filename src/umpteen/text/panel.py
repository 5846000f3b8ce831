"""Panel: like documents' votes, labels' own scores and regression, which speak together on documents' labels."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.core.errors import DataError
from umpteen.core.ranking import Ranking
from umpteen.core.store import Folder, NewFolder
from umpteen.text.index import Vectors
from umpteen.text.regression import Regression, Scores, Weight
from umpteen.text.voters import Own, Rule, Voters

LISTED = 100  # labels with votes that regression stands beside, at least


@dataclass(frozen=True)
class Panel:
    """Who speaks, and how each counts."""

    voters: Voters
    rule: Rule
    own: Own
    regression: Regression | None
    weight: Weight
    odds: Scores | None

    @classmethod
    def of(
        cls,
        voters: Voters,
        rule: Rule,
        own: Own,
        regression: Regression | None,
        weight: Weight,
        counts: NDArray[np.int64],
    ) -> "Panel":
        """Where so many documents have each label; without regression its weight is nothing."""
        if rule.balance and not own.weights.size:
            raise DataError("There is no head whose scores could count.")
        weight = weight if regression is not None else Weight()
        return cls(voters, rule, own, regression, weight, weight.odds(counts))

    def rank(self, vectors: Vectors, features: sparse.csr_array, k: int, *, probes: int, jobs: int = 0) -> Ranking:
        """The k best labels of documents that lie there and have these features."""
        found, _, votes = self.voters.nearest(vectors, self.rule, probes=probes, jobs=jobs)
        return self.counted(found, votes, vectors, features, k, jobs=jobs)

    def counted(
        self,
        found: NDArray[np.int32],
        votes: NDArray[np.float32],
        vectors: Vectors,
        features: sparse.csr_array,
        k: int,
        *,
        jobs: int = 0,
    ) -> Ranking:
        """The same where it is known who votes."""
        listed = k if self.regression is None else max(k, LISTED)
        ranking = self.voters.counted(found, votes, vectors, listed, self.rule, self.own, jobs=jobs)
        if self.regression is None:
            return ranking
        return self.regression.beside(ranking, features, k, self.weight.share, odds=self.odds, jobs=jobs)

    def told(self) -> dict[str, float]:
        """How each counts, for a folder to tell."""
        return asdict(self.rule) | {"clusters": len(self.voters.index.centres)} | self.weight.told()

    def save(self, folder: NewFolder) -> None:
        """Write who speaks, for `load`."""
        self.voters.save(folder)
        if self.regression is not None:
            self.regression.save(folder)

    @classmethod
    def load(
        cls,
        folder: Folder,
        told: Mapping[str, Any],
        own: Own,
        counts: NDArray[np.int64],
        *,
        labels: int,
        width: int,
        folds: int,
        features: int,
    ) -> "Panel":
        """The same as was saved, where so many vectors of a width stand behind each other."""
        weight = Weight.checked(told)
        voters = Voters.load(folder, labels=labels, width=folds * width, folds=folds)
        regression = Regression.load(folder, features=features, labels=labels) if weight.share else None
        return cls.of(voters, Rule.checked(told), own, regression, weight, counts)
