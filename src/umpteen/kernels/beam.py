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

_FIRST = 3  # nodes opened before it is asked whether the others can matter
_AHEAD = 6  # features between a look at memory and its use


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
def _gather(weights, layer, columns, values, start, end, nodes, count, sums):
    """sums[slot, child] += the classifiers' outputs for the children of `nodes`, which rise."""
    firsts, kinds, words, ranks, lists, bases, rests, lanes, codes, table, layers, shifts, _ = weights
    width = kinds.shape[1] - 1  # the bias is the feature behind all others
    lookups = layers[layer, 1]  # where the layer's part of the table begins
    shift = shifts[0]
    for at in range(start, end + 1):
        if at + _AHEAD < end:
            _fetch(firsts[layer], columns[at + _AHEAD])
            _fetch(kinds[layer], columns[at + _AHEAD])
        feature = columns[at] if at < end else width
        value = values[at] if at < end else np.float32(1)
        row = np.int64(firsts[layer, feature])
        stop = np.int64(firsts[layer, feature + 1])
        if row == stop:
            continue
        kind = np.int64(kinds[layer, feature])
        if kind >= 0:
            for slot in range(count):
                node = nodes[slot]
                place = kind + (node >> 6)
                word = words[place]
                bit = np.uint64(node & 63)
                if (word >> bit) & np.uint64(1):
                    below = word & ((np.uint64(1) << bit) - np.uint64(1))
                    found = row + np.int64(ranks[place]) + np.int64(_ones(below))
                    _add(bases, rests, lanes, codes, table, lookups, shift, found, value, sums[slot])
        else:
            slot = 0
            place = -kind - 1
            for found in range(row, stop):
                node = np.int64(lists[place])
                place += 1
                while slot < count and nodes[slot] < node:
                    slot += 1
                if slot == count:
                    break
                if nodes[slot] == node:
                    _add(bases, rests, lanes, codes, table, lookups, shift, found, value, sums[slot])


@njit(cache=True, nogil=True, inline="always")
def _add(bases, rests, lanes, codes, table, lookups, shift, row, value, sums):
    entry = np.int64(bases[row >> shift]) + np.int64(rests[row])
    last = np.int64(bases[(row + 1) >> shift]) + np.int64(rests[row + 1])
    while entry < last:
        sums[lanes[entry]] += value * table[lookups + codes[entry]]
        entry += 1


@njit(cache=True, nogil=True)
def _insert(ids, scores, kept, most, new, score):
    """Put one more into a list falling by score, then rising by id; returns how many are in it."""
    if kept == most:
        if score < scores[most - 1] or (score == scores[most - 1] and new > ids[most - 1]):
            return kept
        at = most - 1
    else:
        at = kept
        kept += 1
    while at > 0 and (scores[at - 1] < score or (scores[at - 1] == score and ids[at - 1] > new)):
        ids[at] = ids[at - 1]
        scores[at] = scores[at - 1]
        at -= 1
    ids[at] = new
    scores[at] = score
    return kept


@njit(cache=True, nogil=True)
def search(weights, names, power, bounds, columns, values, beam, k):
    """The k best labels of each row: ids (rows, k), -1 for none, and path scores.

    `names` has the label ids in tree order. A child's chance is exp(-hinge ** power), or logistic for power 0.
    """
    layers, starts = weights[10], weights[12]
    rows = len(bounds) - 1
    labels = np.full((rows, k), -1, np.int32)
    scores = np.zeros((rows, k), np.float32)
    most = max(beam, k)
    sums = np.empty((max(_FIRST, beam), layers[:, 3].max()), np.float32)
    nodes, reach = np.empty(most, np.int64), np.empty(most, np.float32)
    better, worth = np.empty(most, np.int64), np.empty(most, np.float32)
    opened, paths = np.empty(most, np.int64), np.empty(most, np.float32)
    for row in range(rows):
        nodes[0], reach[0], count = 0, np.float32(1), 1
        for layer in range(len(layers)):
            last = layer == len(layers) - 1
            room = k if last else beam
            base = layers[layer, 2]
            kept = 0
            begin = 0
            while begin < count:
                stage = 0
                stop = min(count, _FIRST) if begin == 0 else count
                for at in range(begin, stop):  # nodes fall by score; they are opened in the order they lie in
                    if kept < room or reach[at] > worth[room - 1]:
                        stage = _by_id(opened, paths, stage, nodes[at], reach[at])
                begin = stop
                if stage == 0:
                    break
                for slot in range(stage):
                    sums[slot, : starts[base + opened[slot] + 1] - starts[base + opened[slot]]] = 0
                _gather(weights, layer, columns, values, bounds[row], bounds[row + 1], opened, stage, sums)
                for slot in range(stage):
                    first = starts[base + opened[slot]]
                    below = starts[base + opened[slot] + 1] - first
                    least = _least(worth[room - 1] / paths[slot], power) if kept == room else -np.inf
                    for child in range(below):
                        output = sums[slot, child]
                        if below == 1 and len(layers) > 1:
                            path = paths[slot]  # an only child is certain
                        elif output < least:
                            continue
                        else:
                            path = paths[slot] * _chance(output, power)
                        kept = _insert(better, worth, kept, room, names[first + child] if last else first + child, path)
                        if kept == room:
                            least = _least(worth[room - 1] / paths[slot], power)
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
def _chance(output, power):
    """How likely a child is, from its classifier's output."""
    if power == 0:
        return np.float32(1) / (np.float32(1) + np.exp(-output))
    short = max(np.float32(0), np.float32(1) - output)
    return np.exp(-short * short) if power == 2 else np.exp(-short * short * short)


@njit(cache=True, nogil=True)
def _least(chance, power):
    """The output that gives this chance, a little less so that rounding loses no label."""
    if chance <= 0:
        return -np.inf
    if chance >= 1:
        return 1.0 - 1e-3 if power else np.inf if chance > 1 else 15.0
    if power == 0:
        return np.log(chance / (1 - chance)) - 1e-3
    return 1.0 - (-np.log(chance)) ** (1.0 / power) - 1e-3


@njit(cache=True, nogil=True)
def mean(labels, scores, k):
    """The k labels with the best mean over (trees, rows, depth) of answers; a missing answer counts 0."""
    trees, rows, depth = labels.shape
    best = np.full((rows, k), -1, np.int32)
    worth = np.zeros((rows, k), np.float32)
    ids, values = np.empty(trees * depth, np.int64), np.empty(trees * depth, np.float32)
    for row in range(rows):
        count = 0
        for tree in range(trees):
            for place in range(depth):
                if labels[tree, row, place] >= 0:
                    ids[count] = labels[tree, row, place]
                    values[count] = scores[tree, row, place]
                    count += 1
        order = np.argsort(ids[:count], kind="mergesort")
        kept = 0
        at = 0
        while at < count:
            label = ids[order[at]]
            total = np.float32(0)
            while at < count and ids[order[at]] == label:
                total += values[order[at]]
                at += 1
            kept = _insert(best[row], worth[row], kept, k, label, total / np.float32(trees))
    return best, worth
