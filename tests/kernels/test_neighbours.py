"""Nearest rows and their votes against the literal formulas."""

import numpy as np
import pytest
from scipy import sparse

from umpteen.kernels.neighbours import likeness, nearest, votes

RANDOM = np.random.default_rng(0)


def matrix(rows: int, columns: int, density: float) -> sparse.csr_array:
    return sparse.random_array((rows, columns), density=density, format="csr", dtype=np.float32, rng=RANDOM)


def found(Q: sparse.csr_array, X: sparse.csr_array, k: int) -> tuple[np.ndarray, np.ndarray]:
    by_column = X.tocsc()
    index = by_column.indptr, by_column.indices, by_column.data
    wanted = np.arange(X.shape[1]) % 3 > 0  # products by the others are there already
    begun = (Q[:, ~wanted] @ X[:, ~wanted].T).toarray().astype(np.float32)
    return nearest(Q.indptr, Q.indices, Q.data, *index, wanted, begun, k)


@pytest.mark.parametrize("k", [1, 5, 200])
@pytest.mark.parametrize("density", [0.02, 0.3])
def test_nearest(density: float, k: int) -> None:
    X, Q = matrix(120, 60, density), matrix(30, 60, density)
    rows, products = found(Q, X, k)
    exact = (Q @ X.T).toarray()
    for query in range(30):
        order = [row for row in np.lexsort((np.arange(120), -exact[query])) if exact[query, row] > 0][:k]
        assert np.allclose(products[query, : len(order)], exact[query, order], atol=1e-6)
        assert rows[query, len(order) :].tolist() == [-1] * (k - len(order))
        assert not products[query, len(order) :].any()
        assert np.allclose(exact[query, rows[query, : len(order)]], products[query, : len(order)], atol=1e-6)
        assert len(set(rows[query, : len(order)].tolist())) == len(order)


def test_equally_near_rows_stand_in_their_order() -> None:
    X = sparse.csr_array(np.ones((5, 1), np.float32))
    assert found(X[:1], X, 3)[0].tolist() == [[0, 1, 2]]


def test_a_query_like_nothing_finds_nothing() -> None:
    X = sparse.csr_array(np.eye(3, dtype=np.float32))
    assert found(sparse.csr_array((1, 3), dtype=np.float32), X, 2)[0].tolist() == [[-1, -1]]


@pytest.mark.parametrize("power", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("k", [1, 4, 30])
def test_votes(power: float, k: int) -> None:
    Y = sparse.csr_array((RANDOM.random((50, 12)) < 0.2).astype(np.float32))
    rows = np.array([RANDOM.permutation(50)[:8] for _ in range(20)]).astype(np.int32)
    similar = -np.sort(-RANDOM.random((20, 8)).astype(np.float32), axis=1)
    rows[3, 5:], similar[3, 5:] = -1, 0
    similar[4, 2] = 0  # a document's own vote, taken out
    labels, scores = votes(rows, similar, Y.indptr, Y.indices, power, k)
    for query in range(20):
        weight = np.where((rows[query] >= 0) & (similar[query] > 0), similar[query].astype(float) ** power, 0)
        share = weight @ Y[np.maximum(rows[query], 0)].toarray() / weight.sum()
        given = labels[query][labels[query] >= 0]
        assert len(given) == min(k, np.count_nonzero(share))
        assert np.allclose(scores[query, : len(given)], -np.sort(-share)[: len(given)], atol=1e-6)
        assert np.allclose(share[given], scores[query, : len(given)], atol=1e-6)


def test_no_neighbour_no_label() -> None:
    labels, scores = votes(
        np.full((1, 2), -1, np.int32), np.zeros((1, 2), np.float32), np.array([0]), np.array([0]), 1.0, 3
    )
    assert labels.tolist() == [[-1] * 3]
    assert not scores.any()


def test_likeness() -> None:
    X, Q = matrix(50, 30, 0.2), matrix(8, 30, 0.2)
    by_column = X.tocsc()
    given, all_of_them = np.full((8, 50), 0.25, np.float32), np.ones(30, bool)
    likeness(Q.indptr, Q.indices, Q.data, by_column.indptr, by_column.indices, by_column.data, all_of_them, given)
    assert np.allclose(given, ((1.25 + (Q @ X.T).toarray()) / 2) ** 4, atol=1e-6)
