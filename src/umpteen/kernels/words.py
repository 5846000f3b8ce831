"""Words and n-grams of raw text, counted straight from UTF-8 bytes.

A word is two or more letters, digits or underscores in a row, lower-cased: what Python's `\\w\\w+` finds, but that
marks which belong to the letter before them, as vowels of many scripts do, do not end a word. Words and n-grams are
known by 64-bit hashes in an open-addressing table, so no string is made on the way; among a million of them the odds
that any two share a hash are below one in ten million.
"""

import unicodedata
from functools import cache

import numpy as np
from numba import njit
from numpy.typing import NDArray

from umpteen.kernels.room import wider

MARK = 4  # the kind of accents and vowel signs
_VARIANTS = slice(0xFE00, 0xFE10)
_DOT = np.int32(0x307)  # the mark above a small i that was the dotted capital
_KNOWN = 0x32000  # no letters beyond this code point
_SEED = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)
_SHIFT = np.uint64(7)  # the lowest bits are less well mixed
_ONE = np.uint64(1)
_EMPTY = np.uint64(0)  # keys have their lowest bit set
_CHARACTERS = np.uint64(2)  # set in the keys of character n-grams, not in those of words


@cache
def characters() -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """For each code point: what it is, and its lower-case form.

    1 is a letter, 2 white space, 3 the dotted capital I, which becomes an i and a mark, MARK goes on with a word but
    begins none, all else is 0.
    """
    points = np.arange(_KNOWN, dtype=np.uint32)
    points[0xD800:0xE000] = 0  # surrogates stand alone for nothing
    letters = points.view("<U1")
    kind = (np.strings.isalnum(letters)).astype(np.uint8)
    kind[ord("_")] = 1
    kind[np.strings.isspace(letters)] = 2
    lower = np.arange(_KNOWN, dtype=np.int32)
    for point in np.flatnonzero(np.strings.isupper(letters) | np.strings.istitle(letters)):
        lower[point] = ord(chr(point).lower()[0])
    others = np.flatnonzero(kind == 0).tolist()
    kind[[point for point in others if unicodedata.category(chr(point)) in ("Mn", "Mc")]] = MARK
    kind[_VARIANTS] = 0  # these say how a letter is drawn
    kind[0x130] = 3
    return kind, lower


@njit(cache=True, nogil=True)
def _decode(data, at):
    """The code point at a byte, and where the next one begins."""
    first = np.int32(data[at])
    if first < 0x80:
        return first, at + 1
    if first < 0xE0:
        return ((first & 0x1F) << 6) | (np.int32(data[at + 1]) & 0x3F), at + 2
    if first < 0xF0:
        return ((first & 0x0F) << 12) | ((np.int32(data[at + 1]) & 0x3F) << 6) | (np.int32(data[at + 2]) & 0x3F), at + 3
    point = ((first & 0x07) << 18) | ((np.int32(data[at + 1]) & 0x3F) << 12)
    return point | ((np.int32(data[at + 2]) & 0x3F) << 6) | (np.int32(data[at + 3]) & 0x3F), at + 4


@njit(cache=True, nogil=True)
def _fold(state, value):
    state = (state ^ np.uint64(value)) * _MIX
    return state ^ (state >> _HALF)


@njit(cache=True, nogil=True)
def scan(data, at, end, kind, lower, least, letters, hashes, offsets, stops, spans):
    """A document's words of `least` letters or more, lower-cased into `letters` with a space between.

    Returns how many there are, at most as many as `hashes` has room for.
    """
    count = 0
    size = 0
    begin = 0  # where the present word starts in `letters`
    while at <= end and count < len(hashes):
        inside = False
        after = at + 1
        if at < end:
            point, after = _decode(data, at)
            what = kind[point] if point < len(kind) else 0
            inside = what == 1 or what == 3 or (what == MARK and size > begin)
            if inside:
                if size == begin:
                    spans[count, 0] = at
                    state = _SEED
                letters[size] = lower[point]
                state = _fold(state, lower[point])
                size += 1
                if what == 3:
                    letters[size] = _DOT
                    state = _fold(state, _DOT)
                    size += 1
        if not inside and size > begin:
            if size - begin >= least:
                hashes[count] = state
                offsets[count] = begin
                stops[count] = size
                spans[count, 1] = at
                count += 1
                letters[size] = 32
                begin = size + 1
            size = begin
        at = after
    return count


@njit(cache=True, nogil=True)
def word_key(state):
    """The key of a word or words with this hash."""
    return state & ~_CHARACTERS | _ONE


@njit(cache=True, nogil=True)
def _word_grams(count, hashes, offsets, stops, shortest, longest, keys, slices):
    made = 0
    for n in range(shortest, longest + 1):
        for first in range(count - n + 1):
            state = hashes[first]
            for other in range(first + 1, first + n):
                state = _fold(state * _SEED, hashes[other])  # which of two words comes first matters
            keys[made] = word_key(state)
            slices[made, 0] = offsets[first]
            slices[made, 1] = stops[first + n - 1]
            made += 1
    return made


@njit(cache=True, nogil=True)
def _character_grams(data, at, end, kind, lower, letters, low, high, keys, slices):
    """Character n-grams inside white-space words that stand between two spaces each, as scikit-learn's `char_wb`."""
    made = 0
    size = 0
    while at < end:
        begin = size
        letters[size] = 32
        size += 1
        while at < end:
            point, at = _decode(data, at)
            what = kind[point] if point < len(kind) else 0
            if what == 2:
                break
            letters[size] = lower[point] if point < len(kind) else point
            size += 1
            if what == 3:
                letters[size] = _DOT
                size += 1
        if size == begin + 1:
            size = begin
            continue
        letters[size] = 32
        size += 1
        for n in range(low, high + 1):
            for first in range(begin, max(begin + 1, size - n + 1)):
                state = _MIX
                last = min(first + n, size)
                for other in range(first, last):
                    state = _fold(state, letters[other])
                keys[made] = state | _CHARACTERS | _ONE
                slices[made, 0] = first
                slices[made, 1] = last
                made += 1
            if size - begin <= n:
                break  # a short word counts once
    return made


@njit(cache=True, nogil=True)
def find(table, key):
    """Where a key stands in the table, or the empty place where it would."""
    mask = np.uint64(len(table) - 1)
    place = (key >> _SHIFT) & mask
    while table[place] != key and table[place] != _EMPTY:
        place = (place + _ONE) & mask
    return place


@njit(cache=True, nogil=True)
def _grown(table, numbers, factor):
    bigger = np.zeros(len(table) * factor, np.uint64)
    moved = np.empty(len(table) * factor, np.int32)
    for old in range(len(table)):
        if table[old] != _EMPTY:
            place = find(bigger, table[old])
            bigger[place] = table[old]
            moved[place] = numbers[old]
    return bigger, moved


def of_words(keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Which keys are those of words and their n-grams."""
    return (keys & _CHARACTERS) == 0


def table_of(keys: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """A table in which each key is found with its place in `keys`."""
    size = 1 << max(4, int(2 * len(keys)).bit_length())
    table, numbers = np.zeros(size, np.uint64), np.zeros(size, np.int32)
    if len(keys):
        _fill(table, numbers, keys)
    return table, numbers


@njit(cache=True, nogil=True)
def _fill(table, numbers, keys):
    for number in range(len(keys)):
        place = find(table, keys[number])
        table[place] = keys[number]
        numbers[place] = number


@njit(cache=True, nogil=True)
def _longest(bounds):
    longest = 0
    for row in range(len(bounds) - 1):
        longest = max(longest, bounds[row + 1] - bounds[row])
    return longest


@njit(cache=True, nogil=True)
def count(data, bounds, kind, lower, form, table, numbers, size, grow, least=2):
    """Count each document's features; those not in the table get the next number, or are passed over if not `grow`.

    `form` is the shortest and longest word n-gram, then the same of character n-grams; 0 is none. `least` is how many
    letters make a word. Returns the table (perhaps a larger one), the documents' feature numbers and counts behind each
    other, sorted in each document, with their bounds; then keys of new features and their names as code points, with
    their bounds.
    """
    shortest, longest, low, high = form
    room = _longest(bounds)
    letters = np.empty(2 * room + 8, np.int32)
    hashes = np.empty(room // 2 + 2, np.uint64)
    offsets = np.empty((2, room // 2 + 2), np.int64)
    spans = np.empty((room // 2 + 2, 2), np.int64)
    most = max((room // 2 + 2) * max(0, longest - shortest + 1), (2 * room + 8) * max(0, high - low + 1))
    keys = np.empty(most, np.uint64)
    slices = np.empty((most, 2), np.int64)
    features = np.empty(1024, np.int32)
    counts = np.empty(1024, np.int32)
    ends = np.zeros(len(bounds), np.int64)
    fresh = np.empty(64, np.uint64)
    names = np.empty(512, np.int32)
    stops = np.zeros(64, np.int64)
    new = 0
    written = 0
    for row in range(len(bounds) - 1):
        begin = written
        for part in range(2):
            if part == 0 and longest > 0:
                found = scan(
                    data,
                    bounds[row],
                    bounds[row + 1],
                    kind,
                    lower,
                    least,
                    letters,
                    hashes,
                    offsets[0],
                    offsets[1],
                    spans,
                )
                made = _word_grams(found, hashes, offsets[0], offsets[1], shortest, longest, keys, slices)
            elif part == 1 and high > 0:
                made = _character_grams(
                    data, bounds[row], bounds[row + 1], kind, lower, letters, low, high, keys, slices
                )
            else:
                continue
            if written + made > len(features):
                features = wider(features, 2 * (written + made))
                counts = wider(counts, 2 * (written + made))
            for gram in range(made):
                place = find(table, keys[gram])
                if table[place] == _EMPTY:
                    if not grow:
                        continue
                    if 2 * (size + new + 1) > len(table):
                        table, numbers = _grown(table, numbers, 4)
                        place = find(table, keys[gram])
                    table[place] = keys[gram]
                    numbers[place] = size + new
                    width = slices[gram, 1] - slices[gram, 0]
                    if new + 1 >= len(stops):
                        fresh = wider(fresh, 2 * len(stops))
                        stops = wider(stops, 2 * len(stops))
                    if stops[new] + width > len(names):
                        names = wider(names, 2 * (stops[new] + width))
                    names[stops[new] : stops[new] + width] = letters[slices[gram, 0] : slices[gram, 1]]
                    fresh[new] = keys[gram]
                    new += 1
                    stops[new] = stops[new - 1] + width
                features[written] = numbers[place]
                written += 1
        written = _runs(features, counts, begin, written)
        ends[row + 1] = written
    made_names = names[: stops[new]].copy(), stops[: new + 1].copy()
    return (table, numbers), (features[:written].copy(), counts[:written].copy(), ends), fresh[:new].copy(), made_names


@njit(cache=True, nogil=True)
def _runs(features, counts, begin, end):
    """Sort features[begin:end] and fold equal ones into one with a count; returns the new end."""
    features[begin:end].sort()
    last = begin - 1
    for at in range(begin, end):
        if last >= begin and features[last] == features[at]:
            counts[last] += 1
        else:
            last += 1
            features[last] = features[at]
            counts[last] = 1
    return last + 1


@njit(cache=True, nogil=True)
def spans_of(data, kind, lower, shortest, longest, table, numbers):
    """Where a single document's known word n-grams stand: (byte from, byte to, feature number) rows."""
    room = len(data)
    letters = np.empty(2 * room + 8, np.int32)
    hashes = np.empty(room // 2 + 2, np.uint64)
    offsets = np.empty((2, room // 2 + 2), np.int64)
    spans = np.empty((room // 2 + 2, 2), np.int64)
    found = scan(data, 0, room, kind, lower, 2, letters, hashes, offsets[0], offsets[1], spans)
    rows = np.empty((found * (longest - shortest + 1), 3), np.int64)
    keys = np.empty(len(rows), np.uint64)
    slices = np.empty((len(rows), 2), np.int64)
    _word_grams(found, hashes, offsets[0], offsets[1], shortest, longest, keys, slices)
    kept = 0
    gram = 0
    for n in range(shortest, longest + 1):
        for first in range(found - n + 1):
            place = find(table, keys[gram])
            if table[place] != _EMPTY:
                rows[kept, 0] = spans[first, 0]
                rows[kept, 1] = spans[first + n - 1, 1]
                rows[kept, 2] = numbers[place]
                kept += 1
            gram += 1
    return rows[:kept]
