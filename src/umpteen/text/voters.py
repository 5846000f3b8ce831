"""Voters: documents in an index whose labels vote on those of others, joined with scores of labels' own."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.core.errors import DataError
from umpteen.core.ranking import Ranking, blended
from umpteen.core.sound import check_bounds, check_places
from umpteen.core.store import Folder, NewFolder
from umpteen.kernels import votes as kernel
from umpteen.kernels.threads import each, ranges
from umpteen.text.index import Index, Vectors

_BLOCK = 256  # documents per piece of work
_TOGETHER = 8  # documents at least, for which scores of all labels at once are worth it
_DENSE = 4  # times as many labels as votes, at most, for that


@dataclass(frozen=True)
class Rule:
    """How votes are counted."""

    neighbours: int  # nearest documents that vote
    sharpness: float  # a vote weighs exp(sharpness x (cosine - 1))
    balance: float  # share of the labels' own scores

    @classmethod
    def checked(cls, values: Mapping[str, Any]) -> "Rule":
        """The rule that a folder tells of; raises if it is none."""
        found = [values.get(name) for name in ("neighbours", "sharpness", "balance")]
        if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in found):
            raise DataError("How votes count is not told in numbers.")
        neighbours, sharpness, balance = (float(str(value)) for value in found)
        if not neighbours.is_integer() or neighbours < 1 or not sharpness >= 0 or not 0 <= balance <= 1:
            raise DataError("Votes cannot count as is told.")
        return cls(int(neighbours), sharpness, balance)


@dataclass(frozen=True)
class Own:
    """What labels' own scores are made of: logits of members are vectors times weights plus biases."""

    weights: NDArray[np.float32]  # (labels that have some, members x width)
    biases: NDArray[np.float32]  # (labels that have some, members)
    place: NDArray[np.int64]  # row of each label

    def chances(self, vectors: Vectors) -> NDArray[np.float32]:
        """The means of members' chances of all labels, (documents, labels)."""
        from scipy.special import expit  # only here: most who tag need not load it

        labels, members = self.biases.shape
        total = np.zeros((len(vectors), labels), np.float32)
        parts = np.split(vectors, members, axis=1), np.split(self.weights, members, axis=1), self.biases.T
        for part, weights, biases in zip(*parts, strict=True):
            total += expit(part @ weights.T + biases)
        return total / np.float32(members)


_NOTHING = Own(np.empty((0, 0), np.float32), np.empty((0, 0), np.float32), np.empty(0, np.int64))


class Voters:
    """Documents with vectors and labels; more may come, and their order stays."""

    def __init__(self, index: Index, bounds: NDArray[np.int64], labels: NDArray[np.int32]) -> None:
        self.index = index
        self.Y = bounds, labels  # those of document d are labels[bounds[d]:bounds[d + 1]]

    @classmethod
    def of(
        cls, vectors: Vectors, Y: sparse.csr_array, *, clusters: int, folds: int = 1, seed: int, jobs: int = 0
    ) -> "Voters":
        """Documents of unit length, in clusters; near are those near by their folded vectors."""
        index = Index.of(vectors, clusters=clusters, folds=folds, seed=seed, jobs=jobs)
        return cls(index, Y.indptr.astype(np.int64), Y.indices.astype(np.int32))

    def clustered(self, clusters: int, *, seed: int, jobs: int = 0) -> "Voters":
        """The same documents in other clusters."""
        how = {"clusters": clusters, "folds": self.index.folds, "seed": seed, "jobs": jobs}
        return Voters(Index.of(self.index.vectors, **how), *self.Y)

    def with_more(self, vectors: Vectors, Y: sparse.csr_array) -> "Voters":
        """These and others behind them."""
        bounds, labels = self.Y
        more = np.concatenate([bounds, Y.indptr[1:].astype(np.int64) + bounds[-1]])
        return Voters(self.index.with_more(vectors), more, np.concatenate([labels, Y.indices.astype(np.int32)]))

    def matrix(self, labels: int) -> sparse.csr_array:
        """Which documents have which of so many labels."""
        bounds, ids = self.Y
        return sparse.csr_array((np.ones(len(ids), np.int8), ids, bounds), shape=(len(bounds) - 1, labels))

    def nearest(
        self, vectors: Vectors, rule: Rule, *, probes: int, jobs: int = 0
    ) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]:
        """Who votes on each document, -1 for none; their cosines, and the weights of their votes."""
        found, squares = self.index.nearest(vectors, rule.neighbours, probes=probes, jobs=jobs)
        cosines = (1 - squares / 2).astype(np.float32)
        votes = np.exp(rule.sharpness * (cosines - cosines[:, :1]))  # what all have in common falls out of shares
        return found, cosines, np.where(found < 0, 0, votes).astype(np.float32)

    def rank(self, vectors: Vectors, k: int, rule: Rule, own: Own, *, probes: int, jobs: int = 0) -> Ranking:
        """The k best labels of each document."""
        found, _, votes = self.nearest(vectors, rule, probes=probes, jobs=jobs)
        return self.counted(found, votes, vectors, k, rule, own, jobs=jobs)

    def beside(self, vectors: Vectors, own: Ranking, k: int, rule: Rule, *, probes: int, jobs: int = 0) -> Ranking:
        """The k best labels where each document's own ranking has scores; what it does not list has votes alone.

        Votes count for as many labels as the ranking lists, those with the most.
        """
        found, _, votes = self.nearest(vectors, rule, probes=probes, jobs=jobs)
        return self.joined(found, votes, vectors, own, k, rule, jobs=jobs)

    def joined(
        self,
        found: NDArray[np.int32],
        votes: NDArray[np.float32],
        vectors: Vectors,
        own: Ranking,
        k: int,
        rule: Rule,
        *,
        jobs: int = 0,
    ) -> Ranking:
        """The same where it is known who votes."""
        shares = self.counted(found, votes, vectors, own.depth, replace(rule, balance=0.0), _NOTHING, jobs=jobs)
        return blended(own, shares, 1 - rule.balance, k)

    def counted(
        self,
        found: NDArray[np.int32],
        votes: NDArray[np.float32],
        vectors: Vectors,
        k: int,
        rule: Rule,
        own: Own,
        *,
        jobs: int = 0,
    ) -> Ranking:
        """The k best labels where it is known who votes."""

        votes_each = found.shape[1] * len(self.Y[1]) / max(1, len(self.index))
        dense = rule.balance > 0 and len(found) >= _TOGETHER and len(own.weights) <= _DENSE * votes_each

        def block(part: tuple[int, int]) -> Ranking:
            rows = slice(*part)
            chances = own.chances(vectors[rows]) if dense else np.empty((part[1] - part[0], 0), np.float32)
            given = found[rows], votes[rows], *self.Y, vectors[rows], own.weights, own.biases, own.place, chances
            return Ranking(*kernel.joined(*given, rule.balance, k))

        return Ranking.joined(each(block, ranges(len(found), _BLOCK), jobs=jobs), k)

    def save(self, folder: NewFolder) -> None:
        """Write all that `load` needs."""
        self.index.save(folder)
        folder.array("document_bounds", self.Y[0])
        folder.array("document_labels", self.Y[1])

    @classmethod
    def load(cls, folder: Folder, *, labels: int, width: int, folds: int = 1) -> "Voters":
        """The same as was saved; documents to vote on have vectors of a width, folded so or, by older versions, not."""
        made = cls(Index.load(folder), folder.array("document_bounds"), folder.array("document_labels"))
        if made.index.vectors.shape[1] != width or made.index.folds not in (1, folds):
            raise DataError("Documents that vote lie in another space.")
        check_bounds(made.Y[0], len(made.index), len(made.Y[1]))
        check_places(made.Y[1], labels)
        return made
