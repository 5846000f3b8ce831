"""How many of a document's first labels to give, so that its F1 can be expected to be highest.

The labels' probabilities are taken for independent of each other. The best set of m labels is then the first m, and
what it can be expected to reach follows from how many true labels there are among the first m and behind them.
"""

import numpy as np

from umpteen.metrics.ranking import Floats

_BLOCK = 1024  # documents at a time


def best_counts(chances: Floats) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """How many labels each document gets, 1 or more; probabilities (documents, k) fall along rows, 0 pads."""
    parts = [expected_f1(chances[at : at + _BLOCK]).argmax(axis=1) + 1 for at in range(0, len(chances), _BLOCK)]
    return np.concatenate(parts).astype(np.int64) if parts else np.zeros(0, np.int64)


def expected_f1(chances: Floats) -> Floats:
    """The F1 to be expected of the first 1, 2, ... k labels, (documents, k)."""
    documents, depth = chances.shape
    behind = [np.ones((documents, 1))]  # chances that 0, 1, ... labels behind the first m are true; m falls from k
    for place in range(depth - 1, 0, -1):
        behind.append(_joined(behind[-1], chances[:, place]))
    first, found = np.ones((documents, 1)), np.empty((documents, depth))
    for place in range(depth):
        first, rest = _joined(first, chances[:, place]), behind[depth - 1 - place]
        right, missed = np.arange(first.shape[1])[:, None], np.arange(rest.shape[1])[None, :]
        found[:, place] = ((first @ (2 * right / (place + 1 + right + missed))) * rest).sum(axis=1)
    return found


def _joined(counts: Floats, chance: Floats) -> Floats:
    """The distribution of a count, with one more label that is true by some chance."""
    more = np.zeros((len(counts), counts.shape[1] + 1))
    more[:, :-1] = counts * (1 - chance[:, None])
    more[:, 1:] += counts * chance[:, None]
    return more
