"""Products of sparse rows, begun by matrices where columns are common, against plain products."""

import numpy as np
import pytest
from scipy import sparse

from umpteen.core.corpus import Rows
from umpteen.kernels.neighbours import nearest
from umpteen.text.columns import Columns

RANDOM = np.random.default_rng(0)


def rows(count: int, columns: int = 300) -> sparse.csr_array:
    """Some columns are in most rows, most in few."""
    shares = np.minimum(0.9, 3 / np.arange(1, columns + 1))
    there = RANDOM.random((count, columns)) < shares
    return sparse.csr_array((there * RANDOM.random((count, columns))).astype(np.float32))


def as_rows(X: sparse.csr_array) -> Rows:
    return Rows(X.indptr, X.indices, X.data, X.shape)


@pytest.mark.parametrize("queries", [1, 7, 8, 600])
def test_nearest_rows_are_exact_however_many_are_asked(queries: int) -> None:
    X, Q = rows(90), rows(queries)
    columns = Columns.of(X)
    exact = (Q @ X.T).toarray()
    found = []
    for part in columns.parts(queries):
        given, wanted, products = columns.begun(as_rows(Q), part)
        found.append(nearest(*given, *columns.arrays, wanted, products, 90)[1])
    assert np.allclose(np.concatenate(found), -np.sort(-exact, axis=1), atol=1e-5)


def test_more_rows_stand_behind_the_others() -> None:
    X, more = rows(40), rows(15)
    both = Columns.of(X).with_more(as_rows(more))
    assert len(both) == 55
    whole = Columns.of(sparse.csr_array(sparse.vstack([X, more])))
    for mine, theirs in zip(both.arrays, whole.arrays, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_parts_keep_to_memory() -> None:
    assert Columns.of(rows(3)).parts(600) == [(0, 256), (256, 512), (512, 600)]
    wide = Columns(Rows(np.zeros(2, np.int64), np.empty(0, np.int32), np.empty(0, np.float32), (1, 1 << 20)))
    assert wide.parts(20) == [(0, 16), (16, 20)]
