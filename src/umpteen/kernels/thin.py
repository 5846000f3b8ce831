"""Thin gradients: of a large table a step changes only the rows it saw; these are summed and moved in one pass each."""

from collections.abc import Callable

import numpy as np
from numba import njit
from numpy.typing import NDArray

from umpteen.kernels.threads import each, ranges

Reals = NDArray[np.float32]
Places = NDArray[np.int64]
Block = tuple[int, int]

_BLOCK = 512  # rows that are worth a thread


@njit(cache=True, nogil=True)
def grouped(rows, size):
    """The rows that occur, rising; where each begins in the third array; the places of its occurrences, in order."""
    starts = np.zeros(size + 1, np.int64)
    for row in rows:
        starts[row + 1] += 1
    found = 0
    for row in range(size):
        if starts[row + 1]:
            found += 1
        starts[row + 1] += starts[row]
    seen, bounds = np.empty(found, np.int64), np.empty(found + 1, np.int64)
    at = 0
    for row in range(size):
        if starts[row + 1] > starts[row]:
            seen[at], bounds[at] = row, starts[row]
            at += 1
    bounds[found] = len(rows)
    places = np.empty(len(rows), np.int64)
    for place in range(len(rows)):
        row = rows[place]
        places[starts[row]] = place
        starts[row] += 1
    return seen, bounds, places


@njit(cache=True, nogil=True, fastmath={"contract"})
def _summed(start, end, bounds, places, owners, values, slopes, out):
    for row in range(start, end):
        total = out[row]
        for at in range(bounds[row], bounds[row + 1]):
            place = places[at]
            value, slope = values[place], slopes[owners[place]]
            for column in range(total.shape[0]):
                total[column] += value * slope[column]


def summed(bounds: Places, places: Places, owners: Places, values: Reals, slopes: Reals, *, jobs: int) -> Reals:
    """For each group of places the sum of values[place] * slopes[owners[place]], (groups, width)."""
    out = np.zeros((len(bounds) - 1, slopes.shape[1]), np.float32)

    def block(part: Block) -> None:
        _summed(*part, bounds, places, owners, values, slopes, out)

    _do(block, len(out), jobs)
    return out


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def _dots(start, end, table, rows, views, out):
    for document in range(start, end):
        view = views[document]
        for place in range(rows.shape[1]):
            weights, total = table[rows[document, place]], np.float32(0)
            for column in range(view.shape[0]):
                total += weights[column] * view[column]
            out[document, place] = total


def dots(table: Reals, rows: Places, views: Reals, *, jobs: int) -> Reals:
    """Products of each document's own rows of a table, (documents, places), with its view, (documents, width)."""
    out = np.empty(rows.shape, np.float32)

    def block(part: Block) -> None:
        _dots(*part, table, rows, views, out)

    _do(block, len(out), jobs, least=1)
    return out


@njit(cache=True, nogil=True, fastmath={"contract"}, error_model="numpy")
def _moved(start, end, table, means, squares, rows, gradients, keep_mean, keep_square, rate, least):
    for at in range(start, end):
        row, gradient = rows[at], gradients[at]
        weight, mean, square = table[row], means[row], squares[row]
        for column in range(gradient.shape[0]):
            g = gradient[column]
            mean[column] += (np.float32(1) - keep_mean) * (g - mean[column])
            square[column] += (np.float32(1) - keep_square) * (g * g - square[column])
            weight[column] -= rate * mean[column] / (np.sqrt(square[column]) + least)


def moved(
    table: Reals,
    means: Reals,
    squares: Reals,
    rows: Places,
    gradients: Reals,
    *,
    betas: tuple[float, float],
    rate: float,
    least: float,
    jobs: int,
) -> None:
    """Adam's step in place, for the rows that have a gradient; `rate` includes the correction of the moments."""
    numbers = [np.float32(number) for number in (*betas, rate, least)]

    def block(part: Block) -> None:
        _moved(*part, table, means, squares, rows, gradients, *numbers)

    _do(block, len(rows), jobs)


def _do(block: Callable[[Block], None], total: int, jobs: int, least: int = _BLOCK) -> None:
    for _ in each(block, ranges(total, max(least, -(-total // jobs))), jobs=jobs):
        pass
