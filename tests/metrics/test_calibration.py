import numpy as np
import pytest
from scipy import sparse

from umpteen.core.ranking import Ranking
from umpteen.metrics.calibration import Reliability


def test_error_is_the_literal_formula() -> None:
    random = np.random.default_rng(0)
    scores, right = random.random(500), random.random(500) < 0.3
    total = 0.0
    for low in np.arange(15) / 15:
        inside = (scores >= low) & (scores < low + 1 / 15)
        if inside.any():
            total += inside.sum() / 500 * abs(scores[inside].mean() - right[inside].mean())
    assert Reliability.of(scores, right).error == pytest.approx(total)


def test_sure_and_right_is_without_error() -> None:
    assert Reliability.of([1.0, 1.0, 0.0], [True, True, False]).error == 0
    assert Reliability.of([1.0], [False]).error == 1
    assert Reliability.of([], []).error == 0


def test_only_the_first_k_that_are_there_count() -> None:
    ranking = Ranking(np.array([[0, 1], [1, -1]], np.int32), np.array([[0.9, 0.2], [0.5, 0.0]], np.float32))
    Y = sparse.csr_array(np.array([[1, 0], [0, 1]]))
    found = Reliability.at(ranking, Y, k=2)
    assert found.count.sum() == 3
    assert found.error == pytest.approx((0.1 + 0.2 + 0.5) / 3)
    assert Reliability.at(ranking, Y, k=1).error == pytest.approx((0.1 + 0.5) / 2)
