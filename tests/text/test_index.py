"""The index against the literal formula: nearest in the nearest clusters, growing, and back from disk."""

from pathlib import Path

import numpy as np
import pytest

from umpteen.core.store import Folder, new_folder
from umpteen.text.index import Index

pytest.importorskip("faiss")
RANDOM = np.random.default_rng(0)
VECTORS = RANDOM.normal(size=(300, 8)).astype(np.float32)
OTHERS = RANDOM.normal(size=(40, 8)).astype(np.float32)


def squares(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return ((one[:, None, :] - other[None]) ** 2).sum(axis=2)


@pytest.mark.parametrize(("clusters", "probes"), [(1, 1), (6, 1), (6, 2), (6, 99)])
def test_nearest_in_the_nearest_clusters(clusters: int, probes: int) -> None:
    index = Index.of(VECTORS, clusters=clusters, seed=0, jobs=1)
    found, apart = index.nearest(OTHERS, 12, probes=probes, jobs=1)
    home = squares(VECTORS, index.centres).argmin(axis=1)
    for row, query in enumerate(OTHERS):
        open_ = np.argsort(squares(query[None], index.centres)[0])[:probes]
        inside = np.flatnonzero(np.isin(home, open_))
        order = inside[np.argsort(squares(query[None], VECTORS[inside])[0])][:12]
        assert found[row, : len(order)].tolist() == order.tolist()
        assert (found[row, len(order) :] == -1).all()
        assert np.allclose(apart[row, : len(order)], squares(query[None], VECTORS[order])[0], atol=1e-4)


@pytest.mark.parametrize("clusters", [1, 6])
def test_folded_vectors_are_near_by_their_means(tmp_path: Path, clusters: int) -> None:
    index = Index.of(VECTORS, clusters=clusters, folds=2, seed=0, jobs=1)
    assert index.folds == 2 and index.centres.shape == (clusters, 4)
    means, asked = (folded[:, :4] + folded[:, 4:] for folded in (VECTORS, OTHERS))
    means, asked = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (means, asked))
    found, apart = index.nearest(OTHERS, 12, probes=clusters, jobs=1)
    assert np.array_equal(found, np.argsort(squares(asked, means), axis=1)[:, :12])
    assert np.allclose(apart, np.sort(squares(asked, means), axis=1)[:, :12], atol=1e-5)
    with new_folder(tmp_path / "m") as folder:
        index.with_more(OTHERS).save(folder)
    back = Index.load(Folder(tmp_path / "m"))
    assert back.folds == 2 and back.nearest(OTHERS, 1, probes=clusters)[0].ravel().tolist() == [*range(300, 340)]


@pytest.mark.parametrize("clusters", [1, 4])
def test_grows_and_comes_back(tmp_path: Path, clusters: int) -> None:
    index = Index.of(VECTORS, clusters=clusters, seed=0, jobs=1)
    centres = index.centres.copy()
    before = index.nearest(VECTORS[:20], 1, probes=1, jobs=1)[0]
    index = index.with_more(OTHERS)
    assert len(index) == 340
    assert np.array_equal(index.centres, centres)
    assert np.array_equal(index.nearest(VECTORS[:20], 1, probes=1, jobs=1)[0], before)
    assert index.nearest(OTHERS, 1, probes=1, jobs=1)[0].ravel().tolist() == [*range(300, 340)]
    with new_folder(tmp_path / "m") as folder:
        index.save(folder)
    back = Index.load(Folder(tmp_path / "m"))
    for one, other in zip(index.nearest(OTHERS, 9, probes=2), back.nearest(OTHERS, 9, probes=2), strict=True):
        assert np.array_equal(one, other)


def test_fewer_vectors_than_wanted() -> None:
    index = Index.of(VECTORS[:3], clusters=10, seed=0, jobs=1)
    assert len(index.centres) == 3
    assert index.nearest(OTHERS, 50, probes=10, jobs=1)[0].shape == (40, 3)
    assert np.array_equal(Index.of(VECTORS, clusters=5, seed=1).centres, Index.of(VECTORS, clusters=5, seed=1).centres)
