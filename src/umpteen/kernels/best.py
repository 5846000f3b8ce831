"""The best k of many: a heap with the worst on top, equal scores in the order of ids."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _worse(ids, scores, one, other):
    """Whether one answer stands behind another: a lower score, or the same and a higher id."""
    return scores[one] < scores[other] or (scores[one] == scores[other] and ids[one] > ids[other])


@njit(cache=True, nogil=True)
def _swap(ids, scores, one, other):
    ids[one], ids[other] = ids[other], ids[one]
    scores[one], scores[other] = scores[other], scores[one]


@njit(cache=True, nogil=True)
def _sink(ids, scores, at, count):
    """Restore a heap, worst first, below place `at`."""
    while 2 * at + 1 < count:
        child = 2 * at + 1
        if child + 1 < count and _worse(ids, scores, child + 1, child):
            child += 1
        if not _worse(ids, scores, child, at):
            return
        _swap(ids, scores, at, child)
        at = child


@njit(cache=True, nogil=True)
def insert(ids, scores, kept, most, new, score):
    """Put one more into a heap of the `most` best, the worst of them first; returns how many are in it."""
    if kept == most:
        if score < scores[0] or (score == scores[0] and new > ids[0]):
            return kept
        ids[0], scores[0] = new, score
        _sink(ids, scores, 0, kept)
        return kept
    at = kept
    ids[at], scores[at] = new, score
    while at > 0 and _worse(ids, scores, at, (at - 1) // 2):
        _swap(ids, scores, at, (at - 1) // 2)
        at = (at - 1) // 2
    return kept + 1


@njit(cache=True, nogil=True)
def fall(ids, scores, count):
    """Sort a heap so that it falls."""
    for last in range(count - 1, 0, -1):
        _swap(ids, scores, 0, last)
        _sink(ids, scores, 0, last)


@njit(cache=True, nogil=True)
def best_sums(ids, values, divisor, best, worth):
    """Fill `best` and `worth` with the ids whose values add up to most, falling; sums are divided by `divisor`."""
    order = np.argsort(ids, kind="mergesort")
    kept = 0
    at = 0
    while at < len(ids):
        one = ids[order[at]]
        total = 0.0
        while at < len(ids) and ids[order[at]] == one:
            total += values[order[at]]
            at += 1
        kept = insert(best, worth, kept, len(best), one, np.float32(total / divisor))
    fall(best, worth, kept)
