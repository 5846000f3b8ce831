"""Rows of `labels feature:value feature:value ...` out of a block of bytes, many lines in one go.

Only plain well-formed lines are taken. Any other is flagged, for a careful reader to accept it or to word its error.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

PLAIN, UNSORTED, ODD = 0, 1, 2
TENS = 10.0 ** np.arange(23)  # all exact in float64
EXACT = 2**53  # up to here a whole number times or over an exact power of ten is rounded once, as it should be


@njit(cache=True, nogil=True)
def parse_rows(
    text: NDArray[np.uint8],
    base: int,
    width: int,
    starts: NDArray[np.int64],
    fields: NDArray[np.int64],
    stops: NDArray[np.int64],
    ends: NDArray[np.int64],
    flags: NDArray[np.int8],
    indices: NDArray[np.int32],
    values: NDArray[np.float32],
) -> int:
    """Fill, per row: start, end of the label field, end of the line, end of its pairs, flag. Returns the rows."""
    row, at, size, filled = 0, 0, len(text), 0
    while at < size:
        stop = at
        while stop < size and text[stop] != 10:
            stop += 1
        starts[row], stops[row] = at, stop
        end = stop
        while end > at and (text[end - 1] == 13 or text[end - 1] == 32):
            end -= 1
        place = at
        while place < end and text[place] != 32 and text[place] != 58:
            place += 1
        if place < end and text[place] == 58:  # a colon: the first word is a pair, there is no label field
            place = at
        fields[row] = place
        if place < end and text[place] == 32:
            place += 1
        flags[row], filled = _pairs(text, place, end, base, width, indices, values, filled)
        ends[row] = filled
        at = stop + 1
        row += 1
    return row


@njit(cache=True, nogil=True)
def _pairs(
    text: NDArray[np.uint8],
    at: int,
    end: int,
    base: int,
    width: int,
    indices: NDArray[np.int32],
    values: NDArray[np.float32],
    filled: int,
) -> tuple[int, int]:
    """The pairs of one row behind those filled so far; the row's flag and how many there are now."""
    first, before, flag = filled, -1, PLAIN
    while at < end:
        index, digits = 0, 0
        while at < end and 48 <= text[at] <= 57 and digits < 11:
            index = index * 10 + (text[at] - 48)
            at += 1
            digits += 1
        index -= base
        if digits == 0 or at >= end or text[at] != 58 or index < 0 or index >= width or index == before:
            return ODD, first
        if index < before:
            flag = UNSORTED
        before = index
        at, value = _number(text, at + 1, end)
        if at < 0 or not np.isfinite(value) or (at < end and text[at] != 32):
            return ODD, first
        at += 1
        indices[filled] = index
        values[filled] = value
        filled += 1
    return flag, filled


@njit(cache=True, nogil=True)
def _number(text: NDArray[np.uint8], at: int, end: int) -> tuple[int, np.float32]:
    """A decimal number and where it ends; -1 where it is not plain, or hard to round to float32."""
    negative = at < end and text[at] == 45
    if negative:
        at += 1
    whole, digits, power, point = 0, 0, 0, False
    while at < end:
        sign = text[at]
        if 48 <= sign <= 57:
            digits += 1
            if whole < 10**17:
                whole = whole * 10 + (sign - 48)
                power -= point
            elif not point:
                power += 1
        elif sign == 46 and not point:
            point = True
        else:
            break
        at += 1
    if digits == 0:
        return -1, np.float32(0)
    if at < end and (text[at] == 101 or text[at] == 69):
        at, shift = _exponent(text, at + 1, end)
        if at < 0:
            return -1, np.float32(0)
        power += shift
    if whole != 0 and (power < -22 or power > 22):
        return -1, np.float32(0)
    value = float(whole)
    value = value if whole == 0 else value * TENS[power] if power >= 0 else value / TENS[-power]
    if whole > EXACT and np.float32(value * (1 - 1e-15)) != np.float32(value * (1 + 1e-15)):
        return -1, np.float32(0)
    return at, np.float32(-value if negative else value)


@njit(cache=True, nogil=True)
def _exponent(text: NDArray[np.uint8], at: int, end: int) -> tuple[int, int]:
    """The exponent behind an e, and where it ends."""
    negative = at < end and text[at] == 45
    if at < end and (text[at] == 45 or text[at] == 43):
        at += 1
    shift, digits = 0, 0
    while at < end and 48 <= text[at] <= 57 and digits < 5:
        shift = shift * 10 + (text[at] - 48)
        at += 1
        digits += 1
    return (at if digits else -1), (-shift if negative else shift)
