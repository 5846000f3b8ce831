"""The solver against liblinear, lane by lane."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from umpteen.kernels import solver


def problem(documents: int = 300, features: int = 40, labels: int = 21, seed: int = 0):
    """Documents, and labels that some features speak for; more labels than lanes."""
    random = np.random.default_rng(seed)
    X = sparse.random_array((documents, features), density=0.2, rng=random, dtype=np.float32, format="csr")
    scores = X @ random.normal(size=(features, labels))
    Y = sparse.csr_array((scores > np.quantile(scores, 0.8, axis=0)).astype(np.float32))
    return X, Y


def solved(X, Y, *, loss, items=None, start=None, worth=(), eps=1e-4, rounds=2000, threshold=0.0):
    T = sparse.csr_array(Y.T.tocsr())
    labels = Y.shape[1]
    x = X.indptr, X.indices, X.data, X.shape[1]
    t = T.indptr.astype(np.int64), T.indices
    nothing = np.zeros(labels + 1, np.int64), np.empty(0, np.int32), np.empty(0, np.float32)
    items = np.array([[0, labels, 0, labels]]) if items is None else items
    found = solver.solve(
        x,
        t,
        items,
        np.arange(labels + 1),
        start or nothing,
        np.array(worth, np.float32),
        loss,
        1.0,
        np.float32(eps),
        rounds,
        np.float32(threshold),
        3,
    )
    W = np.zeros((labels, X.shape[1] + 1))
    W[found[1], found[0]] = found[2]
    return W


@pytest.mark.parametrize("loss", [0, 1])
def test_each_lane_is_what_liblinear_finds(loss: int) -> None:
    X, Y = problem()
    covered = np.diff(Y.indptr) > 0
    X, Y = X[covered], Y[covered]
    W = solved(X, Y, loss=loss)
    for label in (0, 7, 16, 20):  # two of the first group of sixteen, two of the second
        y = Y[:, [label]].toarray().ravel()
        model = (
            LinearSVC(C=1.0, dual=True, tol=1e-6, max_iter=100_000)
            if loss == 0
            else LogisticRegression(C=1.0, solver="liblinear", dual=True, tol=1e-6, max_iter=100_000)
        ).fit(X, y)
        np.testing.assert_allclose(W[label, :-1], model.coef_[0], atol=5e-3)
        np.testing.assert_allclose(W[label, -1], model.intercept_[0], atol=5e-3)


@pytest.mark.parametrize("loss", [0, 1])
def test_documents_weigh_what_their_labels_are_worth(loss: int) -> None:
    X, Y = problem()
    covered = np.diff(Y.indptr) > 0
    X, Y = X[covered], Y[covered]
    worth = np.linspace(1, 6, Y.shape[1])
    W = solved(X, Y, loss=loss, worth=worth)
    for label in (0, 7, 16, 20):
        y = Y[:, [label]].toarray().ravel()
        model = (
            LinearSVC(C=1.0, dual=True, tol=1e-6, max_iter=100_000)
            if loss == 0
            else LogisticRegression(C=1.0, solver="liblinear", dual=True, tol=1e-6, max_iter=100_000)
        ).fit(X, y, sample_weight=np.where(y > 0, worth[label], 1))
        np.testing.assert_allclose(W[label, :-1], model.coef_[0], atol=5e-3)
        np.testing.assert_allclose(W[label, -1], model.intercept_[0], atol=5e-3)


def test_of_several_labels_below_a_child_the_one_worth_most_counts() -> None:
    X, Y = problem(labels=4)
    T = sparse.csr_array(Y.T.tocsr())
    nothing = np.zeros(3, np.int64), np.empty(0, np.int32), np.empty(0, np.float32)
    x, t = (X.indptr, X.indices, X.data, X.shape[1]), (T.indptr.astype(np.int64), T.indices)
    rest = (0, 1.0, np.float32(1e-4), 2000, np.float32(0), 3)
    worth = np.array([1, 4, 2, 3], np.float32)
    found = solver.solve(x, t, np.array([[0, 4, 0, 2]]), np.array([0, 2, 4]), nothing, worth, *rest)
    W = np.zeros((2, X.shape[1] + 1))
    W[found[1], found[0]] = found[2]
    rows = np.diff(Y.indptr) > 0
    given = (Y.toarray() * worth)[rows]
    for child, columns in enumerate((slice(0, 2), slice(2, 4))):
        most = given[:, columns].max(axis=1)
        model = LinearSVC(C=1.0, dual=True, tol=1e-6, max_iter=100_000)
        model.fit(X[rows], most > 0, sample_weight=np.maximum(most, 1))
        np.testing.assert_allclose(W[child, :-1], model.coef_[0], atol=5e-3)


def test_a_node_sees_only_the_documents_of_its_labels() -> None:
    X, Y = problem(labels=8)
    inside = np.diff(Y[:, :4].tocsr().indptr) > 0
    alone = solved(X[inside], Y[inside][:, :4].tocsr(), loss=0)
    node = solved(X, Y, loss=0, items=np.array([[0, 4, 0, 4]]))
    np.testing.assert_allclose(node[:4], alone, atol=2e-3)
    assert not node[4:].any()


def test_a_compact_node_gives_what_a_large_one_does() -> None:
    X, Y = problem(labels=8)
    far = sparse.csr_array((2000, X.shape[1]), dtype=np.float32)  # documents of no label make the node small
    W = solved(X, Y, loss=0)
    grown = sparse.csr_array(sparse.vstack([X, far], format="csr"))
    more = sparse.csr_array(sparse.vstack([Y, sparse.csr_array((2000, 8), dtype=np.float32)], format="csr"))
    np.testing.assert_allclose(solved(grown, more, loss=0), W, atol=2e-3)


def test_small_weights_are_dropped_and_the_bias_stays() -> None:
    X, Y = problem()
    kept = solved(X, Y, loss=0, threshold=0.3)
    assert not ((kept[:, :-1] != 0) & (np.abs(kept[:, :-1]) <= 0.3)).any()
    assert (kept[:, -1] != 0).all()


def test_starting_from_weights_stays_near_them() -> None:
    X, Y = problem(labels=4)
    start = (
        np.arange(5) * 2,
        np.tile(np.array([0, X.shape[1]], np.int32), 4),
        np.tile(np.array([5.0, -1.0], np.float32), 4),
    )
    empty = sparse.csr_array((X.shape[0], 4), dtype=np.float32)
    carried = solved(X, empty, loss=0, start=start)  # nobody has the labels: the node has no documents
    np.testing.assert_array_equal(carried[:, 0], 5)
    np.testing.assert_array_equal(carried[:, -1], -1)
    moved = solved(X, Y, loss=0, start=start)
    plain = solved(X, Y, loss=0)
    assert (moved[:, 0] > plain[:, 0]).all()
