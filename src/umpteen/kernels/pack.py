"""Weights sorted by feature, node and child, and the rows they form."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _by(keys, order, size):
    """`order` rearranged so that keys[order] rises; equal keys keep their places."""
    starts = np.zeros(size + 1, np.int64)
    for key in keys:
        starts[key + 1] += 1
    for key in range(size):
        starts[key + 1] += starts[key]
    made = np.empty_like(order)
    for place in order:
        key = keys[place]
        made[starts[key]] = place
        starts[key] += 1
    return made


@njit(cache=True, nogil=True)
def sort(features, children, weights, width, most):
    """The triples ordered by feature, then child."""
    order = _by(features, _by(children, np.arange(len(features)).astype(np.uint32), most), width)
    return features[order], children[order], weights[order]


@njit(cache=True, nogil=True)
def counted(features, width):
    """How many weights each feature has."""
    counts = np.zeros(width, np.int64)
    for feature in features:
        counts[feature] += 1
    return counts


@njit(cache=True, nogil=True)
def between(features, children, weights, low, high):
    """The triples of the features from `low` to `high`, which count from `low`."""
    size = 0
    for feature in features:
        size += low <= feature < high
    found = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.float32)
    made = 0
    for entry in range(len(features)):
        if low <= features[entry] < high:
            found[0][made] = features[entry] - low
            found[1][made] = children[entry]
            found[2][made] = weights[entry]
            made += 1
    return found


@njit(cache=True, nogil=True)
def fill(features, children, weights, starts, share):
    """The same triples with zeros added to rows that have this `share` of their children: read in whole sweeps."""
    node_of = _nodes(starts)
    size = 0
    for counting in range(2):
        if counting == 1:
            new_features, new_children, new_weights = (
                np.empty(size, np.int32),
                np.empty(size, np.int32),
                np.empty(size, np.float32),
            )
        size = 0
        entry = 0
        while entry < len(features):
            node = node_of[children[entry]]
            last = entry + 1
            while last < len(features) and features[last] == features[entry] and children[last] < starts[node + 1]:
                last += 1
            below = starts[node + 1] - starts[node]
            full = last - entry >= share * below
            if counting == 0:
                size += below if full else last - entry
            elif full:
                new_features[size : size + below] = features[entry]
                new_weights[size : size + below] = 0
                for child in range(below):
                    new_children[size + child] = starts[node] + child
                for at in range(entry, last):
                    new_weights[size + children[at] - starts[node]] = weights[at]
                size += below
            else:
                for at in range(entry, last):
                    new_features[size], new_children[size], new_weights[size] = features[at], children[at], weights[at]
                    size += 1
            entry = last
    return new_features, new_children, new_weights


@njit(cache=True, nogil=True)
def _nodes(starts):
    """The node of each child."""
    node_of = np.empty(starts[-1], np.int32)
    for node in range(len(starts) - 1):
        node_of[starts[node] : starts[node + 1]] = node
    return node_of


@njit(cache=True, nogil=True)
def rows(features, children, starts, width):
    """Rows of entries with the same feature and node: (first entry, node) of each, and each feature's first row.

    `starts` has the first child of each node and one more. Also returned: each entry's child counted from its node's
    first.
    """
    node_of = _nodes(starts)
    firsts = np.zeros(width + 1, np.int64)
    begins = np.empty(len(features), np.int64)
    nodes = np.empty(len(features), np.int32)
    lanes = np.empty(len(features), np.int32)
    count = 0
    for entry in range(len(features)):
        node = node_of[children[entry]]
        lanes[entry] = children[entry] - starts[node]
        if entry == 0 or features[entry] != features[entry - 1] or node != nodes[count - 1]:
            begins[count] = entry
            nodes[count] = node
            count += 1
            firsts[features[entry] + 1] += 1
    for feature in range(width):
        firsts[feature + 1] += firsts[feature]
    return begins[:count].copy(), nodes[:count].copy(), firsts, lanes


@njit(cache=True, nogil=True)
def bitmaps(firsts, nodes, mapped, size):
    """For each mapped feature a bitmap of `size` words over its nodes, and how many stand before each word."""
    count = 0
    for feature in range(len(mapped)):
        count += mapped[feature]
    words = np.zeros((count, size), np.uint64)
    ranks = np.zeros((count, size), np.int32)
    lists = np.empty(len(nodes), np.int32)
    listed = 0
    at = 0
    for feature in range(len(mapped)):
        for row in range(firsts[feature], firsts[feature + 1]):
            if mapped[feature]:
                words[at, nodes[row] >> 6] |= np.uint64(1) << np.uint64(nodes[row] & 63)
                for word in range((nodes[row] >> 6) + 1, size):
                    ranks[at, word] += 1
            else:
                lists[listed] = nodes[row]
                listed += 1
        at += mapped[feature]
    return words, ranks, lists[:listed].copy()


@njit(cache=True, nogil=True)
def unpack(weights, layer):
    """The (feature, child, weight) triples of a packed layer."""
    features, words, lists, bases, rests, entries, scales, layers, packing, starts = weights
    shift, bits = packing[0], packing[1]
    base = layers[layer, 1]
    first_row, last_row = np.int64(features[0, layer, 0]), np.int64(features[len(features) - 1, layer, 0])
    size = first_entry(bases, rests, shift, last_row) - first_entry(bases, rests, shift, first_row)
    found = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.float32)
    made = 0
    for feature in range(len(features) - 1):
        row = np.int64(features[feature, layer, 0])
        kind = np.int64(features[feature, layer, 1])
        place = -kind - 1
        node = -1
        for number in range(row, np.int64(features[feature + 1, layer, 0])):
            if kind >= 0:
                node += 1
                while not (words[kind + (node >> 6), 0] >> np.uint64(node & 63)) & np.uint64(1):
                    node += 1
            else:
                node = np.int64(lists[place + number - row])
            for entry in range(first_entry(bases, rests, shift, number), first_entry(bases, rests, shift, number + 1)):
                packed = np.int64(entries[entry])
                value = scales[layer, 0] * np.float32(packed & ((1 << bits) - 1)) + scales[layer, 1]
                if value != 0:
                    found[0][made] = feature
                    found[1][made] = starts[base + node] + (packed >> bits)
                    found[2][made] = value
                    made += 1
    return found[0][:made], found[1][:made], found[2][:made]


@njit(cache=True, nogil=True)
def first_entry(bases, rests, shift, row):
    """Where a packed row's entries begin, and those of the row before it end."""
    return np.int64(bases[row >> shift]) + np.int64(rests[row])
