"""The labels of the k most similar training documents, by cosine of tf-idf rows: exact, and quick to train."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.contract.classifier import Classifier, Size
from umpteen.contract.explanation import Explanation, Kind
from umpteen.contract.votes import by_votes, share_of_votes
from umpteen.core.corpus import Corpus, Rows
from umpteen.core.errors import DataError
from umpteen.core.ranking import Ranking
from umpteen.core.settings import setting
from umpteen.core.sound import check_bounds, check_kind, check_places
from umpteen.core.store import Folder, NewFolder
from umpteen.kernels import neighbours as kernel
from umpteen.kernels.threads import each, ranges
from umpteen.metrics.ranking import Judged
from umpteen.text.features import Features
from umpteen.text.tfidf import TfidfSettings
from umpteen.text.titles import Titles

_BLOCK = 256  # documents per piece of work
_SAMPLE = 2000  # training documents that settings are chosen on
_COUNTS = (5, 10, 20, 50, 100)
_POWERS = (0.0, 1.0, 2.0, 4.0, 8.0)


class Neighbours(Classifier):
    """Suits any number of labels and rare ones; training is reading, tagging slows with the number of documents."""

    @dataclass(frozen=True, kw_only=True)
    class Params(TfidfSettings):
        """How many neighbours vote, and how."""

        neighbours: int | None = setting(
            None, "Training documents that vote; none: what ranks training documents best.", least=1
        )
        power: float | None = setting(
            None, "Votes count as similarity to this power; none: what ranks training documents best.", least=0, most=32
        )

    params: Params
    learns = True

    def _fit(self, corpus: Corpus, Y: sparse.csr_array, valid: Corpus | None) -> None:
        self._features, self._titles = Features(self.params), Titles()
        X = self._features.fit(self._titles.noting(corpus))
        by_column = X.T.tocsr()
        self._index = by_column.indptr, by_column.indices, by_column.data
        self._Y = Y.indptr, Y.indices
        self._neighbours, self._power = self._choose(X, Y)

    def _extend(self, corpus: Corpus, Y: sparse.csr_array) -> None:
        titles = Titles()
        X = self._features.transform(titles.noting(corpus))
        bounds, rows, values = self._index
        older = sparse.csr_array((values, rows, bounds), shape=(X.shape[1], len(self._Y[0]) - 1))
        by_column = sparse.hstack([older, X.T.tocsr()], format="csr")
        self._index = by_column.indptr, by_column.indices, by_column.data
        self._Y = np.concatenate([self._Y[0], Y.indptr[1:] + self._Y[0][-1]]), np.concatenate([self._Y[1], Y.indices])
        self._titles = self._titles.with_more(titles)

    def _choose(self, X: sparse.csr_array, Y: sparse.csr_array) -> tuple[int, float]:
        """Neighbours and power as set, or the best by nDCG@5 on training documents that do not see themselves."""
        counts = _COUNTS if self.params.neighbours is None else (self.params.neighbours,)
        powers = _POWERS if self.params.power is None else (float(self.params.power),)
        if len(counts) * len(powers) == 1:
            return counts[0], powers[0]
        documents = X.shape[0]
        sample = np.sort(
            np.random.default_rng(self.params.seed).choice(documents, min(_SAMPLE, documents), replace=False)
        )
        found, similar = self.nearest(X[sample], counts[-1] + 1)
        similar[found == sample[:, None]] = 0  # a document's own vote
        best, chosen = -1.0, (counts[0], powers[0])
        for count in counts:
            for power in powers:
                ranking = Ranking(*kernel.votes(found[:, : count + 1], similar[:, : count + 1], *self._Y, power, 5))
                score = Judged.of(ranking, Y[sample], k=5).ndcg(5).value
                if score > best:
                    best, chosen = score, (count, power)
        return chosen

    def nearest(self, X: Rows | sparse.csr_array, k: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The k most similar training documents of each row, -1 for none, and their similarities."""

        def block(part: tuple[int, int]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
            bounds = X.indptr[part[0] : part[1] + 1]
            return kernel.nearest(bounds, X.indices, X.data, *self._index, len(self._Y[0]) - 1, k)  # type: ignore[no-any-return]

        blocks = [*each(block, ranges(X.shape[0], _BLOCK), jobs=self.params.jobs)]
        return np.concatenate([b[0] for b in blocks]), np.concatenate([b[1] for b in blocks])

    def _rank(self, corpus: Corpus, k: int) -> Ranking:
        found, similar = self.nearest(self._features.rows(corpus), self._neighbours)
        return Ranking(*kernel.votes(found, similar, *self._Y, self._power, k))

    def _explain(self, corpus: Corpus, label: int, by: Kind) -> Explanation:
        found, similar = self.nearest(self._features.rows(corpus), self._neighbours)
        there = similar[0] > 0
        voters, near = found[0][there], similar[0][there]
        score = share_of_votes(label, voters, near.astype(np.float64) ** self._power, self._Y)
        text, title = next(corpus.texts()), self._titles.__getitem__
        return by_votes(self.labels_, label, score, text, documents=voters, similarities=near, Y=self._Y, title=title)

    def _memory(self, size: Size) -> int:
        return super()._memory(size) + 2 * 8 * size.features  # held by row and by column while training

    def _save(self, folder: NewFolder) -> None:
        self._features.save(folder)
        self._titles.save(folder)
        folder.facts["chosen"] = {"neighbours": self._neighbours, "power": self._power}
        for name, part in zip(("bounds", "rows", "values"), self._index, strict=True):
            folder.array(f"index_{name}", part)
        for name, part in zip(("bounds", "labels"), self._Y, strict=True):
            folder.array(f"document_{name}", part)

    def _load(self, folder: Folder) -> None:
        self._features = Features.load(folder, self.params)
        self._neighbours, self._power = int(folder.facts["chosen"]["neighbours"]), folder.facts["chosen"]["power"]
        self._index = folder.array("index_bounds"), folder.array("index_rows"), folder.array("index_values")
        self._Y = folder.array("document_bounds"), folder.array("document_labels")
        bounds, rows, values = self._index
        check_bounds(bounds, self._features.width, len(rows))
        check_places(rows, len(self._Y[0]) - 1)
        check_kind(values, "f4")
        check_bounds(self._Y[0], len(self._Y[0]) - 1, len(self._Y[1]))
        check_places(self._Y[1], len(self.labels_))
        self._titles = Titles.load(folder, len(self._Y[0]) - 1)
        if len(values) != len(rows) or self._neighbours < 1 or not isinstance(self._power, float):
            raise DataError("The index is not whole.")
