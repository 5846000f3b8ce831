"""One linear classifier for each label against all others, small weights dropped (DiSMEC, Babbar & Schölkopf 2017)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import sparse

from umpteen.contract.classifier import Classifier, Size
from umpteen.contract.explanation import Explanation, Kind
from umpteen.core.corpus import Corpus
from umpteen.core.ranking import Ranking
from umpteen.core.settings import Value
from umpteen.core.store import Folder, NewFolder
from umpteen.labels.tree import Tree, flat
from umpteen.linear.forest import Forest
from umpteen.linear.layers import LinearSettings, trained
from umpteen.text.features import Features
from umpteen.text.names import with_names


class OneVsRest(Classifier):
    """Suits up to some ten thousand labels: often a little better than a tree, and much slower to train."""

    @dataclass(frozen=True, kw_only=True)
    class Params(LinearSettings):
        """None of its own: a tree with all labels right below the root."""

        presets: ClassVar[Mapping[str, Mapping[str, Value]]] = {
            "dismec": {
                "ngrams": 1,
                "label_text": False,
                "cost": 1.0,
                "eps": 0.1,
                "rounds": 20,
                "threshold": 0.01,
                "hinge_power": 2,
            },
        }

    params: Params
    spills = True

    def _fit(self, corpus: Corpus, Y: sparse.csr_array, valid: Corpus | None) -> None:
        features = Features(self.params)
        X = features.fit(corpus)
        if self.params.label_text:
            X, Y = with_names(X, Y, features, self.labels_, weight=self.params.label_weight)
        T = Y.T.tocsr()
        known = np.flatnonzero(np.diff(T.indptr)).astype(np.int32)  # labels that occur
        tree = flat(len(known))
        worth = self.params.worth(self.labels_, self.documents_)
        own = worth[known] if worth is not None else None
        weights = trained(X, T[known], tree, self.params, seed=self.params.seed, ngrams=features.ngrams, worth=own)
        self._forest = Forest(features, [(Tree(known, tree.levels), weights)])

    def _rank(self, corpus: Corpus, k: int) -> Ranking:
        return self._forest.rank(corpus, k, self.params, beam=1)

    def _explain(self, corpus: Corpus, label: int, by: Kind) -> Explanation:
        return self._forest.explain(corpus, label, self.params, self.labels_)

    def _memory(self, size: Size) -> int:
        return super()._memory(size) + 24 * size.features + 1000 * size.labels

    def _save(self, folder: NewFolder) -> None:
        self._forest.save(folder)

    def _load(self, folder: Folder) -> None:
        self._forest = Forest.load(folder, self.params, labels=len(self.labels_))
