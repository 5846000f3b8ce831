"""Clustering kernels beside the formula on dense vectors."""

import numpy as np
from scipy import sparse

from umpteen.kernels import cluster
from umpteen.kernels.lanes import LANES


def rows(count: int, width: int) -> sparse.csr_array:
    X = sparse.random_array(
        (count, width), density=0.2, rng=np.random.default_rng(5), dtype=np.float32, format="csr"
    ).toarray()
    X[3] = 0  # a label without a profile
    return sparse.csr_array(X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-9))


def test_the_nearest_centre_is_the_one_of_the_formula() -> None:
    V = rows(200, 40)
    members = np.random.default_rng(1).permutation(200)[:150]
    parts = np.random.default_rng(2).integers(-1, 37, 150).astype(np.int32)
    parts[parts == 20] = 21  # a part without members
    centres = np.stack([V[members[parts == part]].sum(axis=0) for part in range(37)])
    centres /= np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1e-9)
    room = np.zeros((40, LANES), np.float32)
    for first, last in (0, 37), (16, 32), (32, 37):
        chosen, best = cluster.nearest(V.indptr, V.indices, V.data, members, parts, first, last, room)
        likeness = V[members].toarray() @ centres[first:last].T
        np.testing.assert_allclose(best, likeness.max(axis=1), atol=1e-6)
        np.testing.assert_allclose(likeness[np.arange(150), chosen - first], best, atol=1e-6)
        assert not room.any()
