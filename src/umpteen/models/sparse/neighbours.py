"""The labels of the k most similar training documents, by cosine of tf-idf rows: exact, and quick to train."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.contract.classifier import Classifier, Size
from umpteen.core.corpus import Corpus
from umpteen.core.ranking import Ranking
from umpteen.core.settings import setting
from umpteen.core.store import Folder, NewFolder
from umpteen.kernels import neighbours as kernel
from umpteen.kernels.threads import each, ranges
from umpteen.text.features import Features
from umpteen.text.tfidf import TfidfSettings

_BLOCK = 256  # documents per piece of work


class Neighbours(Classifier):
    """Suits any number of labels and rare ones; training is reading, tagging slows with the number of documents."""

    @dataclass(frozen=True, kw_only=True)
    class Params(TfidfSettings):
        """How many neighbours vote, and how."""

        neighbours: int = setting(20, "Training documents that vote.", least=1)
        power: float = setting(2.0, "Votes count as similarity to this power; 0 gives each the same.", least=0, most=32)

    params: Params

    def _fit(self, corpus: Corpus, Y: sparse.csr_array, valid: Corpus | None) -> None:
        self._features = Features(self.params)
        by_column = self._features.fit(corpus).T.tocsr()
        self._index = by_column.indptr, by_column.indices, by_column.data
        self._Y = Y.indptr, Y.indices

    def nearest(self, X: sparse.csr_array, k: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The k most similar training documents of each row, -1 for none, and their similarities."""

        def block(part: tuple[int, int]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
            bounds = X.indptr[part[0] : part[1] + 1]
            return kernel.nearest(bounds, X.indices, X.data, *self._index, self.documents_, k)  # type: ignore[no-any-return]

        blocks = [*each(block, ranges(X.shape[0], _BLOCK), jobs=self.params.jobs)]
        return np.concatenate([b[0] for b in blocks]), np.concatenate([b[1] for b in blocks])

    def _rank(self, corpus: Corpus, k: int) -> Ranking:
        found, similar = self.nearest(self._features.transform(corpus), self.params.neighbours)
        return Ranking(*kernel.votes(found, similar, *self._Y, float(self.params.power), k))

    def _memory(self, size: Size) -> int:
        features = size.characters // 8  # about one in eight characters, held by row and by column while training
        return super()._memory(size) + 2 * 8 * features

    def _save(self, folder: NewFolder) -> None:
        self._features.save(folder)
        for name, part in zip(("bounds", "rows", "values"), self._index, strict=True):
            folder.array(f"index_{name}", part)
        for name, part in zip(("bounds", "labels"), self._Y, strict=True):
            folder.array(f"document_{name}", part)

    def _load(self, folder: Folder) -> None:
        self._features = Features.load(folder, self.params)
        self._index = folder.array("index_bounds"), folder.array("index_rows"), folder.array("index_values")
        self._Y = folder.array("document_bounds"), folder.array("document_labels")
