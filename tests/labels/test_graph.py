"""The label graph against its definition, and walks that no number of threads changes."""

import numpy as np
import pytest
from scipy import sparse

from umpteen.core.space import Label, LabelSpace
from umpteen.labels.graph import Graph

Y = sparse.csr_array((np.random.default_rng(0).random((40, 12)) < 0.12).astype(np.float32))


def dense(graph: Graph) -> np.ndarray:
    made = np.zeros((len(graph), len(graph)))
    for node in range(len(graph)):
        part = slice(graph.bounds[node], graph.bounds[node + 1])
        made[node, graph.neighbours[part]] = graph.weights[part] if len(graph.weights) else 1
    return made


def test_labels_that_meet_have_an_edge() -> None:
    whole = Y.toarray()
    counts = np.zeros((12, 12))
    for document in whole:
        for one in np.flatnonzero(document):
            for other in np.flatnonzero(document):
                counts[one, other] += one != other
    assert np.array_equal(dense(Graph.of_documents(Y, weighted=True)), counts)
    assert np.array_equal(dense(Graph.of_documents(Y, weighted=False)), counts > 0)


def test_a_hierarchy_joins_labels_through_what_stands_above() -> None:
    known = {"a": Label("a", parents=("top",)), "b": Label("b", parents=("a", "top")), "c": Label("c", parents=("c",))}
    known["top"] = Label("top", parents=("root",))
    graph = Graph.of_hierarchy(LabelSpace(["a", "b", "c"], labels=known))
    edges = {(0, 1), (0, 3), (1, 3), (3, 4)}  # nodes 3 and 4 are top and root
    expected = np.zeros((5, 5))
    for one, other in edges:
        expected[one, other] = expected[other, one] = 1
    assert np.array_equal(dense(graph), expected)


@pytest.mark.parametrize("weighted", [False, True])
def test_walks_do_not_depend_on_threads(weighted: bool) -> None:
    graph = Graph.of_documents(Y, weighted=weighted)
    made = [np.concatenate([*graph.walks(rounds=800, length=5, seed=1, jobs=jobs)]) for jobs in (1, 2, 5)]
    assert made[0].shape == (800 * 12, 5)
    assert np.array_equal(np.bincount(made[0][:, 0]), np.full(12, 800))
    assert all(np.array_equal(made[0], other) for other in made[1:])
