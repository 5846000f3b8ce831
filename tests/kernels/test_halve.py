"""Halving beside the formula on dense vectors."""

import numpy as np
import pytest
from scipy import sparse

from umpteen.kernels.halve import halve


def literal(V: np.ndarray, left: int, seeds: tuple[int, int], rounds: int, gain: float) -> set[int]:
    """Which rows balanced 2-means puts into the first half."""
    first, second = V[seeds[0]], V[seeds[1]]
    before = -np.inf
    for _ in range(rounds):
        scores = V @ (first / np.linalg.norm(first)) - V @ (second / np.linalg.norm(second))
        order = np.argsort(-scores, kind="stable")
        first, second = V[order[:left]].sum(axis=0), V[order[left:]].sum(axis=0)
        likeness = (np.linalg.norm(first) + np.linalg.norm(second)) / len(V)
        if likeness - before < gain:
            break
        before = likeness
    return set(order[:left].tolist())


@pytest.mark.parametrize(("count", "left"), [(60, 30), (61, 31), (7, 4), (2, 1)])
def test_halves_are_those_of_the_formula(count: int, left: int) -> None:
    X = sparse.random_array((80, 40), density=0.3, rng=np.random.default_rng(3), dtype=np.float32, format="csr")
    V = sparse.csr_array(X / np.sqrt(X.multiply(X).sum(axis=1))[:, None])
    members = np.random.default_rng(count).permutation(80)[:count]
    room = np.zeros((40, 2), np.float32)
    order = halve(V.indptr, V.indices, V.data, members, left, room, 30, 1e-4, 11)
    dense = V.toarray()[members].astype(np.float64)
    expected = [
        literal(dense, left, (one, other), 30, 1e-4) for one in range(count) for other in range(count) if one != other
    ]
    assert {members.tolist().index(m) for m in order[:left]} in expected  # whichever two rows it began with
    assert sorted(order) == sorted(members)
    assert not room.any()


@pytest.mark.parametrize("left", [0, 5])
def test_nothing_to_halve_stays(left: int) -> None:
    V = sparse.csr_array(np.eye(5, dtype=np.float32))
    members = np.arange(5)
    order = halve(V.indptr, V.indices, V.data, members, left, np.zeros((5, 2), np.float32), 30, 1e-4, 0)
    assert order.tolist() == members.tolist()


def test_rows_without_entries_and_equal_rows_are_shared_out() -> None:
    V = sparse.csr_array(np.repeat(np.array([[1, 0], [0, 0]], np.float32), 4, axis=0))
    order = halve(V.indptr, V.indices, V.data, np.arange(8), 4, np.zeros((2, 2), np.float32), 30, 1e-4, 0)
    assert sorted(order) == [*range(8)]
