"""One linear classifier for each label against all others, small weights dropped (DiSMEC, Babbar & Schölkopf 2017)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import sparse

from umpteen.contract.classifier import Classifier, Size
from umpteen.contract.explanation import Explanation
from umpteen.core.corpus import Corpus
from umpteen.core.ranking import Ranking
from umpteen.core.settings import Value
from umpteen.core.store import Folder, NewFolder
from umpteen.labels.tree import Tree
from umpteen.linear.layers import LinearSettings, ranked, trained
from umpteen.linear.names import with_names
from umpteen.linear.reasons import explained
from umpteen.linear.weights import Weights
from umpteen.text.features import Features


class OneVsRest(Classifier):
    """Suits up to some ten thousand labels: often a little better than a tree, and much slower to train."""

    @dataclass(frozen=True, kw_only=True)
    class Params(LinearSettings):
        """None of its own: a tree with all labels right below the root."""

        presets: ClassVar[Mapping[str, Mapping[str, Value]]] = {
            "dismec": {"label_text": False, "eps": 0.1, "rounds": 20, "threshold": 0.01, "hinge_power": 2},
        }

    params: Params

    def _fit(self, corpus: Corpus, Y: sparse.csr_array, valid: Corpus | None) -> None:
        self._features = Features(self.params)
        X = self._features.fit(corpus)
        if self.params.label_text:
            X, Y = with_names(X, Y, self._features, self.labels_)
        T = Y.T.tocsr()
        known = np.flatnonzero(np.diff(T.indptr)).astype(np.int32)  # labels that occur
        flat = Tree(np.arange(len(known), dtype=np.int32), (np.array([0, len(known)]),))
        self._weights = trained(X, T[known], flat, self.params, seed=self.params.seed)
        self._tree = Tree(known, flat.levels)

    def _rank(self, corpus: Corpus, k: int) -> Ranking:
        trees = [(self._tree, self._weights)]
        X = self._features.rows(corpus)
        return ranked(X, trees, power=self.params.chance_power, beam=1, k=k, jobs=self.params.jobs)

    def _explain(self, corpus: Corpus, label: int) -> Explanation:
        x, text = self._features.transform(corpus), next(corpus.texts())
        trees = [(self._tree, self._weights)]
        return explained(
            x, text, label, trees, features=self._features, space=self.labels_, power=self.params.chance_power
        )

    def _memory(self, size: Size) -> int:
        return super()._memory(size) + 24 * (size.characters // 8) + 1000 * size.labels

    def _save(self, folder: NewFolder) -> None:
        self._features.save(folder)
        self._weights.save(folder, "weights")
        folder.array("known", self._tree.order)

    def _load(self, folder: Folder) -> None:
        self._features = Features.load(folder, self.params)
        self._weights = Weights.load(folder, "weights")
        order = folder.array("known")
        self._tree = Tree(order, (np.array([0, len(order)]),))
