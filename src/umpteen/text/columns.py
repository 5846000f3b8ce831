"""Columns: rows of a sparse matrix, ready for their products with others.

A word that most documents have takes most of the time if each of its documents is looked at one by one. So columns that
most rows have are kept a second time as plain numbers, and of many rows at once multiplied as matrices.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.core.corpus import Rows
from umpteen.kernels.threads import ranges

_OFTEN = 64  # columns, those of most rows
_MANY = 8  # rows at least for which matrices are worth it
_BLOCK = 256  # rows at a time, at most
_NUMBERS = 1 << 24  # products at a time, at most

Numbers = NDArray[np.float32]
Part = tuple[NDArray[np.integer], NDArray[np.int32], Numbers]  # bounds, columns and values of some rows


class Columns:
    """A matrix by column: which rows have each, with which values."""

    def __init__(self, by_column: Rows) -> None:
        self.given = by_column  # (columns, rows)
        counts = np.diff(by_column.indptr)
        often = np.sort(np.argsort(-counts, kind="stable")[:_OFTEN])
        self._place = np.full(len(counts), -1, np.int64)  # among those of most rows
        self._place[often] = np.arange(len(often))
        self._dense = np.zeros((len(often), by_column.shape[1]), np.float32)
        for place, column in enumerate(often):
            part = slice(by_column.indptr[column], by_column.indptr[column + 1])
            self._dense[place, by_column.indices[part]] = by_column.data[part]
        self._others = self._place < 0
        self._all = np.ones(len(counts), bool)

    @classmethod
    def of(cls, X: Rows | sparse.csr_array) -> "Columns":
        """A matrix that is given by row."""
        matrix = (X.csr() if isinstance(X, Rows) else X).T.tocsr()
        return cls(Rows(matrix.indptr, matrix.indices, matrix.data, matrix.shape))

    def __len__(self) -> int:
        return self.given.shape[1]

    def with_more(self, X: Rows) -> "Columns":
        """More rows behind these."""
        both = sparse.hstack([self.given.csr(), X.csr().T], format="csr")
        return Columns(Rows(both.indptr, both.indices, both.data, both.shape))

    @property
    def arrays(self) -> tuple[NDArray[np.integer], NDArray[np.int32], Numbers]:
        """Bounds, rows and values of the columns."""
        return self.given.indptr, self.given.indices, self.given.data

    def parts(self, rows: int) -> list[tuple[int, int]]:
        """So many rows in parts whose products fit into memory."""
        return [*ranges(rows, max(1, min(_BLOCK, _NUMBERS // max(1, len(self)))))]

    def begun(self, X: Rows, part: tuple[int, int]) -> tuple[Part, NDArray[np.bool_], Numbers]:
        """Some rows of X, which columns are still to be multiplied for them, and what their products begin with."""
        bounds = X.indptr[part[0] : part[1] + 1]
        rows, given = part[1] - part[0], (bounds, X.indices, X.data)
        if rows < _MANY:
            return given, self._all, np.zeros((rows, len(self)), np.float32)
        inner = slice(bounds[0], bounds[-1])
        place = self._place[X.indices[inner]]
        there = place >= 0
        often = np.zeros((rows, len(self._dense)), np.float32)
        often[np.repeat(np.arange(rows), np.diff(bounds))[there], place[there]] = X.data[inner][there]
        return given, self._others, often @ self._dense
