import numpy as np
import pytest
from scipy import sparse

from umpteen.core.errors import DataError
from umpteen.core.ranking import Ranking

SCORES = np.array([[0.1, 0.7, 0.7, 0.0], [0.5, 0.5, 0.9, 0.5], [0.0, 0.0, 0.0, 0.0]], np.float32)


def literal(row: np.ndarray, k: int) -> list[int]:
    return sorted(range(len(row)), key=lambda label: (-row[label], label))[:k]


@pytest.mark.parametrize("k", [1, 2, 4])
def test_dense_rows(k: int) -> None:
    ranking = Ranking.from_dense(SCORES, k)
    assert ranking.labels.tolist() == [literal(row, k) for row in SCORES]
    assert ranking.scores.tolist() == [[row[label] for label in literal(row, k)] for row in SCORES]


def test_more_places_than_labels_are_padded() -> None:
    ranking = Ranking.from_dense(SCORES, 6)
    assert ranking.labels[:, 4:].tolist() == [[-1, -1]] * 3
    assert not ranking.scores[:, 4:].any()
    assert ranking.depth == 6


def test_stored_entries_of_a_sparse_matrix() -> None:
    random = np.random.default_rng(0)
    dense = np.round(random.random((40, 30)), 1).astype(np.float32) * (random.random((40, 30)) < 0.2)
    for k in (1, 3, 40):
        ranking = Ranking.from_csr(sparse.csr_array(dense), k)
        for row, labels, scores in zip(dense, ranking.labels, ranking.scores, strict=True):
            expected = [label for label in literal(row, 30) if row[label]][:k]
            assert labels.tolist() == expected + [-1] * (k - len(expected))
            assert scores[: len(expected)].tolist() == row[expected].tolist()


def test_candidates_in_any_order() -> None:
    ranking = Ranking.best([[7, 2, -1, 5], [-1, -1, 1, 0]], [[0.5, 0.5, 9, 0.8], [3, 3, 0.0, 0.0]], 3)
    assert ranking.labels.tolist() == [[5, 2, 7], [0, 1, -1]]
    assert ranking.scores[0].tolist() == [np.float32(0.8), 0.5, 0.5]
    assert not ranking.scores[1].any()
    assert Ranking.best([[1]], [[0.5]], 3).labels.tolist() == [[1, -1, -1]]


def test_joined_top_above() -> None:
    one, other = Ranking.from_dense(SCORES[:1], 2), Ranking.from_dense(SCORES[1:], 4)
    joined = Ranking.joined([one, other], 3)
    assert joined.labels.tolist() == [[1, 2, -1], [2, 0, 1], [0, 1, 2]]
    assert len(joined) == 3
    assert joined.top(1).labels.tolist() == [[1], [2], [0]]
    assert joined.above(0.6).labels.tolist() == [[1, 2, -1], [2, -1, -1], [-1, -1, -1]]
    assert Ranking.joined([], 3).labels.shape == (0, 3)


def test_as_a_matrix() -> None:
    ranking = Ranking.from_dense(SCORES, 2).above(0.2)
    assert ranking.csr(5).toarray().tolist() == [[0, *SCORES[0, 1:3], 0, 0], [0.5, 0, SCORES[1, 2], 0, 0], [0] * 5]
    assert ranking.csr(5, scores=False).toarray().tolist() == [[0, 1, 1, 0, 0], [1, 0, 1, 0, 0], [0] * 5]


def test_shapes_must_agree() -> None:
    with pytest.raises(DataError, match="two matrices of one shape"):
        Ranking(np.zeros((2, 3), np.int32), np.zeros((2, 2), np.float32))
