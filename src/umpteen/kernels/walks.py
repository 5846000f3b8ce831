"""Random walks on a graph: every walk draws from its own seed, so that threads never change where it goes."""

import numpy as np
from numba import njit

_ABREAST = 64  # walks
_STEP = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True)
def _mixed(state):
    """Sixty-four bits that look random, of a counter that does not (splitmix64)."""
    z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(cache=True, nogil=True)
def _share(state):
    """A number from 0 to below 1."""
    return np.float64(_mixed(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(cache=True, nogil=True)
def _place(sums, start, end, wanted):
    """The first place from `start` whose running sum is above `wanted`."""
    low, high = start, end - 1
    while low < high:
        middle = (low + high) // 2
        if sums[middle] > wanted:
            high = middle
        else:
            low = middle + 1
    return low


@njit(cache=True, nogil=True)
def walks(bounds, neighbours, sums, first, starts, length, seed):
    """Walks of `length` nodes from each of `starts`, (walks, length); a node without neighbours stays where it is.

    `sums` are the running sums of each node's edge weights, empty where all weigh the same. Walk `n` here is walk
    `first + n` of all, and draws the same numbers whichever block it is in. Walks go abreast, so that memory is asked
    for many of them at a time.
    """
    made = np.empty((len(starts), length), np.int32)
    states = np.empty(len(starts), np.uint64)
    for walk in range(len(starts)):
        states[walk] = _mixed(np.uint64(seed) * _STEP + np.uint64(first + walk))
        made[walk, 0] = starts[walk]
    for low in range(0, len(starts), _ABREAST):
        for at in range(1, length):
            for walk in range(low, min(low + _ABREAST, len(starts))):
                node = made[walk, at - 1]
                start, end = bounds[node], bounds[node + 1]
                if end > start:
                    states[walk] += _STEP
                    share = _share(states[walk])
                    if len(sums):
                        node = neighbours[_place(sums, start, end, share * sums[end - 1])]
                    else:
                        node = neighbours[start + np.int64(share * (end - start))]
                made[walk, at] = node
    return made
