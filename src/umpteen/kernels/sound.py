"""Whether packed weights lead nowhere but into their own arrays, so that the beam search can trust them."""

import numpy as np
from numba import njit

from umpteen.kernels.pack import first_entry


@njit(cache=True, nogil=True)
def is_sound(features, words, lists, bases, rests, entries, layers, packing, starts, labels):
    """Whether every place that `search` and `unpack` will read lies inside; `labels` is how many there are."""
    shift, bits = packing[0], packing[1]
    if not 0 <= shift < 32 or not 0 < bits < 31 or len(rests) == 0 or (len(rests) - 1) >> shift >= len(bases):
        return False
    if len(layers) == 0 or len(features) < 2 or features.shape[1] != len(layers) or layers[0, 0] < 1:
        return False
    before = np.int64(0)
    for row in range(len(rests)):
        first = first_entry(bases, rests, shift, row)
        if first < before or first > len(entries):
            return False
        before = first
    for layer in range(len(layers)):
        below = layers[layer + 1, 0] if layer + 1 < len(layers) else labels
        if not _nodes_are_sound(layers[layer], starts, below):
            return False
        if not _rows_are_sound(features, words, lists, len(rests) - 1, layer, layers[layer, 0]):
            return False
        if not _entries_are_sound(features, bases, rests, entries, shift, bits, layer, layers[layer, 2]):
            return False
    return True


@njit(cache=True, nogil=True)
def _nodes_are_sound(layer, starts, below):
    """Whether a layer's nodes have children among those `below`, and none more than is said."""
    nodes, base, most = layer[0], layer[1], layer[2]
    if nodes < 1 or base < 0 or base + nodes >= len(starts) or starts[base] != 0:
        return False
    if starts[base + nodes] > below or not 0 <= most <= below:
        return False
    children = starts[base + 1 : base + nodes + 1] - starts[base : base + nodes]
    return children.min() >= 0 and children.max() <= most


@njit(cache=True, nogil=True)
def _rows_are_sound(features, words, lists, rows, layer, nodes):
    """Whether each feature's rows, and the nodes they belong to, are there."""
    size = (nodes + 63) >> 6
    for feature in range(len(features) - 1):
        row, after = np.int64(features[feature, layer, 0]), np.int64(features[feature + 1, layer, 0])
        kind = np.int64(features[feature, layer, 1])
        if row < 0 or after < row or after > rows:
            return False
        if kind >= 0:
            if kind + size > len(words) or not _bitmap_is_sound(words, kind, size, nodes, after - row):
                return False
        else:
            first = -kind - 1
            if first + after - row > len(lists):
                return False
            for place in range(first, first + after - row):  # rising: the search has room for each node once
                if lists[place] >= nodes or (place > first and lists[place] <= lists[place - 1]):
                    return False
    return True


@njit(cache=True, nogil=True)
def _bitmap_is_sound(words, kind, size, nodes, rows):
    """Whether a bitmap has a bit for each row, none beyond the last node, and right running counts."""
    count = np.int64(0)
    for word in range(size):
        if np.int64(words[kind + word, 1]) != count:
            return False
        bits = words[kind + word, 0]
        left = nodes - (word << 6)
        if left < 64 and bits >> np.uint64(left):
            return False
        while bits:
            bits &= bits - np.uint64(1)
            count += 1
    return count == rows


@njit(cache=True, nogil=True)
def _entries_are_sound(features, bases, rests, entries, shift, bits, layer, most):
    """Whether a layer's entries stand for children that its nodes can have."""
    first = first_entry(bases, rests, shift, np.int64(features[0, layer, 0]))
    last = first_entry(bases, rests, shift, np.int64(features[len(features) - 1, layer, 0]))
    highest = np.int64(0)
    for entry in range(first, last):
        highest = max(highest, np.int64(entries[entry]))
    return last == first or (highest >> bits) < most
