"""A set of sparse rows split into two halves of like: balanced spherical 2-means.

The sums of both halves lie side by side and are kept up as rows change sides, of which there are few after the first
rounds; the lengths of the sums fall out of the likenesses. So a round reads each row little more than once.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def halve(bounds, columns, values, members, left, sums, rounds, gain, seed):
    """Order `members` so that the first `left` are alike and the rest are alike, each half as it was ordered before.

    `sums` is room for two rows side by side at full width, all zeros before and after. Stops when the mean likeness to
    the own centre grows by less than `gain`.
    """
    count = len(members)
    if left <= 0 or left >= count:
        return members
    np.random.seed(seed)
    one = np.random.randint(count)
    other = (one + 1 + np.random.randint(count - 1)) % count
    sides = np.full(count, -1, np.int8)
    sides[one], sides[other] = 0, 1
    _add(bounds, columns, values, members[one], np.float32(1), sums, 0)
    _add(bounds, columns, values, members[other], np.float32(1), sums, 1)
    like = np.empty((count, 2), np.float32)
    before = -np.inf
    for _ in range(rounds):
        lengths = _likenesses(bounds, columns, values, members, sides, sums, like)
        likeness = (lengths[0] + lengths[1]) / count
        if likeness - before < gain:
            break
        before = likeness
        wanted = _largest(like[:, 0] / lengths[0] - like[:, 1] / lengths[1], left)
        for number in range(count):
            old, new = sides[number], np.int8(0 if wanted[number] else 1)
            if old != new:
                if old >= 0:
                    _add(bounds, columns, values, members[number], np.float32(-1), sums, old)
                _add(bounds, columns, values, members[number], np.float32(1), sums, new)
                sides[number] = new
    for member in members:
        for at in range(bounds[member], bounds[member + 1]):
            sums[columns[at]] = 0
    return np.concatenate((members[sides == 0], members[sides == 1]))


@njit(cache=True, nogil=True)
def _add(bounds, columns, values, member, times, sums, side):
    for at in range(bounds[member], bounds[member + 1]):
        sums[columns[at], side] += times * values[at]


@njit(cache=True, nogil=True)
def _likenesses(bounds, columns, values, members, sides, sums, like):
    """Fill `like` with each member times both sums; the lengths of the sums, which their own members add up to."""
    squares = np.full(2, 1e-24)
    for number in range(len(members)):
        member = members[number]
        first, second = np.float32(0), np.float32(0)
        for at in range(bounds[member], bounds[member + 1]):
            first += values[at] * sums[columns[at], 0]
            second += values[at] * sums[columns[at], 1]
        like[number, 0], like[number, 1] = first, second
        if sides[number] >= 0:
            squares[sides[number]] += first if sides[number] == 0 else second
    return np.sqrt(squares).astype(np.float32)


@njit(cache=True, nogil=True)
def _largest(scores, count):
    """Which are the `count` largest scores, the earlier of equal ones."""
    least = np.partition(scores, len(scores) - count)[len(scores) - count]
    chosen = scores > least
    missing = count - chosen.sum()
    for number in range(len(scores)):
        if missing == 0:
            break
        if scores[number] == least:
            chosen[number] = True
            missing -= 1
    return chosen
