"""What `fit` and `rank` take, made into a Corpus; and label answers in the form that `y` had.

Documents: a Corpus, texts, or a sparse or dense matrix of ready features. Labels: lists of names or numbers, an object
array of such lists, or a 0/1 matrix, sparse or dense.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from umpteen.core.corpus import Corpus, csr
from umpteen.core.errors import DataError
from umpteen.core.ranking import Ranking
from umpteen.core.space import LabelSpace


def corpus_of(X: Any, labels: Sequence[Sequence[str]] | None = None, *, space: LabelSpace | None = None) -> Corpus:
    """Documents in any form as a Corpus."""
    if isinstance(X, Corpus):
        if labels is not None:
            raise DataError("A Corpus brings its own labels: leave y out.")
        return X
    if isinstance(X, str):
        raise DataError("Documents are a list of texts; for a single text write [text].")
    if sparse.issparse(X):
        return Corpus.from_matrix(_checked(X), labels, space=space)
    if isinstance(X, np.ndarray) and X.dtype.kind in "fiub" and X.ndim == 2:
        return Corpus.from_matrix(_checked(sparse.csr_array(X)), labels, space=space)
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] == 1:
        X = X[:, 0]
    texts = X.tolist() if hasattr(X, "tolist") else list(X)
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise DataError(
                f"Document {number + 1} is a {type(text).__name__}, not a text. "
                "Documents are texts, or one matrix of features (scipy sparse or a 2-dimensional array)."
            )
    return Corpus.from_texts(texts, labels, space=space)


class LabelRows(Sequence[list[str]]):
    """The label lists that a 0/1 matrix stands for, made when asked for: as they are, they take ten times its room."""

    def __init__(self, matrix: sparse.csr_array, keys: list[str]) -> None:
        self.matrix, self._keys = matrix, keys

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return LabelRows(self.matrix[place], self._keys)
        row = range(len(self))[place]
        return self._named(self.matrix.indptr[row], self.matrix.indptr[row + 1])

    def __iter__(self) -> Iterator[list[str]]:
        return (self._named(start, end) for start, end in pairwise(self.matrix.indptr.tolist()))

    def _named(self, start: int, end: int) -> list[str]:
        return [self._keys[column] for column in self.matrix.indices[start:end].tolist()]


def labels_of(y: Any) -> tuple[Sequence[Sequence[str]], str, LabelSpace | None]:
    """Label lists, the form `y` has, and the label space where `y` is a matrix."""
    if _is_matrix(y):
        matrix = sparse.csr_array(y, copy=True)
        if not np.isin(matrix.data, (0, 1)).all():
            raise DataError("A label matrix holds 0 and 1 only: rows are documents, columns are labels.")
        matrix.eliminate_zeros()
        matrix.sum_duplicates()
        matrix = csr(np.ones(matrix.nnz, np.float32), matrix.indices, matrix.indptr, matrix.shape)
        keys = [str(column) for column in range(matrix.shape[1])]
        return LabelRows(matrix, keys), "sparse" if sparse.issparse(y) else "dense", LabelSpace(keys)
    lists = [_list_of(labels, number) for number, labels in enumerate(y)]
    form = "names" if any(isinstance(label, str) for labels in lists for label in labels) else "numbers"
    return [[str(label) for label in labels] for labels in lists], form, None


def answer(ranking: Ranking, space: LabelSpace, form: str) -> Any:
    """Chosen labels in the form that the training labels had."""
    if form in ("sparse", "dense"):
        chosen = ranking.csr(len(space), scores=False)
        return chosen if form == "sparse" else chosen.toarray()
    keys: Sequence[Any] = [int(key) for key in space.keys] if form == "numbers" else space.keys
    lists = np.empty(len(ranking), object)
    for row, labels in enumerate(ranking.labels):
        lists[row] = [keys[label] for label in labels if label >= 0]
    return lists


def _is_matrix(y: Any) -> bool:
    return sparse.issparse(y) or (isinstance(y, np.ndarray) and y.dtype.kind in "fiub" and y.ndim == 2)


def _list_of(labels: Any, number: int) -> list[Any]:
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise DataError(
            f"The labels of document {number + 1} are {labels!r}, not a list of labels. "
            f"A single label is written [{labels!r}]."
        )
    found = list(labels)
    if not all(isinstance(label, str | int | np.integer) and not isinstance(label, bool) for label in found):
        raise DataError(f"The labels of document {number + 1} are {found!r}: labels are texts or whole numbers.")
    return found


def _checked(X: Any) -> sparse.csr_array:
    if X.format == "csr" and X.dtype == np.float32 and X.has_canonical_format and np.isfinite(X.data).all():
        clean: sparse.csr_array = X  # nothing to put right, so no copy
        return clean
    matrix = sparse.csr_array(X, copy=True)
    if matrix.data.dtype.kind not in "fiub" or not np.isfinite(matrix.data).all():
        raise DataError("Features must be finite numbers: there is a NaN, an infinity or something else among them.")
    matrix.sum_duplicates()
    return csr(matrix.data, matrix.indices, matrix.indptr, matrix.shape)
