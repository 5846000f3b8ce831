"""Corpus: documents that can be gone through again and again, streamed, with text or ready features."""

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress, islice
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.core.errors import DataError
from umpteen.core.space import LabelSpace
from umpteen.core.spill import growing

_TOGETHER = 4096  # documents whose features are laid behind each other in one go

Active = tuple[NDArray[np.int32], NDArray[np.float32]]  # ids of the features a document has, and their values


class Rows(NamedTuple):
    """What a csr matrix holds, without its checks, which for a single document take longer than the answer."""

    indptr: NDArray[np.integer]
    indices: NDArray[np.int32]
    data: NDArray[np.float32]
    shape: tuple[int, int]

    def csr(self) -> sparse.csr_array:
        """The same as a matrix."""
        return csr(self.data, self.indices, self.indptr, self.shape)


@dataclass(frozen=True, slots=True)
class Document:
    """One thing to tag: text, or features where there is no text."""

    text: str = ""
    labels: tuple[str, ...] = ()  # keys, as the label space knows them
    id: str = ""
    features: Active | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Bad:
    """Malformed lines that the latest pass left out."""

    count: int = 0
    first: list[str] = field(default_factory=list)  # what was wrong with the first few

    def add(self, problem: str) -> None:
        """Count one more."""
        self.count += 1
        if len(self.first) < 5:
            self.first.append(problem)

    def clear(self) -> None:
        """Begin a new pass."""
        self.count = 0
        self.first.clear()


class Corpus:
    """Re-iterable documents. Nothing is held in memory unless it was given as a list or a matrix."""

    def __init__(
        self,
        documents: Callable[[], Iterator[Document]] | Sequence[Document],
        *,
        name: str = "documents",
        space: LabelSpace | None = None,
        width: int | None = None,
        feature_names: Sequence[str] | None = None,
        size: int | None = None,
        bad: Bad | None = None,
    ) -> None:
        self._documents = documents
        self.name = name
        self.space = space  # the labels there are, where the source says so
        self.width = width  # number of features; None says that the documents are text
        self.feature_names = feature_names
        self.size = size if callable(documents) else len(documents)  # None: not known before the end
        self.bad = bad or Bad()  # counts only where bad lines are skipped, anew in each pass

    def __iter__(self) -> Iterator[Document]:
        return self._documents() if callable(self._documents) else iter(self._documents)

    @property
    def is_text(self) -> bool:
        """Whether documents are text; else they are ready features."""
        return self.width is None

    @classmethod
    def from_texts(cls, texts: Sequence[str], labels: Sequence[Sequence[str]] | None = None, **known: Any) -> Self:
        """Texts in memory, with the labels of each where there are any."""
        if labels is not None and len(labels) != len(texts):
            raise DataError(f"There are {len(texts)} documents but {len(labels)} lists of labels.")

        def documents() -> Iterator[Document]:
            for number, text in enumerate(texts):
                yield Document(text, tuple(labels[number]) if labels is not None else ())

        return cls(documents, size=len(texts), **known)

    @classmethod
    def from_matrix(
        cls, X: sparse.csr_array, labels: Sequence[Sequence[str]] | None = None, **known: Any
    ) -> "MatrixCorpus":
        """Ready features in memory, a row each."""
        return MatrixCorpus(X, labels, **known)

    def texts(self) -> Iterator[str]:
        """The documents' texts."""
        return (document.text for document in self)

    def labels(self) -> Iterator[tuple[str, ...]]:
        """The documents' labels."""
        return (document.labels for document in self)

    def where(self, keep: Callable[[Document], bool]) -> "Corpus":
        """The documents that `keep` says yes to."""
        return self.changed(lambda: (d for d in self if keep(d)))

    def take(self, numbers: NDArray[np.integer] | NDArray[np.bool_]) -> "Corpus":
        """The documents at these places, in the order they stand here."""
        keep = np.zeros(len(numbers) if numbers.dtype == bool else int(numbers.max(initial=-1)) + 1, np.uint8)
        keep[numbers] = 1
        chosen = keep.tobytes()  # one byte a document, whatever their number
        return self.changed(lambda: compress(self, chosen), size=int(keep.sum()))

    def mapped(self, change: Callable[[Document], Document]) -> "Corpus":
        """The documents, each changed."""
        return self.changed(lambda: map(change, self), size=self.size)

    def batches(self, size: int) -> Iterator["Corpus"]:
        """Consecutive documents as small corpora in memory."""
        stream = iter(self)
        while part := list(islice(stream, size)):
            yield self.changed(part)

    def matrix(self) -> sparse.csr_array:
        """All documents' features, (documents, width)."""
        if self.width is None:
            raise DataError(f"{self.name} holds text where ready features are needed.")
        indices, values, starts = growing(np.int32), growing(np.float32), array("q", [0])
        for part in self.batches(_TOGETHER):
            found = list[Active]()
            for document in part:
                if document.features is None:
                    raise DataError(f"{self.name}: document {len(starts)} has no features.")
                found.append(document.features)
                starts.append(starts[-1] + len(document.features[0]))
            indices.add(np.concatenate([own for own, _ in found]))
            values.add(np.concatenate([own for _, own in found]))
        return csr(values.whole(), indices.whole(), np.array(starts, np.int64), (len(starts) - 1, self.width))

    def changed(
        self, documents: Callable[[], Iterator[Document]] | Sequence[Document], size: int | None = None
    ) -> "Corpus":
        """Other documents under the same name, with the same labels and features."""
        return Corpus(
            documents,
            name=self.name,
            space=self.space,
            width=self.width,
            feature_names=self.feature_names,
            size=size,
            bad=self.bad,
        )


class MatrixCorpus(Corpus):
    """A corpus over rows of a matrix that is in memory already."""

    def __init__(self, X: sparse.csr_array, labels: Sequence[Sequence[str]] | None = None, **known: Any) -> None:
        if labels is not None and len(labels) != X.shape[0]:
            raise DataError(f"There are {X.shape[0]} documents but {len(labels)} lists of labels.")
        self.X = X

        def documents() -> Iterator[Document]:
            for row in range(int(X.shape[0])):
                part = slice(X.indptr[row], X.indptr[row + 1])
                features = X.indices[part].astype(np.int32), X.data[part].astype(np.float32)
                yield Document(features=features, labels=tuple(labels[row]) if labels is not None else ())

        super().__init__(documents, width=X.shape[1], size=X.shape[0], **known)
        self._label_lists = labels

    def take(self, numbers: NDArray[np.integer] | NDArray[np.bool_]) -> "MatrixCorpus":
        """The rows at these places, in the order they stand here."""
        rows = np.flatnonzero(numbers) if numbers.dtype == bool else np.sort(numbers)
        return self._rows(
            self.X[rows], None if self._label_lists is None else [self._label_lists[row] for row in rows.tolist()]
        )

    def batches(self, size: int) -> Iterator[Corpus]:
        """Consecutive rows."""
        for start in range(0, self.X.shape[0], size):
            part = slice(start, start + size)
            yield self._rows(self.X[part], None if self._label_lists is None else self._label_lists[part])

    def labels(self) -> Iterator[tuple[str, ...]]:
        """The rows' labels, without making documents of them."""
        return map(tuple, self._label_lists if self._label_lists is not None else [()] * self.X.shape[0])

    def matrix(self) -> sparse.csr_array:
        """The matrix itself."""
        return self.X

    def _rows(self, X: sparse.csr_array, labels: Sequence[Sequence[str]] | None) -> "MatrixCorpus":
        return MatrixCorpus(X, labels, name=self.name, space=self.space, feature_names=self.feature_names)


def csr(
    values: NDArray[np.floating],
    indices: NDArray[np.integer],
    starts: NDArray[np.integer],
    shape: tuple[int, int],
) -> sparse.csr_array:
    """A float32 csr matrix with 32-bit indices where they suffice, its rows sorted by column."""
    small = len(indices) < 2**31
    matrix = sparse.csr_array(
        (
            values.astype(np.float32, copy=False),
            indices.astype(np.int32 if small else np.int64, copy=False),
            starts.astype(np.int32 if small else np.int64, copy=False),
        ),
        shape=shape,
    )
    matrix.sort_indices()
    return matrix
