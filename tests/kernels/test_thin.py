"""Rows of a table that a step saw: their gradients' sums and Adam's step, beside the literal formulas."""

from itertools import pairwise

import numpy as np
import pytest

from umpteen.kernels import thin


def test_rows_that_occur_stand_with_their_places_in_order():
    seen, bounds, places = thin.grouped(np.array([5, 2, 5, 0, 2, 5]), 7)
    assert seen.tolist() == [0, 2, 5]
    assert [places[a:b].tolist() for a, b in pairwise(bounds)] == [[3], [1, 4], [0, 2, 5]]


def test_no_rows_at_all():
    seen, bounds, places = thin.grouped(np.empty(0, np.int64), 3)
    assert (seen.tolist(), bounds.tolist(), places.tolist()) == ([], [0], [])


@pytest.mark.parametrize("jobs", [1, 3])
def test_sums_are_those_of_the_formula(jobs):
    random = np.random.default_rng(0)
    rows, owners = random.integers(0, 2000, 9000), random.integers(0, 40, 9000)
    values, slopes = random.random(9000, np.float32), random.standard_normal((40, 33)).astype(np.float32)
    wanted = np.zeros((2000, 33))
    np.add.at(wanted, rows, values[:, None] * slopes[owners])
    seen, bounds, places = thin.grouped(rows, 2000)
    found = thin.summed(bounds, places, owners, values, slopes, jobs=jobs)
    np.testing.assert_allclose(found, wanted[seen], rtol=1e-4, atol=1e-5)


def test_sums_are_the_same_on_any_number_of_threads():
    random = np.random.default_rng(1)
    rows, owners = random.integers(0, 3000, 9000), random.integers(0, 40, 9000)
    values, slopes = random.random(9000, np.float32), random.standard_normal((40, 33)).astype(np.float32)
    _, bounds, places = thin.grouped(rows, 3000)
    one, four = (thin.summed(bounds, places, owners, values, slopes, jobs=jobs) for jobs in (1, 4))
    assert np.array_equal(one, four)


def test_a_step_of_adam_moves_the_rows_with_a_gradient_only():
    random = np.random.default_rng(2)
    table, means = random.standard_normal((2, 50, 7)).astype(np.float32)
    squares, gradients = random.random((50, 7), np.float32), random.standard_normal((3, 7)).astype(np.float32)
    rows, before = np.array([4, 20, 49]), (table.copy(), means.copy(), squares.copy())
    thin.moved(table, means, squares, rows, gradients, betas=(0.9, 0.99), rate=0.1, least=1e-3, jobs=1)
    mean = 0.9 * before[1][rows] + 0.1 * gradients
    square = 0.99 * before[2][rows] + 0.01 * gradients**2
    np.testing.assert_allclose(means[rows], mean, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(squares[rows], square, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(
        table[rows], before[0][rows] - 0.1 * mean / (np.sqrt(square) + 1e-3), rtol=1e-4, atol=1e-5
    )
    others = np.setdiff1d(np.arange(50), rows)
    for now, then in zip((table, means, squares), before, strict=True):
        assert np.array_equal(now[others], then[others])


@pytest.mark.parametrize("jobs", [1, 3])
def test_products_are_those_of_the_formula(jobs):
    random = np.random.default_rng(3)
    table, views = (
        random.standard_normal((20, 33)).astype(np.float32),
        random.standard_normal((5, 33)).astype(np.float32),
    )
    rows = random.integers(0, 20, (5, 9))
    wanted = np.einsum("dpw,dw->dp", table[rows], views)
    np.testing.assert_allclose(thin.dots(table, rows, views, jobs=jobs), wanted, rtol=1e-4, atol=1e-5)
