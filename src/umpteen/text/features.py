"""Features of documents, the same way in training and in tagging: tf-idf of text, or ready features as they are."""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.core.corpus import Corpus, Rows
from umpteen.core.errors import DataError
from umpteen.core.spill import growing, spill
from umpteen.core.store import Folder, NewFolder
from umpteen.kernels.threads import ranges
from umpteen.kernels.weights import unit_rows
from umpteen.text.tfidf import Tfidf, TfidfSettings

_ROWS = 1 << 16  # scaled at a time


class Features:
    """Corpus to csr rows of unit length, or with the values that ready features came with."""

    def __init__(self, settings: TfidfSettings, *, unit: bool = True) -> None:
        self._settings, self._unit = settings, unit
        self.tfidf: Tfidf | None = None  # None: the documents come with features
        self.width = 0
        self._names: list[str] = []

    def fit(self, corpus: Corpus) -> sparse.csr_array:
        """Learn the features of training documents and return their rows."""
        if corpus.is_text:
            self.tfidf = Tfidf(self._settings)
            X = self.tfidf.fit(corpus.texts(), size=corpus.size)
        else:
            self.tfidf = None
            self._names = list(corpus.feature_names or ())
            X = self._scaled(corpus.matrix()).csr()
        self.width = X.shape[1]
        return X

    def transform(self, corpus: Corpus) -> sparse.csr_array:
        """Rows of other documents."""
        return self.rows(corpus).csr()

    def rows(self, corpus: Corpus) -> Rows:
        """The same without making a matrix of it."""
        if corpus.is_text != (self.tfidf is not None):
            kinds = ("text", "ready features")
            learnt, got = kinds if self.tfidf is not None else kinds[::-1]
            raise DataError(f"The model was trained on {learnt}, and {corpus.name} holds {got}.")
        if self.tfidf is not None:
            return self.tfidf.rows(corpus.texts())
        if corpus.width != self.width:
            raise DataError(f"The model was trained on {self.width} features, and {corpus.name} has {corpus.width}.")
        return self._scaled(corpus.matrix())

    @property
    def ngrams(self) -> int:
        """The longest run of words that is a feature."""
        return self.tfidf.ngrams if self.tfidf is not None else 1

    @property
    def named(self) -> bool:
        """Whether columns stand for words or have names of their own."""
        return self.tfidf is not None or bool(self._names)

    def names(self) -> list[str]:
        """What all columns stand for."""
        if self.tfidf is not None:
            return self.tfidf.names()
        return self._names or [f"feature {column}" for column in range(self.width)]

    def name(self, column: int) -> str:
        """What a column stands for."""
        names = self.tfidf.names() if self.tfidf is not None else self._names
        return names[column] if column < len(names) else f"feature {column}"

    def save(self, folder: NewFolder) -> None:
        """Write all that `load` needs."""
        folder.facts["features"] = {"text": self.tfidf is not None, "width": self.width}
        if self.tfidf is not None:
            self.tfidf.save(folder)
        elif self._names:
            folder.json("features", self._names)

    @classmethod
    def load(cls, folder: Folder, settings: TfidfSettings, *, unit: bool = True) -> "Features":
        """The same as was saved."""
        made = cls(settings, unit=unit)
        known = folder.facts["features"]
        made.width = int(known["width"])
        if known["text"]:
            made.tfidf = Tfidf.load(folder, settings)
            made.width = made.tfidf.width
        elif folder.has("features.json"):
            made._names = folder.json("features")
        return made

    def _scaled(self, X: sparse.csr_array) -> Rows:
        """A copy, whose rows have length one where that is wanted."""
        if X.shape[0] <= _ROWS and spill() is None:
            return Rows(X.indptr, X.indices, self._part(X.data, X.indptr), X.shape)
        values = growing(np.float32)
        for first, last in ranges(X.shape[0], _ROWS):
            bounds = X.indptr[first : last + 1]
            values.add(self._part(X.data[bounds[0] : bounds[-1]], bounds - bounds[0]))
        return Rows(X.indptr, X.indices, values.whole(), X.shape)

    def _part(self, values: NDArray[np.floating], bounds: NDArray[np.integer]) -> NDArray[np.float32]:
        made = values.astype(np.float32)
        if self._unit:
            unit_rows(made, bounds)
        return made
