"""An LSTM that has learnt reads documents: faster than where gradients are wanted, and exact for each.

A word's share in the gates is the same wherever it stands, so it is given; a document costs nothing beyond its end.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from umpteen.kernels.cells import GATES, LEVELS, MANY, SOME, read_many, read_one, read_some
from umpteen.kernels.lanes import LANES

_SUM = 2**31 - 1  # the largest whole number of 32 bits
_LARGEST = 2**15 - 1


def units(hidden: int) -> int:
    """Cells of a direction, rounded up to whole blocks."""
    return -(-hidden // LANES) * LANES


def blocked(rows: NDArray[Any], hidden: int) -> NDArray[Any]:
    """Rows of gates (4 * hidden, ...) as blocks of sixteen cells, (blocks, 4, 16, ...), zero where there is no cell."""
    made = np.zeros((GATES, units(hidden), *rows.shape[1:]), rows.dtype)
    made[:, :hidden] = rows.reshape(GATES, hidden, *rows.shape[1:])
    return np.ascontiguousarray(made.reshape(GATES, -1, LANES, *rows.shape[1:]).swapaxes(0, 1))


def packed(weights: NDArray[np.float32], hidden: int) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """Weights of last states (4 * hidden, hidden) as whole numbers in the order they are read, and their scales.

    As large as they may be for sums to stay below 32 bits, whatever the states.
    """
    wide = np.zeros((len(weights), units(hidden)), np.float64)
    wide[:, :hidden] = weights
    sums, largest = np.abs(wide).sum(axis=1), np.abs(wide).max(axis=1)
    room = _SUM / LEVELS - wide.shape[1]  # what rounding may add is left free
    scale = np.minimum(room / np.maximum(sums, 1e-30), _LARGEST / np.maximum(largest, 1e-30))
    whole = blocked(np.rint(wide * scale[:, None]).astype(np.int16), hidden)  # (blocks, 4, 16, units)
    pairs = whole.reshape(*whole.shape[:3], -1, 2).transpose(0, 3, 1, 2, 4)  # (blocks, units / 2, 4, 16, 2)
    return np.ascontiguousarray(pairs).ravel(), blocked((1 / (scale * LEVELS)).astype(np.float32), hidden).ravel()


@njit(cache=True, nogil=True)
def read(weights, scales, given, words, firsts, sizes, hidden, backwards, states):
    """Fill states (places, 2 * hidden) of documents at places firsts[d] to firsts[d] + sizes[d], longest first.

    The word at a place brings given[words[place]] to the gates of both directions, in blocks; `backwards` says
    which of the two is read.
    """
    width = scales.shape[0]
    padded, count = width // GATES, -(-firsts.shape[0] // MANY) * MANY
    told, tells = np.zeros(count * padded, np.int16), np.zeros(count * padded, np.int16)
    memory, said = np.zeros(count * padded, np.float32), np.zeros(count * padded, np.float32)
    places, rows = np.zeros(count, np.int64), np.zeros(count, np.int64)
    starts = np.arange(count) * padded  # read, not reckoned, by cells: else LLVM derives each address from the last
    arrays = weights, scales, given.reshape(-1), rows, starts, memory, said
    active = firsts.shape[0]
    for step in range(sizes[0]):
        while sizes[active - 1] <= step:
            active -= 1
        for d in range(active):
            places[d] = firsts[d] + (sizes[d] - 1 - step if backwards else step)
            rows[d] = (2 * words[places[d]] + backwards) * width
        for block in range(padded // LANES):
            d = 0
            while d < active:  # beyond, documents that have ended go along
                if active - d > SOME:
                    read_many(arrays, told, tells, padded, block, d)
                    d += MANY
                elif active - d > 1:
                    read_some(arrays, told, tells, padded, block, d)
                    d += SOME
                else:
                    read_one(arrays, told, tells, padded, block, d)
                    d += 1
        for d in range(active):
            for unit in range(hidden):
                states[places[d], backwards * hidden + unit] = said[d * padded + unit]
        told, tells = tells, told
