"""Label vectors: labels that meet lie close, factors are the literal ones, and everything repeats itself."""

import numpy as np
import pytest
from scipy import sparse

from umpteen.labels.graph import Graph
from umpteen.labels.vectors import factored, informed, mean_vectors, of_unit_length, placed_beside, walked

RANDOM = np.random.default_rng(0)
WALKS = {"width": 16, "rounds": 40, "length": 10, "window": 3, "epochs": 2, "seed": 5}


def two_worlds() -> sparse.csr_array:
    """Documents with labels 0 to 3 or 4 to 7; label 8 stands alone."""
    rows = [[*RANDOM.choice(4, 2, replace=False) + 4 * (n % 2)] for n in range(60)] + [[8]] * 3
    made = np.zeros((len(rows), 9), np.float32)
    for number, row in enumerate(rows):
        made[number, row] = 1
    return sparse.csr_array(made)


Y = two_worlds()


def test_walks_bring_labels_of_one_world_together() -> None:
    pytest.importorskip("gensim")
    graph = Graph.of_documents(Y, weighted=False)
    vectors = walked(graph, **WALKS)
    near = of_unit_length(vectors) @ of_unit_length(vectors).T
    for label in range(8):
        world = [other for other in range(8) if other // 4 == label // 4 and other != label]
        strange = [other for other in range(9) if other // 4 != label // 4]
        assert near[label, world].min() > near[label, strange].max()
    assert np.linalg.norm(vectors[8]) > 0  # a label without edges has a vector too
    assert np.array_equal(vectors, walked(graph, **WALKS, jobs=2))
    assert not np.array_equal(vectors, walked(graph, **(WALKS | {"seed": 6})))


def test_factors_are_singular_vectors() -> None:
    rows = Y.toarray() / np.sqrt(Y.toarray().sum(axis=1, keepdims=True))
    _, sizes, right = np.linalg.svd(rows)
    vectors = factored(Y, width=4, seed=0)
    assert vectors.shape == (9, 4)
    assert np.allclose(np.linalg.norm(rows @ vectors, axis=0), sizes[:4], atol=1e-5)
    assert np.allclose(vectors @ vectors.T, right[:4].T @ right[:4], atol=1e-5)  # the same space
    whole = factored(Y, width=50, seed=0)
    assert np.allclose(whole @ whole.T, np.eye(9), atol=1e-5)  # a turn of the label space


def test_many_labels_are_factored_without_a_dense_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = factored(Y, width=3, seed=0)
    monkeypatch.setattr("umpteen.labels.vectors._DENSE", 1)
    drawn = factored(Y, width=3, seed=0)
    assert np.allclose(exact @ exact.T, drawn @ drawn.T, atol=1e-4)


def test_information_is_what_the_formula_says() -> None:
    whole = Y.toarray()
    expected = np.zeros((9, 9))
    for one in range(9):
        for other in range(9):
            both = (whole[:, one] * whole[:, other]).mean()
            if both:
                expected[one, other] = max(0, np.log(both / (whole[:, one].mean() * whole[:, other].mean())))
    vectors = informed(Y, width=9, seed=0)
    values, turned = np.linalg.eigh(expected)
    positive = (turned * np.maximum(values, 0)) @ turned.T
    assert np.allclose(vectors @ vectors.T, positive, atol=1e-4)


@pytest.mark.parametrize("unit", [False, True])
def test_documents_lie_at_the_mean_of_their_labels(unit: bool) -> None:
    vectors = RANDOM.normal(size=(9, 5)).astype(np.float32)
    found = mean_vectors(Y, vectors, unit=unit)
    for row, labels in zip(found, Y.toarray(), strict=True):
        mean = vectors[labels > 0].mean(axis=0)
        assert np.allclose(row, mean / np.linalg.norm(mean) if unit else mean, atol=1e-5)


def test_new_labels_lie_beside_those_they_meet_or_alone() -> None:
    known = np.array([[1.0, 0.0], [0.0, 1.0]], np.float32)
    met = sparse.csr_array(np.array([[2, 0], [0, 0], [1, 1]]))
    found = placed_beside(met, known, np.full((3, 2), 7, np.float32))
    np.testing.assert_allclose(found, [[1, 0], [7, 7], [0.5**0.5, 0.5**0.5]], rtol=1e-6)
