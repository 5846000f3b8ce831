"""Dropping: some of many numbers become zero, at random by a seed; which ones can be told again from the seed alone."""

import numpy as np
from numba import njit

LEVELS = 1 << 16  # a share is rounded to so many parts

_STEP = np.uint64(0x9E3779B97F4A7C15)  # splitmix64 mixes multiples of it
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_LANE, _MASK = np.uint64(16), np.uint64(LEVELS - 1)  # bits that a number gets


@njit(cache=True, nogil=True)
def _mixed(state):
    """64 random bits (splitmix64)."""
    state = (state ^ (state >> np.uint64(30))) * _FIRST
    state = (state ^ (state >> np.uint64(27))) * _SECOND
    return state ^ (state >> np.uint64(31))


@njit(cache=True, nogil=True)
def kept(given, seed, least, out):
    """Fill `out` with the numbers given, as bits, but 0 for those whose 16 random bits are below `least`.

    Four numbers share 64 random bits; they stand a quarter apart, so that neighbours can be computed at once.
    """
    size = given.shape[0]
    quarter = (size + 3) // 4
    least = np.uint64(least)
    for at in range(quarter):
        bits = _mixed(np.uint64(seed) + np.uint64(at + 1) * _STEP)
        for part in range(4):
            place = part * quarter + at
            if place < size:
                stays = ((bits >> (np.uint64(part) * _LANE)) & _MASK) >= least
                out[place] = given[place] if stays else 0
