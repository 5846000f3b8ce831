"""Probabilistic label tree of linear classifiers, with presets `parabel` and `bonsai`.

Parabel is of Prabhu et al. (2018), Bonsai of Khandagale et al. (2020).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import ClassVar, Self

import numpy as np
from scipy import sparse

from umpteen.contract.classifier import Classifier, Size
from umpteen.contract.explanation import Explanation, Kind
from umpteen.core.corpus import Corpus
from umpteen.core.errors import SettingError
from umpteen.core.ranking import Ranking
from umpteen.core.settings import Space, Value, setting
from umpteen.core.store import Folder, NewFolder
from umpteen.labels.tree import Tree, balanced, flat, profiles, unbalanced
from umpteen.linear.forest import Forest
from umpteen.linear.layers import LinearSettings, carried, ranked, trained
from umpteen.text.features import Features
from umpteen.text.names import with_names
from umpteen.text.tfidf import TfidfSettings

_ORIGINAL: Mapping[str, Value] = {
    "ngrams": 1,
    "trees": 3,
    "flat": False,
    "leaf": 100,
    "profile": 0,
    "label_text": False,
    "cost": 1.0,
    "eps": 0.1,
    "rounds": 20,
    "hinge_power": 2,
}


_SHAPE = ("trees", "flat", "branch", "leaf", "balance", "depth", "profile")
_LASTING = (*_SHAPE, "loss", *(item.name for item in fields(TfidfSettings) if item.name not in ("seed", "jobs")))


class PLT(Classifier):
    """Suits thousands to millions of labels: quick to train, quicker to tag with, and it shows its reasons."""

    @dataclass(frozen=True, kw_only=True)
    class Params(LinearSettings):
        """The shape of the trees and how they are searched."""

        presets: ClassVar[Mapping[str, Mapping[str, Value]]] = {
            "fast": {"ngrams": 1, "trees": 1, "eps": 0.3, "beam": 8},
            "parabel": {**_ORIGINAL, "branch": 2},
            "bonsai": {**_ORIGINAL, "branch": 100, "depth": 2, "balance": False},
        }

        space: ClassVar[Space] = {"branch": (4, 16, 64), "leaf": (50, 100, 150, 300)}

        trees: int = setting(3, "Trees whose scores are averaged.", least=1)
        branch: int = setting(128, "Children of an inner node at most; balanced trees take a power of two.", least=2)
        leaf: int = setting(150, "Labels of a lowest node at most.", least=1)
        flat: bool = setting(True, "As many labels as two lowest nodes hold stand right below the root, in one tree.")
        balance: bool = setting(True, "Groups of equal size; else plain k-means.")
        depth: int = setting(3, "Levels of groups at most, in trees that are not balanced.", least=1)
        profile: int = setting(
            512, "Features kept of a label's profile for clustering, those most above the mean; 0 keeps all.", least=0
        )
        beam: int = setting(10, "Nodes followed on each level when tagging.", least=1)

        def __post_init__(self) -> None:
            super().__post_init__()
            if self.balance and self.branch & (self.branch - 1):
                near = 1 << self.branch.bit_length()
                raise SettingError(
                    f"Setting 'branch' must be a power of two in balanced trees, not {self.branch}: take {near // 2} "
                    f"or {near}, or set 'balance' to false."
                )

    params: Params
    spills = True

    def _fit(self, corpus: Corpus, Y: sparse.csr_array, valid: Corpus | None) -> None:
        features = Features(self.params)
        X, T = self._rows(features.fit(corpus), Y, features)
        known = np.flatnonzero(np.diff(T.indptr)).astype(np.int32)  # labels that occur
        T = T[known]
        worth = self.params.worth(self.labels_, self.documents_)
        own = worth[known] if worth is not None else None
        self._forest = Forest(features, [])
        seeds = range(self.params.seed * 1000, self.params.seed * 1000 + self.params.trees)
        for seed, tree in zip(seeds, self._grown(X, T, seeds), strict=False):
            weights = trained(X, T, tree, self.params, seed=seed, ngrams=features.ngrams, worth=own)
            self._forest.trees.append((Tree(known[tree.order], tree.levels), weights))

    def _continue(self, older: Self, corpus: Corpus, Y: sparse.csr_array) -> None:
        """Keep the older features and trees; new labels stand beside the old label that their documents get."""
        for name in _LASTING:
            mine, theirs = getattr(self.params, name), getattr(older.params, name)
            if mine != theirs:
                raise SettingError(f"Going on from a model with {name}={theirs} keeps that: it cannot become {mine}.")
        features = older._forest.features
        X, T = self._rows(features.transform(corpus), Y, features)
        self._forest = Forest(features, [])
        worth = self.params.worth(self.labels_, self.documents_)
        for number, (tree, weights) in enumerate(older._forest.trees):
            new = np.setdiff1d(np.flatnonzero(np.diff(T.indptr)), tree.order).astype(np.int32)
            nearest = ranked(
                profiles(X, T[new], jobs=self.params.jobs),
                [(tree, weights)],
                power=self.params.chance_power,
                beam=self.params.beam,
                k=1,
                jobs=self.params.jobs,
            )
            place = np.zeros(len(self.labels_), np.int64)
            place[tree.order] = np.arange(len(tree.order))
            grown, places = tree.grown(new, place[nearest.labels[:, 0]])
            start = carried(weights, grown, places)
            seed = self.params.seed * 1000 + number
            fresh = trained(X, T, grown, self.params, seed=seed, ngrams=features.ngrams, start=start, worth=worth)
            self._forest.trees.append((grown, fresh))

    def _rows(
        self, X: sparse.csr_array, Y: sparse.csr_array, features: Features
    ) -> tuple[sparse.csr_array, sparse.csr_array]:
        """Documents, with label names among them if so set, and the documents of each label."""
        if self.params.label_text:
            X, Y = with_names(X, Y, features, self.labels_, weight=self.params.label_weight)
        return X, Y.T.tocsr()

    def _grown(self, X: sparse.csr_array, T: sparse.csr_array, seeds: Iterable[int]) -> list[Tree]:
        """A tree for each seed, all at once: where labels lie takes room that training needs.

        Only one where labels need no groups, as all would be the same.
        """
        if self.params.flat and T.shape[0] <= 2 * self.params.leaf:
            return [flat(T.shape[0])]
        vectors = profiles(X, T, most=self.params.profile, jobs=self.params.jobs)
        shape = {"branch": self.params.branch, "leaf": self.params.leaf, "jobs": self.params.jobs}
        if self.params.balance:
            return [balanced(vectors, **shape, seed=seed) for seed in seeds]
        return [unbalanced(vectors, **shape, seed=seed, depth=self.params.depth) for seed in seeds]

    def _rank(self, corpus: Corpus, k: int) -> Ranking:
        return self._forest.rank(corpus, k, self.params, beam=self.params.beam)

    def _explain(self, corpus: Corpus, label: int, by: Kind) -> Explanation:
        return self._forest.explain(corpus, label, self.params, self.labels_)

    def trees(self) -> list[Tree]:
        return [tree for tree, _ in self._forest.trees]

    def _memory(self, size: Size) -> int:
        return super()._memory(size) + 24 * size.features + 1000 * size.labels

    def _save(self, folder: NewFolder) -> None:
        self._forest.save(folder)

    def _load(self, folder: Folder) -> None:
        self._forest = Forest.load(folder, self.params, labels=len(self.labels_))
