"""The beam search on packed weights against a literal one on a dense matrix."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from umpteen.core.errors import DataError, UmpteenError
from umpteen.kernels import beam as kernel
from umpteen.labels.tree import Tree
from umpteen.linear.weights import packed


def forest(*, levels, width=60, density=0.3, seed=0):
    """A tree of random classifiers: its shape, dense weights (features + bias, children) by layer, and the triples."""
    random = np.random.default_rng(seed)
    labels = levels[-1][-1]
    tree = Tree(random.permutation(labels).astype(np.int32), tuple(np.array(level) for level in levels))
    dense, layers = [], []
    for _, below in tree.layers():
        W = random.normal(size=(width + 1, len(below) - 1)) * (random.random((width + 1, len(below) - 1)) < density)
        W[width] = random.normal(size=len(below) - 1)
        W = W.astype(np.float32)
        features, children = np.nonzero(W)
        order = random.permutation(len(features))
        triples = features[order].astype(np.int32), children[order].astype(np.int32), W[features, children][order]
        dense.append(W)
        layers.append(triples)
    return tree, dense, (layers, [np.searchsorted(below, groups) for groups, below in tree.layers()])


def literal(tree, dense, x, *, power, beam, k):
    """Every child of every node of the beam, scored and sorted."""
    nodes = [(0, 1.0)]
    for number, (groups, below) in enumerate(tree.layers()):
        last = number == len(tree.levels) - 1
        outputs = np.append(x, 1) @ dense[number]
        found = []
        for node, path in nodes:
            first, stop = np.searchsorted(below, groups[node]), np.searchsorted(below, groups[node + 1])
            for child in range(first, stop):
                if stop - first == 1 and len(tree.levels) > 1:
                    chance = 1.0
                elif power:
                    chance = np.exp(-(max(0.0, 1 - outputs[child]) ** power))
                else:
                    chance = 1 / (1 + np.exp(-outputs[child]))
                found.append((int(tree.order[child]) if last else child, path * chance))
        found.sort(key=lambda pair: (-pair[1], pair[0]))
        nodes = found[: k if last else beam]
    return nodes


SHAPES = {
    "flat": [[0, 300]],
    "two levels": [[0, 64], [0, 16, 32, 48, 64]],
    "uneven, with only children": [[0, 40], [0, 1, 25, 40], [0, 1, 2, 3, 20, 25, 26, 40]],
    "many nodes": [[0, 4000], list(range(0, 4001, 20))],
}


@pytest.mark.parametrize("density", [0.05, 0.3, 0.9])  # of rows that are kept short, of some of each, of full ones
@pytest.mark.parametrize("power", [0, 2, 3])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_search_gives_what_the_literal_one_does(shape: str, power: int, density: float) -> None:
    tree, dense, layers = forest(levels=SHAPES[shape], density=density)
    weights = packed(*layers, width=60, bits=16)
    random = np.random.default_rng(1)
    X = sparse.random_array((30, 60), density=0.2, rng=random, dtype=np.float32, format="csr")
    X = sparse.csr_array(
        sparse.vstack([X, sparse.csr_array((1, 60), dtype=np.float32)], format="csr")
    )  # and an empty one
    labels, scores = kernel.search(weights.parts, tree.order, power, X.indptr, X.indices, X.data, 4, 6)
    for row in range(X.shape[0]):
        expected = literal(tree, dense, X[[row]].toarray()[0], power=power, beam=4, k=6)
        np.testing.assert_allclose(scores[row, : len(expected)], [score for _, score in expected], atol=3e-3)
        sure = [n for n in range(len(expected) - 1) if expected[n][1] - expected[n + 1][1] > 0.01]
        assert all(labels[row, n] == expected[n][0] for n in sure if n == 0 or n - 1 in sure)


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("shape", SHAPES)
def test_packing_keeps_every_weight(shape: str, bits: int) -> None:
    _, dense, layers = forest(levels=SHAPES[shape])
    weights = packed(*layers, width=60, bits=bits)
    for number, W in enumerate(dense):
        features, children, values = weights.layer(number)
        again = np.zeros_like(W)
        again[features, children] = values
        assert np.abs(again - W).max() <= np.ptp(W) / (1 << bits)


def test_one_classifiers_weights_can_be_read() -> None:
    tree, dense, layers = forest(levels=SHAPES["many nodes"])
    weights = packed(*layers, width=60, bits=16)
    groups, _ = tree.layers()[1]
    got = kernel.weights_of(weights.parts, 1, 7, 3, np.arange(61, dtype=np.int32))
    np.testing.assert_allclose(got, dense[1][:, groups[7] + 3], atol=1e-3)


def test_the_mean_over_trees_counts_missing_answers_as_nothing() -> None:
    labels = np.array([[[3, 1, -1]], [[1, 2, 3]]], np.int32)  # (trees, rows, depth)
    scores = np.array([[[0.9, 0.5, 0.0]], [[0.8, 0.7, 0.1]]], np.float32)
    best, worth = kernel.mean(labels, scores, 4)
    np.testing.assert_array_equal(best[0], [1, 3, 2, -1])
    np.testing.assert_allclose(worth[0], [0.65, 0.5, 0.35, 0.0], rtol=1e-6)


def test_a_list_that_names_a_node_twice_is_refused() -> None:
    _, _, layers = forest(levels=SHAPES["many nodes"], density=0.01)
    weights = packed(*layers, width=60, bits=16)
    weights._check(4000)
    lists, rows, kinds = weights.lists.copy(), weights.features[:, 1, 0], weights.features[:-1, 1, 1]
    first = next(-kind - 1 for kind, count in zip(kinds, np.diff(rows), strict=True) if kind < 0 and count > 1)
    lists[first + 1] = lists[first]
    with pytest.raises(DataError, match="lead out"):
        replace(weights, lists=lists)._check(4000)


def test_more_children_than_entries_can_tell_apart() -> None:
    triples = np.zeros(1, np.int32), np.array([69_999], np.int32), np.ones(1, np.float32)
    with pytest.raises(UmpteenError, match="70,000 children"):
        packed([triples], [np.array([0, 70_000])], width=1, bits=16)
