"""The labels that occur most often, for every document alike: what any model must beat."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from umpteen.contract.classifier import Classifier
from umpteen.core.corpus import Corpus
from umpteen.core.ranking import Ranking
from umpteen.core.settings import Settings
from umpteen.core.store import Folder, NewFolder


class PopularLabels(Classifier):
    """The yardstick: a label's score is the share of training documents that have it."""

    reads = False
    learns = True

    @dataclass(frozen=True, kw_only=True)
    class Params(Settings):
        """None of its own."""

    def _fit(self, corpus: Corpus, Y: sparse.csr_array, valid: Corpus | None) -> None:
        self._order_labels()

    def _extend(self, corpus: Corpus, Y: sparse.csr_array) -> None:
        self._order_labels()

    def _order_labels(self) -> None:
        counts = self.labels_.counts
        order = np.argsort(-counts, kind="stable")
        self._order = order[counts[order] > 0].astype(np.int32)
        self._shares = (counts[self._order] / self.documents_).astype(np.float32)

    def _rank(self, corpus: Corpus, k: int) -> Ranking:
        documents = sum(1 for _ in corpus)
        labels, scores = self._order[:k], self._shares[:k]
        return Ranking(np.tile(labels, (documents, 1)), np.tile(scores, (documents, 1)))

    def _save(self, folder: NewFolder) -> None:
        pass  # the label counts, which every model keeps, say it all

    def _load(self, folder: Folder) -> None:
        self._order_labels()
