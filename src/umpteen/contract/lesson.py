"""A lesson: the labelled documents that a model learns from, their label matrix, and how large they are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from umpteen.contract.inputs import LabelRows, corpus_of, labels_of
from umpteen.core.corpus import Corpus, MatrixCorpus
from umpteen.core.errors import DataError
from umpteen.core.progress import track
from umpteen.core.space import LabelSpace


@dataclass(frozen=True)
class Size:
    """How large training data are, for an estimate of memory."""

    documents: int
    characters: int  # of text
    values: int  # of ready features
    labels: int
    occurrences: int  # of labels

    @property
    def features(self) -> int:
        """Values that rows of features hold: those that came, and of text about one for eight characters."""
        return self.values + self.characters // 8


@dataclass(frozen=True)
class Lesson:
    """Documents that all have labels."""

    corpus: Corpus
    Y: sparse.csr_array  # (documents, labels)
    space: LabelSpace  # with the counts of these documents
    form: str  # in which labels came
    size: Size


def lesson_of(X: Any, y: Any, *, known: LabelSpace | None) -> Lesson:
    """What `fit` was given, read once; the labels of `known` come first, and documents without any are left out."""
    lists, form, columns = labels_of(y) if y is not None else (None, "names", None)
    corpus = corpus_of(X, lists, space=columns)
    if isinstance(corpus, MatrixCorpus) and isinstance(lists, LabelRows) and columns is not None and known is None:
        return _lesson(corpus, lists.matrix, columns.counted(lists.matrix), form, values=corpus.X.nnz)
    characters, values = [0], [0]

    def label_lists() -> Iterator[Sequence[str]]:
        if isinstance(corpus, MatrixCorpus):
            values[0] = corpus.X.nnz
            yield from corpus.labels()
            return
        for document in track(corpus, "Reading labels", corpus.size):
            characters[0] += len(document.text)
            values[0] += len(document.features[0]) if document.features is not None else 0
            yield document.labels

    space, Y = LabelSpace.learn(label_lists(), known=known if known is not None else corpus.space)
    return _lesson(corpus, Y, space, form, characters=characters[0], values=values[0])


def _lesson(
    corpus: Corpus, Y: sparse.csr_array, space: LabelSpace, form: str, *, characters: int = 0, values: int = 0
) -> Lesson:
    """What was read, without the documents that have no labels."""
    if not Y.nnz:
        raise DataError(f"{corpus.name} has no labelled document to learn from ({Y.shape[0]} documents read).")
    corpus.size = Y.shape[0]  # known from here on, for the bars of later passes
    labelled = np.diff(Y.indptr) > 0
    filled = values + (corpus.width or 0)  # a column without any value takes room too
    size = Size(int(labelled.sum()), characters, filled, len(space), Y.nnz)
    if not labelled.all():
        corpus, Y = corpus.take(labelled), Y[labelled]
    return Lesson(corpus, Y, space, form, size)
