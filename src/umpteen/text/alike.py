"""Alike: documents with like features, exactly the nearest by cosine, whose labels vote on those of others."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.core.corpus import Rows
from umpteen.core.errors import DataError
from umpteen.core.ranking import Ranking
from umpteen.core.sound import check_bounds, check_kind, check_places
from umpteen.core.store import Folder, NewFolder
from umpteen.kernels import neighbours as kernel
from umpteen.kernels.threads import each
from umpteen.kernels.weights import unit_rows
from umpteen.text.columns import Columns

Cosines = NDArray[np.float32]
Found = tuple[NDArray[np.int32], Cosines]  # documents, -1 for none, and cosines, falling


@dataclass(frozen=True)
class Ballot:
    """How votes are counted."""

    neighbours: int  # nearest documents that vote
    power: float  # a vote weighs the cosine to this power
    rare: float = 0.0  # features count by how rare they are to this power, beside what they count already

    @classmethod
    def checked(cls, values: Mapping[str, Any]) -> "Ballot":
        """The one that a folder tells of; raises if it is none. Folders of older versions have no `rare`."""
        found = [values.get("neighbours"), values.get("power"), values.get("rare", 0.0)]
        if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in found):
            raise DataError("How neighbours vote is not told in numbers.")
        neighbours, power, rare = (float(str(value)) for value in found)
        if not neighbours.is_integer() or neighbours < 1 or not power >= 0 or not rare >= 0:
            raise DataError("Neighbours cannot vote as is told.")
        return cls(int(neighbours), power, rare)


class Alike:
    """Documents with features and labels; more may come, and their order stays."""

    def __init__(
        self,
        columns: Columns,
        Y: tuple[NDArray[np.integer], NDArray[np.int32]],
        scale: NDArray[np.float32] | None,
    ) -> None:
        self._columns = columns
        self.Y = Y  # labels of document d are the second's [first[d]:first[d + 1]]
        self._scale = scale  # of each feature; none: 1

    @classmethod
    def of(cls, X: sparse.csr_array, Y: sparse.csr_array, *, rare: float = 0.0) -> "Alike":
        """Documents with rows of unit length, where rare features may count more."""
        scale = rarity(X) ** np.float32(rare) if rare else None
        return cls(Columns.of(scaled(X, scale)), (Y.indptr, Y.indices), scale)

    def __len__(self) -> int:
        return len(self._columns)

    def with_more(self, X: sparse.csr_array, Y: sparse.csr_array) -> "Alike":
        """These and others behind them; what a feature counts stays."""
        bounds, labels = self.Y
        joined = np.concatenate([bounds, Y.indptr[1:] + bounds[-1]]), np.concatenate([labels, Y.indices])
        return Alike(self._columns.with_more(scaled(X, self._scale)), joined, self._scale)

    def nearest(self, X: Rows | sparse.csr_array, k: int, *, jobs: int = 0) -> Found:
        """The k most similar documents of each row."""
        rows, columns = scaled(X, self._scale), self._columns

        def block(part: tuple[int, int]) -> Found:
            given, wanted, products = columns.begun(rows, part)
            return kernel.nearest(*given, *columns.arrays, wanted, products, k)  # type: ignore[no-any-return]

        blocks = [*each(block, columns.parts(rows.shape[0]), jobs=jobs)]
        if not blocks:
            return np.empty((0, k), np.int32), np.empty((0, k), np.float32)
        return np.concatenate([b[0] for b in blocks]), np.concatenate([b[1] for b in blocks])

    def voters(
        self, X: Rows | sparse.csr_array, ballot: Ballot
    ) -> tuple[NDArray[np.int32], Cosines, NDArray[np.float64]]:
        """Who votes on a single row, their cosines, and what their votes weigh."""
        found, cosines = self.nearest(X, ballot.neighbours, jobs=1)
        there = cosines[0] > 0
        return found[0][there], cosines[0][there], cosines[0][there].astype(np.float64) ** ballot.power

    def rank(self, X: Rows | sparse.csr_array, k: int, ballot: Ballot, *, jobs: int = 0) -> Ranking:
        """The k labels of each row with the largest shares of the votes."""
        return self.counted(self.nearest(X, ballot.neighbours, jobs=jobs), k, ballot)

    def counted(self, found: Found, k: int, ballot: Ballot) -> Ranking:
        """The same where it is known who is near."""
        near = slice(0, ballot.neighbours)
        return Ranking(*kernel.votes(found[0][:, near], found[1][:, near], *self.Y, ballot.power, k))

    def save(self, folder: NewFolder) -> None:
        """Write all that `load` needs."""
        for name, part in zip(("bounds", "rows", "values"), self._columns.arrays, strict=True):
            folder.array(f"index_{name}", part)
        folder.array("document_bounds", self.Y[0])
        folder.array("document_labels", self.Y[1])
        if self._scale is not None:
            folder.array("index_scale", self._scale)

    @classmethod
    def load(cls, folder: Folder, *, features: int, labels: int) -> "Alike":
        """The same as was saved, for documents of so many features and labels."""
        bounds, rows, values = (folder.array(f"index_{name}") for name in ("bounds", "rows", "values"))
        Y = folder.array("document_bounds"), folder.array("document_labels")
        scale = folder.array("index_scale") if folder.has("index_scale.npy") else None
        documents = len(Y[0]) - 1
        check_bounds(bounds, features, len(rows))
        check_places(rows, documents)
        check_kind(values, "f4")
        check_bounds(Y[0], documents, len(Y[1]))
        check_places(Y[1], labels)
        if scale is not None:
            check_kind(scale, "f4")
        if len(values) != len(rows) or (scale is not None and len(scale) != features):
            raise DataError("The index is not whole.")
        return cls(Columns(Rows(bounds, rows, values, (features, documents))), Y, scale)


def without(found: Found, rows: NDArray[np.integer]) -> Found:
    """The same with one document of each row, its own, not among those found; another place is empty instead."""
    own = found[0] == rows[:, None]
    order = np.argsort(own, axis=1, kind="stable")
    documents = np.where(own, np.int32(-1), found[0])
    cosines = np.where(own, np.float32(0), found[1])
    return np.take_along_axis(documents, order, 1), np.take_along_axis(cosines, order, 1)


def rarity(X: sparse.csr_array) -> NDArray[np.float32]:
    """What each feature weighs by how few documents have it (idf)."""
    there = np.bincount(X.indices, minlength=X.shape[1])
    return (np.log((1 + X.shape[0]) / (1 + there)) + 1).astype(np.float32)


def scaled(X: Rows | sparse.csr_array, scale: NDArray[np.float32] | None) -> Rows:
    """Rows of unit length in which features count as they should."""
    if scale is None:
        return Rows(X.indptr, X.indices, X.data, X.shape)
    values = X.data * scale[X.indices]
    unit_rows(values, X.indptr)
    return Rows(X.indptr, X.indices, values, X.shape)
