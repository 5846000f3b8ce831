"""Sixteen numbers at a time against one by one."""

import numpy as np
import pytest
from numba import njit

from umpteen.kernels.lanes import LANES, step_lanes, sweep_lanes


@njit
def stepped(dots, bias, alpha, diagonal, live, limit, high, low, by, mask, square):
    return step_lanes(dots, bias, alpha, diagonal, live, limit, high, low, by, mask, square)


@njit
def swept(sums, entries, first, count, code, step, low):
    sweep_lanes(sums, entries, first, count, code, step, low)


def literal(dots, bias, alpha, diagonal, live, limit, high, low, by, mask, square):
    """What liblinear does to one document (squared hinge), lane by lane."""
    needed = moved = False
    for lane in range(LANES):
        sign = 1 if mask >> lane & 1 else -1
        slope = sign * (dots[lane] + bias[lane]) - 1 + alpha[lane] * diagonal[lane]
        pushed = slope if alpha[lane] > 0 else min(slope, 0)
        high[lane], low[lane] = max(high[lane], pushed), min(low[lane], pushed)
        needed |= bool(live[lane]) and (alpha[lane] > 0 or slope <= limit[lane])
        new = max(alpha[lane] - slope / (square + diagonal[lane]), 0)
        step = (new - alpha[lane]) * live[lane]
        alpha[lane] += step
        bias[lane] += sign * step
        by[lane] = sign * step
        moved |= abs(step) > 1e-9
    return needed + 2 * moved


@pytest.mark.parametrize("still", ["none", "some", "all"])
def test_a_step_of_the_solver_is_the_literal_one_in_each_lane(still: str) -> None:
    random = np.random.default_rng(0)
    told = set()
    for _ in range(50):
        draw = random.normal(size=(9, LANES)).astype(np.float32)
        draw[2] = np.maximum(draw[2], 0)  # alpha
        draw[3] = 0.5  # diagonal
        draw[4] = {"none": np.ones(LANES), "some": random.random(LANES) < 0.5, "all": np.zeros(LANES)}[still]
        mask, square = np.uint16(random.integers(1 << 16)), np.float32(2.5)
        ours, theirs = draw.copy(), draw.astype(np.float64)
        answer = stepped(*ours, mask, square)
        assert answer == literal(*theirs, int(mask), 2.5)
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)
        told.add(answer)
    assert told == ({0} if still == "all" else {3})


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("kind", [np.uint16, np.uint32])
def test_a_sweep_adds_the_lower_bits_of_each_entry(kind: type, count: int) -> None:
    entries = np.random.default_rng(0).integers(1 << 16, size=80).astype(kind)
    sums = np.ones(64, np.float32)
    swept(sums, entries, 5, count, np.int32(255), np.float32(0.5), np.float32(-2))
    expected = np.ones(64)
    expected[: 16 * count] += 0.5 * (entries[5 : 5 + 16 * count] & 255) - 2
    np.testing.assert_allclose(sums, expected)
