"""Readers: documents to ids for networks, either the words in their order or a bag of features with values.

Id 0 is padding, 1 what is not known; `words` names the ids from 2.
"""

import warnings
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.core.corpus import Corpus, Rows
from umpteen.core.errors import DataError, UmpteenWarning
from umpteen.core.legible import number_of
from umpteen.core.store import Folder, NewFolder
from umpteen.text.features import Features
from umpteen.text.tfidf import TfidfSettings
from umpteen.text.tokens import SPECIAL
from umpteen.text.vocabulary import Tokens, Vocabulary

_MANY = 0.01  # of the documents: as many that are not read to their end are told of
Places = NDArray[np.int64]  # rows of (from, to, number of the id in its document), from and to in characters


class Reader(Protocol):
    """What a deep model reads documents with; it learns from training documents what there is to read."""

    @property
    def words(self) -> list[str]:
        """What the ids from 2 stand for."""

    def fit(self, corpus: Corpus) -> Tokens:
        """Learn from training documents, and read them."""

    def read(self, corpus: Corpus) -> Tokens:
        """Read other documents."""

    def places(self, text: str, read: Tokens) -> Places:
        """Where the ids of a document, the only one in `read`, stand in its text; none where there is no text."""

    def save(self, folder: NewFolder) -> None:
        """Write all that `load` needs."""

    def load(self, folder: Folder) -> None:
        """Become what `save` wrote."""


class Ordered:
    """Words in the order of the text."""

    def __init__(self, *, words: int, min_df: int, length: int, owner: str, also: Sequence[str] = ()) -> None:
        self._most, self._min_df, self._length, self._owner = words, min_df, length, owner
        self._also = also  # texts whose words are known too, however rare
        self._vocabulary: Vocabulary

    @property
    def words(self) -> list[str]:
        return self._vocabulary.words

    def fit(self, corpus: Corpus) -> Tokens:
        if not corpus.is_text:
            raise DataError(
                f"{self._owner} reads text, and {corpus.name} holds ready features: plt, mlp and others read those."
            )
        self._vocabulary = Vocabulary.fit(corpus.texts(), most=self._most, min_df=self._min_df, size=corpus.size)
        if any(self._also):
            self._vocabulary = self._vocabulary.with_words_of(self._also)
        found = self.read(corpus)
        long = int(np.count_nonzero(found.lengths >= self._length))
        if long > _MANY * len(found):
            warnings.warn(
                f"{number_of(long, 'document')} of {len(found):,} {'has' if long == 1 else 'have'} {self._length:,} "
                "words or more, and no more are read of each (length times pieces).",
                UmpteenWarning,
                stacklevel=2,
            )
        return found

    def learn_words(self, texts: Sequence[str]) -> None:
        """Know the words of some texts too, as far as there is room."""
        self._vocabulary = self._vocabulary.with_words_of(texts, most=self._most)

    def read(self, corpus: Corpus) -> Tokens:
        if not corpus.is_text:
            raise DataError(f"The model was trained on text, and {corpus.name} holds ready features.")
        return self._vocabulary.tokens(corpus.texts(), most=self._length)

    def places(self, text: str, read: Tokens) -> Places:
        spans = np.array(self._vocabulary.spans(text)[: len(read.ids)], np.int64).reshape(-1, 2)
        return np.column_stack([spans, np.arange(len(spans))])

    def unread(self, text: str, read: Tokens) -> int:
        """Words of a text that come after those read."""
        return max(0, len(self._vocabulary.spans(text)) - len(read.ids))  # a text without words is read as one

    def save(self, folder: NewFolder) -> None:
        self._vocabulary.save(folder)

    def load(self, folder: Folder) -> None:
        self._vocabulary = Vocabulary.load(folder)


class Bag:
    """Features with values: tf-idf of text, or ready ones; of unit length or with the values they come with."""

    def __init__(self, settings: TfidfSettings, *, unit: bool = True) -> None:
        self._settings, self._unit = settings, unit
        self._features = Features(settings, unit=unit)

    @property
    def words(self) -> list[str]:
        return self._features.names()

    @property
    def named(self) -> bool:
        """Whether anything is known of the features but their numbers."""
        return self._features.named

    def fit(self, corpus: Corpus) -> Tokens:
        return _tokens(self._features.fit(corpus))

    def read(self, corpus: Corpus) -> Tokens:
        return _tokens(self._features.rows(corpus))

    def places(self, text: str, read: Tokens) -> Places:
        if self._features.tfidf is None:
            return np.empty((0, 3), np.int64)
        found = self._features.tfidf.spans(text)
        order = np.argsort(read.ids)
        found[:, 2] = order[np.searchsorted(read.ids, found[:, 2] + len(SPECIAL), sorter=order)]
        return found

    def save(self, folder: NewFolder) -> None:
        self._features.save(folder)

    def load(self, folder: Folder) -> None:
        self._features = Features.load(folder, self._settings, unit=self._unit)


def _tokens(X: Rows | sparse.csr_array) -> Tokens:
    """Rows of features as ids with values; a document without any is a single unknown one that counts nothing."""
    ids, values, bounds = X.indices.astype(np.int32) + np.int32(len(SPECIAL)), X.data, X.indptr.astype(np.int64)
    empty = np.flatnonzero(np.diff(bounds) == 0)
    if len(empty):
        ids, values = np.insert(ids, bounds[empty], 1), np.insert(values, bounds[empty], 0)
        bounds = bounds + np.concatenate([[0], np.cumsum(np.diff(bounds) == 0)])
    return Tokens(ids.astype(np.int32), bounds, values.astype(np.float32))
