"""Words in the order of the text, as their numbers in a table of words: what models that read sequences start from."""

import numpy as np
from numba import njit

from umpteen.kernels.room import wider
from umpteen.kernels.words import find, scan, word_key


@njit(cache=True, nogil=True)
def numbered(data, bounds, kind, lower, table, numbers, most):
    """The numbers of each document's first `most` words behind each other, and their bounds.

    A word that the table does not have is -1, and so is a document without words.
    """
    room = 0
    for row in range(len(bounds) - 1):
        room = max(room, bounds[row + 1] - bounds[row])
    letters = np.empty(2 * room + 8, np.int32)
    hashes = np.empty(min(most, room // 2 + 2), np.uint64)
    offsets = np.empty((2, len(hashes)), np.int64)
    spans = np.empty((len(hashes), 2), np.int64)
    found = np.empty(1024, np.int32)
    ends = np.zeros(len(bounds), np.int64)
    written = 0
    for row in range(len(bounds) - 1):
        count = scan(data, bounds[row], bounds[row + 1], kind, lower, 1, letters, hashes, offsets[0], offsets[1], spans)
        if written + count + 1 > len(found):
            found = wider(found, 2 * (written + count + 1))
        found[written] = -1
        for word in range(count):
            key = word_key(hashes[word])
            place = find(table, key)
            found[written + word] = numbers[place] if table[place] == key else -1
        written += max(1, count)
        ends[row + 1] = written
    return found[:written].copy(), ends


@njit(cache=True, nogil=True)
def places(data, kind, lower, least=1):
    """Where the words of a single document stand, of `least` letters or more: (byte from, byte to) rows."""
    room = len(data) // 2 + 2
    letters = np.empty(2 * len(data) + 8, np.int32)
    offsets = np.empty((2, room), np.int64)
    spans = np.empty((room, 2), np.int64)
    hashes = np.empty(room, np.uint64)
    count = scan(data, 0, len(data), kind, lower, least, letters, hashes, offsets[0], offsets[1], spans)
    return spans[:count]
