"""Random walks: along edges only, as often as weights say, and the same in any blocks."""

from itertools import pairwise

import numpy as np
import pytest

from umpteen.kernels.walks import walks

BOUNDS = np.array([0, 2, 4, 7, 8, 8])  # node 4 has no neighbours
NEIGHBOURS = np.array([1, 2, 0, 2, 0, 1, 3, 2], np.int32)
NONE = np.empty(0)
SUMS = np.array([1, 4, 1, 2, 3, 4, 5, 1], float)  # node 0 goes to 2 three times as often as to 1


def from_nodes(starts: np.ndarray, sums: np.ndarray, *, first: int = 0, length: int = 6, seed: int = 3) -> np.ndarray:
    return walks(BOUNDS, NEIGHBOURS, sums, first, starts.astype(np.int32), length, seed)


@pytest.mark.parametrize("sums", [NONE, SUMS])
def test_walks_follow_edges(sums: np.ndarray) -> None:
    starts = np.tile(np.arange(5), 40)
    made = from_nodes(starts, sums)
    assert made.shape == (200, 6)
    assert np.array_equal(made[:, 0], starts)
    for walk in made:
        for one, other in pairwise(walk):
            near = NEIGHBOURS[BOUNDS[one] : BOUNDS[one + 1]]
            assert other in near or (not len(near) and one == other)
    assert (made[starts == 4] == 4).all()


@pytest.mark.parametrize(("sums", "share"), [(NONE, 0.5), (SUMS, 0.75)])
def test_steps_are_as_frequent_as_weights_say(sums: np.ndarray, share: float) -> None:
    made = from_nodes(np.zeros(20_000), sums, length=2)
    assert np.mean(made[:, 1] == 2) == pytest.approx(share, abs=0.015)


def test_blocks_do_not_matter_and_seeds_do() -> None:
    starts = np.tile(np.arange(5), 20)
    whole = from_nodes(starts, NONE)
    parts = np.concatenate([from_nodes(starts[:37], NONE), from_nodes(starts[37:], NONE, first=37)])
    assert np.array_equal(whole, parts)
    assert not np.array_equal(whole, from_nodes(starts, NONE, seed=4))
    assert len(np.unique(from_nodes(np.zeros(50), NONE, length=20), axis=0)) > 45  # no two walks draw the same
