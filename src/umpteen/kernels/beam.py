"""Down a tree of linear classifiers: the best labels of a document, looking at few of the weights.

The weights of a layer lie by feature: for each feature the nodes that use it, as a sorted list or, where many do, a
bitmap with running counts; and for each of these nodes a row of its children with their weights. So a document's
feature is looked up once for all nodes of the beam. Scores only fall on the way down: nodes are opened from the best,
and those that cannot reach the answers any more stay closed, which changes no answer.

`weights` is a tuple of flat arrays over all layers (`linear/weights.py` makes it).
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from umpteen.kernels.best import best_sums, fall, insert
from umpteen.kernels.lanes import LANES, sweep_lanes
from umpteen.kernels.pack import first_entry

_FIRST = 4  # nodes opened before it is asked whether the others can matter
_AHEAD = 6  # features between a look at memory and its use
_HITS = 256  # rows of weights looked at in one go


@intrinsic
def _ones(context: Any, word: Any) -> Any:
    """How many bits of a 64-bit word are set."""
    return types.uint64(types.uint64), lambda context, builder, signature, args: builder.ctpop(args[0])


@intrinsic
def _fetch(context: Any, array: Any, place: Any) -> Any:
    """Ask for the memory around array[place], which will be read soon."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        address = builder.bitcast(builder.gep(data, [args[1]]), cgutils.voidptr_t)
        whole = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, whole, whole, whole])
        prefetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(prefetch, [address, whole(0), whole(3), whole(1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


@njit(cache=True, nogil=True)
def _gather(weights, layer, columns, values, start, end, bias, nodes, count, sums, room):
    """sums[slot, child] += the classifiers' outputs for the children of `nodes`, which rise.

    `bias` is 1 to count theirs, else 0. Works on a few dozen features at a time, in passes: each asks for the memory
    that the next one reads.
    """
    features, words, lists, bases, rests, entries, scales, layers, packing, starts = weights
    hits, given, slots, where, among = room
    width = len(features) - 2  # the bias is the feature behind all others
    shift, bits = packing[0], packing[1]
    base = layers[layer, 1]
    code = np.int32((1 << bits) - 1)
    used = _among(nodes, count, slots, where, among)
    at = start
    while at < end + bias:
        stop = min(at + len(hits) // count, end + bias)
        for place in range(at, stop):
            if place + _AHEAD < end:
                _fetch(features, columns[place + _AHEAD] * features.shape[1] * 2)
            kind = np.int64(features[columns[place] if place < end else width, layer, 1])
            if kind >= 0:
                _fetch(words, 2 * kind)
            else:
                _fetch(lists, -kind - 1)
        made = 0
        for place in range(at, stop):
            feature = columns[place] if place < end else width
            value = values[place] if place < end else np.float32(1)
            row = np.int64(features[feature, layer, 0])
            kind = np.int64(features[feature, layer, 1])
            if kind >= 0:
                for number in range(used):
                    word = words[kind + where[number], 0]
                    both = word & among[number]
                    while both:
                        low = both & (~both + np.uint64(1))
                        found = (
                            row
                            + np.int64(words[kind + where[number], 1])
                            + np.int64(_ones(word & (low - np.uint64(1))))
                        )
                        _fetch(rests, found)
                        node = (where[number] << 6) + np.int64(_ones(low - np.uint64(1)))
                        hits[made, 0], hits[made, 1], given[made] = found, slots[node], value
                        made += 1
                        both ^= low
            else:
                shift_to = -kind - 1 - row
                for found in range(row, np.int64(features[feature + 1, layer, 0])):
                    slot = slots[lists[found + shift_to]]
                    if slot >= 0:
                        _fetch(rests, found)
                        hits[made, 0], hits[made, 1], given[made] = found, slot, value
                        made += 1
        for hit in range(made):
            row = hits[hit, 0]
            first = first_entry(bases, rests, shift, row)
            hits[hit, 2] = first_entry(bases, rests, shift, row + 1)
            hits[hit, 0] = first
            _fetch(entries, first)
        for hit in range(made):
            first, slot, last = hits[hit, 0], hits[hit, 1], hits[hit, 2]
            value = given[hit]
            step, low = value * scales[layer, 0], value * scales[layer, 1]
            swept = (last - first + LANES - 1) // LANES
            if (
                last - first == starts[base + nodes[slot] + 1] - starts[base + nodes[slot]]  # a full row, in order
                and first + swept * LANES <= len(entries)
            ):
                sweep_lanes(sums[slot], entries, first, swept, code, step, low)  # what lies behind the row is not read
            else:
                for entry in range(first, last):
                    packed = np.int64(entries[entry])
                    sums[slot, packed >> bits] += step * np.float32(packed & code) + low
        at = stop
    for slot in range(count):
        slots[nodes[slot]] = -1


@njit(cache=True, nogil=True)
def _among(nodes, count, slots, where, among):
    """Note each node's slot, and the words of a bitmap that matter with the nodes' bits; returns how many words."""
    used = 0
    for slot in range(count):
        slots[nodes[slot]] = slot
        if used == 0 or where[used - 1] != nodes[slot] >> 6:
            where[used] = nodes[slot] >> 6
            among[used] = 0
            used += 1
        among[used - 1] |= np.uint64(1) << np.uint64(nodes[slot] & 63)
    return used


@njit(cache=True, nogil=True)
def search(weights, names, power, bounds, columns, values, beam, k):
    """The k best labels of each row: ids (rows, k), -1 for none, and path scores.

    `names` has the label ids in tree order. A child's chance is exp(-hinge ** power), or logistic for power 0.
    """
    layers, starts = weights[7], weights[9]
    rows = len(bounds) - 1
    labels = np.full((rows, k), -1, np.int32)
    scores = np.zeros((rows, k), np.float32)
    most = max(beam, k)
    sums = _sums(max(_FIRST, beam), layers[:, 2].max())
    nodes, reach = np.empty(most, np.int64), np.empty(most, np.float32)
    better, worth = np.empty(most, np.int64), np.empty(most, np.float32)
    opened, paths = np.empty(most, np.int64), np.empty(most, np.float32)
    space = _space(layers, beam)
    for row in range(rows):
        nodes[0], reach[0], count = 0, np.float32(1), 1
        for layer in range(len(layers)):
            last = layer == len(layers) - 1
            room = k if last else beam
            base = layers[layer, 1]
            kept = 0
            begin = 0
            while begin < count:
                stage = 0
                stop = min(count, _FIRST) if begin == 0 else count
                for at in range(begin, stop):  # nodes fall by score; they are opened in the order they lie in
                    if kept < room or reach[at] > worth[0]:
                        stage = _by_id(opened, paths, stage, nodes[at], reach[at])
                begin = stop
                if stage == 0:
                    break
                for slot in range(stage):
                    sums[slot, : starts[base + opened[slot] + 1] - starts[base + opened[slot]]] = 0
                _gather(weights, layer, columns, values, bounds[row], bounds[row + 1], 1, opened, stage, sums, space)
                for slot in range(stage):
                    first = starts[base + opened[slot]]
                    below = starts[base + opened[slot] + 1] - first
                    least = _least(worth[0], paths[slot], power) if kept == room else -np.inf
                    for child in range(below):
                        output = sums[slot, child]
                        if below == 1 and len(layers) > 1:
                            path = paths[slot]  # an only child is certain
                        elif output < least:
                            continue
                        else:
                            path = paths[slot] * chance(output, power)
                        kept = insert(better, worth, kept, room, names[first + child] if last else first + child, path)
                        if kept == room:
                            least = _least(worth[0], paths[slot], power)
            fall(better, worth, kept)
            nodes, better = better, nodes
            reach, worth = worth, reach
            count = kept
        labels[row, :count] = nodes[:count]
        scores[row, :count] = reach[:count]
    return labels, scores


@njit(cache=True, nogil=True)
def _by_id(ids, paths, count, new, path):
    at = count
    while at > 0 and ids[at - 1] > new:
        ids[at] = ids[at - 1]
        paths[at] = paths[at - 1]
        at -= 1
    ids[at] = new
    paths[at] = path
    return count + 1


@njit(cache=True, nogil=True)
def chance(output, power):
    """How likely a child is, from its classifier's output."""
    if power == 0:
        return np.float32(1) / (np.float32(1) + np.exp(-output))
    short = max(np.float32(0), np.float32(1) - output)
    return np.exp(-short * short) if power == 2 else np.exp(-short * short * short)


@njit(cache=True, nogil=True)
def _least(score, path, power):
    """The output with which a child at the end of `path` scores this much, a little less for rounding."""
    if score <= 0 or path <= 0:
        return -np.inf
    chance = score / path
    if chance >= 1:
        return 1.0 - 1e-3 if power else 15.0
    if power == 0:
        return np.log(chance / (1 - chance)) - 1e-3
    return 1.0 - (-np.log(chance)) ** (1.0 / power) - 1e-3


@njit(cache=True, nogil=True)
def mean(labels, scores, k):
    """The k labels with the best mean over (trees, rows, depth) of answers; a missing answer counts 0."""
    trees, rows, depth = labels.shape
    best = np.full((rows, k), -1, np.int32)
    worth = np.zeros((rows, k), np.float32)
    ids, values = np.empty(trees * depth, np.int64), np.empty(trees * depth, np.float64)
    for row in range(rows):
        count = 0
        for tree in range(trees):
            for place in range(depth):
                if labels[tree, row, place] >= 0:
                    ids[count] = labels[tree, row, place]
                    values[count] = scores[tree, row, place]
                    count += 1
        best_sums(ids[:count], values, float(trees), best[row], worth[row])
    return best, worth


@njit(cache=True, nogil=True)
def weights_of(weights, layer, node, child, columns):
    """The weights of one child's classifier for some features, 0 where it has none."""
    layers, scale = weights[7], weights[6][layer, 0]
    made = np.empty(len(columns), np.float32)
    one, nodes = np.ones(len(columns), np.float32), np.full(1, node, np.int64)
    sums, space = _sums(1, layers[layer, 2]), _space(layers, 1)
    for number in range(len(columns)):
        sums[:] = 0
        _gather(weights, layer, columns, one, number, number + 1, 0, nodes, 1, sums, space)
        made[number] = sums[0, child] if abs(sums[0, child]) > 0.5 * scale else 0  # what fills a row up is none
    return made


@njit(cache=True, nogil=True)
def _sums(nodes, children):
    """Room for the outputs of each node's children, in whole sweeps."""
    return np.empty((nodes, (children + LANES - 1) // LANES * LANES), np.float32)


@njit(cache=True, nogil=True)
def _space(layers, beam):
    """Room for what `_gather` notes down."""
    hits = max(_HITS, beam)  # one feature can hit every node of the beam
    return (
        np.empty((hits, 3), np.int64),
        np.empty(hits, np.float32),
        np.full(layers[:, 0].max(), -1, np.int32),
        np.empty(beam, np.int64),
        np.empty(beam, np.uint64),
    )
