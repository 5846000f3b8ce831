"""The nearest rows of a sparse matrix, exactly; and the labels they vote for."""

import numpy as np
from numba import njit

from umpteen.kernels.best import best_sums, fall, insert


@njit(cache=True, nogil=True)
def _multiply(columns, values, in_bounds, in_rows, in_values, wanted, sums):
    """Add the products of one row, by wanted columns, with all rows of a matrix that is given by columns."""
    for at in range(len(columns)):
        column = columns[at]
        if wanted[column]:
            weight = values[at]
            for place in range(in_bounds[column], in_bounds[column + 1]):
                sums[in_rows[place]] += weight * in_values[place]


@njit(cache=True, nogil=True)
def likeness(q_bounds, q_columns, q_values, in_bounds, in_rows, in_values, wanted, products):
    """Make products ((1 + product) / 2)^4, where those by wanted columns are still to be added, (queries, rows)."""
    half = np.float32(0.5)
    for query in range(len(products)):
        part = slice(q_bounds[query], q_bounds[query + 1])
        sums = products[query]
        _multiply(q_columns[part], q_values[part], in_bounds, in_rows, in_values, wanted, sums)
        for row in range(len(sums)):
            value = half + half * sums[row]
            value *= value
            sums[row] = value * value


@njit(cache=True, nogil=True)
def nearest(q_bounds, q_columns, q_values, in_bounds, in_rows, in_values, wanted, products, k):
    """The k rows with the largest products with each query row: numbers (queries, k), -1 for none, and products.

    The matrix is given by columns: which of its rows have the column, with which value. `products` (queries, rows)
    are those by columns that are not wanted any more. The products of a query stay in the cache, so this runs at
    about a nanosecond for each value read.
    """
    queries = len(products)
    found = np.full((queries, k), -1, np.int32)
    largest = np.zeros((queries, k), np.float32)
    for query in range(queries):
        part = slice(q_bounds[query], q_bounds[query + 1])
        sums = products[query]
        _multiply(q_columns[part], q_values[part], in_bounds, in_rows, in_values, wanted, sums)
        kept = 0
        worst = np.float32(0)
        for row in range(len(sums)):
            if sums[row] > worst:
                kept = insert(found[query], largest[query], kept, k, row, sums[row])
                if kept == k:
                    worst = largest[query, 0]
        fall(found[query], largest[query], kept)
    return found, largest


@njit(cache=True, nogil=True)
def votes(found, products, y_bounds, y_labels, power, k):
    """The k labels with the largest share of their neighbours' votes, each vote a similarity to some power."""
    queries, size = found.shape
    labels = np.full((queries, k), -1, np.int32)
    scores = np.zeros((queries, k), np.float32)
    for query in range(queries):
        room = 0
        for place in range(size):
            row = found[query, place]
            if row >= 0:
                room += y_bounds[row + 1] - y_bounds[row]
        names = np.empty(room, np.int64)
        cast = np.empty(room, np.float64)
        count = 0
        total = 0.0
        for place in range(size):
            row = found[query, place]
            if row < 0 or products[query, place] <= 0:
                continue
            vote = products[query, place] ** power
            total += vote
            for at in range(y_bounds[row], y_bounds[row + 1]):
                names[count] = y_labels[at]
                cast[count] = vote
                count += 1
        best_sums(names[:count], cast, total, labels[query], scores[query])
    return labels, scores
