"""Linear classifiers of a node's children, sixteen at a time, by dual coordinate descent.

Each child is a binary problem on the node's documents: those of the child against the rest. The children of a group
share every pass over the data: a row is read once, and the weights of its features for all sixteen lie side by side.
Which documents still matter and which children are done is kept per lane.
"""

import numpy as np
from numba import njit

from umpteen.kernels.lanes import LANES, add_lanes, dot_lanes, step_lanes
from umpteen.kernels.room import wider

_FAR = np.float32(1e30)


@njit(cache=True, nogil=True)
def _random(state):
    """The next of a stream of 64-bit numbers (xorshift)."""
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    state ^= state << np.uint64(17)
    return state


@njit(cache=True, nogil=True)
def _shuffle(order, count, state):
    for at in range(count - 1, 0, -1):
        state = _random(state)
        other = np.int64((state >> np.uint64(11)) % np.uint64(at + 1))
        order[at], order[other] = order[other], order[at]
    return state


@njit(cache=True, nogil=True)
def hinge(w, bias, columns, values, starts, ends, squares, masks, lanes, costs, eps, rounds, state):
    """Squared hinge loss: fill `w` (features, 16) and `bias` (16); `masks` has a bit per lane where y is +1.

    `costs` are weights of errors by row and lane, or one row of them for all.
    """
    count = len(starts)
    own_costs = np.int64(len(costs) > 1)
    diagonals = np.float32(0.5) / costs
    alpha = np.zeros((count, LANES), np.float32)
    order = np.arange(count).astype(np.int32)
    dots = np.empty(LANES, np.float32)
    by = np.zeros(LANES, np.float32)
    live = np.zeros(LANES, np.float32)  # 1 for lanes still learning
    live[:lanes] = 1
    limit = np.full(LANES, _FAR)  # gradients above this let a document rest
    high = np.empty(LANES, np.float32)
    low = np.empty(LANES, np.float32)
    active = count
    for _ in range(rounds):
        state = _shuffle(order, active, state)
        high[:] = -_FAR
        low[:] = _FAR
        at = 0
        while at < active:
            row = order[at]
            dot_lanes(w, columns, values, starts[row], ends[row], dots)
            square = squares[row] + np.float32(1)
            told = step_lanes(
                dots, bias, alpha[row], diagonals[row * own_costs], live, limit, high, low, by, masks[row], square
            )
            if told & 2:
                add_lanes(w, columns, values, starts[row], ends[row], by)
            if not told & 1:
                active -= 1
                order[at], order[active] = order[active], order[at]
            else:
                at += 1
        learning = np.float32(0)
        for lane in range(LANES):
            if high[lane] - low[lane] <= eps:
                live[lane] = 0
            limit[lane] = high[lane] if high[lane] > 0 else _FAR
            learning = max(learning, live[lane])
        if learning == 0 or active == 0:
            break
    return state


@njit(cache=True, nogil=True)
def logistic(w, bias, columns, values, starts, ends, squares, masks, lanes, costs, eps, rounds, state):
    """Logistic loss, its dual solved one document at a time with a few Newton steps; arguments as for `hinge`."""
    count = len(starts)
    own_costs = np.int64(len(costs) > 1)
    alpha = np.full((count, LANES), np.float32(min(0.001 * costs.min(), 1e-8)))
    order = np.arange(count).astype(np.int32)
    dots = np.empty(LANES, np.float32)
    by = np.zeros(LANES, np.float32)
    worst = np.empty(LANES, np.float32)
    live = np.zeros(LANES, np.float32)
    live[:lanes] = 1
    for _ in range(rounds):
        state = _shuffle(order, count, state)
        worst[:] = 0
        for row in order:
            dot_lanes(w, columns, values, starts[row], ends[row], dots)
            square = squares[row] + np.float32(1)
            moved = np.float32(0)
            for lane in range(LANES):
                by[lane] = 0
                if live[lane] == 0:
                    continue
                sign = np.float32(2 * np.int32((masks[row] >> lane) & 1) - 1)
                old = alpha[row, lane]
                margin = sign * (dots[lane] + bias[lane])
                new, slope = _newton(old, margin, square, costs[row * own_costs, lane])
                worst[lane] = max(worst[lane], abs(slope))
                alpha[row, lane] = new
                by[lane] = (new - old) * sign
                moved = max(moved, abs(new - old))
            if moved > np.float32(1e-9):
                add_lanes(w, columns, values, starts[row], ends[row], by)
                for lane in range(LANES):
                    bias[lane] += by[lane]
        learning = np.float32(0)
        for lane in range(LANES):
            if worst[lane] <= eps:
                live[lane] = 0
            learning = max(learning, live[lane])
        if learning == 0:
            break
    return state


@njit(cache=True, nogil=True)
def _newton(old, margin, square, cap):
    """The best alpha between 0 and `cap` for one document and lane, and the slope at the old one."""
    small = np.float32(1e-12)
    slope0 = margin + np.log(old / (cap - old))
    z = old
    for _ in range(8):
        slope = square * (z - old) + margin + np.log(z / (cap - z))
        if abs(slope) < np.float32(1e-3):
            break
        step = slope / (square + cap / (z * (cap - z)))
        new = z - step
        if new <= 0:
            new = z * np.float32(0.1)
        elif new >= cap:
            new = cap - (cap - z) * np.float32(0.1)
        z = min(max(new, small * cap), cap * np.float32(0.9999999))
    return z, slope0


@njit(cache=True, nogil=True)
def solve(x, t, items, children, initial, worth, loss, cost, eps, rounds, threshold, seed):
    """Train the children of tree nodes: a piece of work for one thread.

    `x` is (bounds, columns, values, width) of the documents, `t` (bounds, documents) of the labels in tree order. Each
    item is (from, to) of the node's labels, then (first, last) of the `children` to train; child c has the labels from
    children[c] to children[c + 1]. `initial` is (bounds, features, weights) by child, what each starts from: the answer
    then stays as near to it as the documents allow. `worth` is what a document that has a label counts for it, in the
    labels' order; of several labels below a child, the one worth most. Empty, all documents count 1. Returns (feature,
    child, weight) of all weights above `threshold`; the bias, which is always kept, counts as feature `width`.
    """
    bounds, columns, values, width = x
    t_bounds, t_documents = t
    documents = len(bounds) - 1
    here = np.full(documents, -1, np.int32)  # a document's place in the node
    local = np.full(width, -1, np.int32)  # a feature's place in the node
    features = np.empty(1024, np.int32)
    owners = np.empty(1024, np.int32)
    weights = np.empty(1024, np.float32)
    made = 0
    for item in range(len(items)):
        low, high, first, last = items[item]
        rows = _documents(t_bounds, t_documents, low, high, here)
        compact = 4 * len(rows) < documents  # a copy of its rows pays for a node of few documents
        if compact:
            starts, ends, own_columns, own_values, names, known = _rows(rows, bounds, columns, values, local)
            known = _join(initial, first, last, local, names, known)
            names = names[:known]
        else:
            starts, ends, own_columns, own_values = bounds[rows], bounds[rows + 1], columns, values
            names = np.arange(width).astype(np.int32)
        squares = np.zeros(len(rows), np.float32)
        for row in range(len(rows)):
            for at in range(starts[row], ends[row]):
                squares[row] += own_values[at] * own_values[at]
        masks = np.empty(len(rows), np.uint16)
        costs = np.empty((len(rows) if len(worth) else 1, LANES), np.float32)
        for group in range(first, last, LANES):
            lanes = min(LANES, last - group)
            masks[:] = 0
            costs[:] = cost
            for lane in range(lanes):
                for label in range(children[group + lane], children[group + lane + 1]):
                    for at in range(t_bounds[label], t_bounds[label + 1]):
                        row = here[t_documents[at]]
                        masks[row] |= np.uint16(1 << lane)
                        if len(worth):
                            costs[row, lane] = max(costs[row, lane], np.float32(cost) * worth[label])
            w = np.zeros((len(names), LANES), np.float32)
            bias = np.zeros(LANES, np.float32)
            _begin(initial, group, lanes, local, compact, w, bias)
            state = (
                np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15)
                + np.uint64(children[group])
                + np.uint64(88172645463325252)
                + np.uint64(low) * np.uint64(7919)
            )
            if loss == 0:
                hinge(w, bias, own_columns, own_values, starts, ends, squares, masks, lanes, costs, eps, rounds, state)
            else:
                logistic(
                    w, bias, own_columns, own_values, starts, ends, squares, masks, lanes, costs, eps, rounds, state
                )
            for name in range(len(names) + 1):
                if made + LANES > len(features):
                    size = 2 * len(features)
                    features, owners, weights = wider(features, size), wider(owners, size), wider(weights, size)
                for lane in range(lanes):
                    value = w[name, lane] if name < len(names) else bias[lane]
                    if abs(value) > threshold or name == len(names):
                        features[made] = names[name] if name < len(names) else width
                        owners[made] = group + lane
                        weights[made] = value
                        made += 1
        if compact:
            local[names] = -1
        here[rows] = -1
    return features[:made].copy(), owners[:made].copy(), weights[:made].copy()


@njit(cache=True, nogil=True)
def _documents(t_bounds, t_documents, low, high, here):
    """The documents that have any of the labels from `low` to `high`, each once; `here` gets their places."""
    rows = np.empty(min(t_bounds[high] - t_bounds[low], len(here)), np.int64)
    count = 0
    for at in range(t_bounds[low], t_bounds[high]):
        document = t_documents[at]
        if here[document] < 0:
            here[document] = count
            rows[count] = document
            count += 1
    return rows[:count]


@njit(cache=True, nogil=True)
def _join(initial, first, last, local, names, count):
    """Number the features that children start with and the node's documents do not have."""
    bounds, features, _ = initial
    for at in range(bounds[first], bounds[last]):
        feature = features[at]
        if feature < len(local) and local[feature] < 0:
            local[feature] = count
            names[count] = feature
            count += 1
    return count


@njit(cache=True, nogil=True)
def _begin(initial, group, lanes, local, compact, w, bias):
    """Set the weights that the children of a group start from."""
    bounds, features, weights = initial
    for lane in range(lanes):
        for at in range(bounds[group + lane], bounds[group + lane + 1]):
            feature = features[at]
            if feature == len(local):
                bias[lane] = weights[at]
            else:
                w[local[feature] if compact else feature, lane] = weights[at]


@njit(cache=True, nogil=True)
def _rows(rows, bounds, columns, values, local):
    """A node's rows behind each other, with features numbered as they come; `local` gets the numbers."""
    size = 0
    for row in rows:
        size += bounds[row + 1] - bounds[row]
    own_columns = np.empty(size, np.int32)
    own_values = np.empty(size, np.float32)
    names = np.empty(len(local), np.int32)
    starts = np.empty(len(rows), bounds.dtype)
    ends = np.empty(len(rows), bounds.dtype)
    count = 0
    at = 0
    for number in range(len(rows)):
        starts[number] = at
        for place in range(bounds[rows[number]], bounds[rows[number] + 1]):
            column = columns[place]
            if local[column] < 0:
                local[column] = count
                names[count] = column
                count += 1
            own_columns[at] = local[column]
            own_values[at] = values[place]
            at += 1
        ends[number] = at
    return starts, ends, own_columns, own_values, names, count
