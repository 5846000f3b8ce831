"""Label profiles, and the centre that each is most like: spherical k-means on sparse rows."""

import numpy as np
from numba import njit

from umpteen.kernels.lanes import LANES, dot_lanes
from umpteen.kernels.room import wider


@njit(cache=True, nogil=True)
def mean(columns, values, width, documents):
    """The mean of all documents."""
    total = np.zeros(width, np.float64)
    for at in range(len(columns)):
        total[columns[at]] += values[at]
    return total.astype(np.float32) / np.float32(max(documents, 1))


@njit(cache=True, nogil=True)
def profiles(x_bounds, x_columns, x_values, usual, t_bounds, t_documents, first, last, most):
    """The sums of the documents of labels `first` to `last`, divided by their length: columns, values, bounds.

    Of each sum only the `most` entries are kept that lie highest above those of as many usual documents, of which
    `usual` is one; 0 keeps all.
    """
    width = len(usual)
    total = np.zeros(width, np.float32)
    excess = np.empty(width, np.float32)
    met = np.empty(width, np.int32)
    columns = np.empty(4096, np.int32)
    values = np.empty(4096, np.float32)
    bounds = np.zeros(last - first + 1, np.int64)
    written = 0
    for label in range(first, last):
        count = 0
        for at in range(t_bounds[label], t_bounds[label + 1]):
            document = t_documents[at]
            for place in range(x_bounds[document], x_bounds[document + 1]):
                column = x_columns[place]
                if total[column] == 0:
                    met[count] = column
                    count += 1
                total[column] += x_values[place]
        least = -np.inf
        if 0 < most < count:
            documents = np.float32(t_bounds[label + 1] - t_bounds[label])
            for number in range(count):
                excess[number] = total[met[number]] - documents * usual[met[number]]
            least = np.partition(excess[:count], count - most)[count - most]
        if written + count > len(columns):
            columns = wider(columns, 2 * (written + count))
            values = wider(values, 2 * (written + count))
        begin = written
        square = 0.0
        for number in range(count):
            column = met[number]
            value = total[column]
            total[column] = 0
            if least == -np.inf or excess[number] >= least:
                columns[written] = column
                values[written] = value
                square += value * value
                written += 1
        if square > 0:
            values[begin:written] /= np.float32(np.sqrt(square))
        bounds[label - first + 1] = written
    return columns[:written].copy(), values[:written].copy(), bounds


@njit(cache=True, nogil=True)
def nearest(bounds, columns, values, members, parts, first, last, centres):
    """Which of the parts `first` to `last` has the centre most like each member, and how like it is.

    `parts` says where each member belongs so far, -1 for nowhere; a part's centre is the direction of its members' sum.
    `centres` is room for sixteen rows side by side at full width, all zeros before and after.
    """
    count = len(members)
    best = np.full(count, -np.inf, np.float32)
    chosen = np.full(count, first, np.int32)
    likeness = np.empty(LANES, np.float32)
    for low in range(first, last, LANES):
        high = min(low + LANES, last)
        lengths = _centres(bounds, columns, values, members, parts, low, high, centres)
        for number in range(count):
            member = members[number]
            dot_lanes(centres, columns, values, bounds[member], bounds[member + 1], likeness)
            for lane in range(high - low):
                score = likeness[lane] / lengths[lane]
                if score > best[number]:
                    best[number] = score
                    chosen[number] = low + lane
        for number in range(count):
            if low <= parts[number] < high:
                for at in range(bounds[members[number]], bounds[members[number] + 1]):
                    centres[columns[at], parts[number] - low] = 0
    return chosen, best


@njit(cache=True, nogil=True)
def _centres(bounds, columns, values, members, parts, low, high, centres):
    """Add up the rows of each part from `low` to `high` in a lane of its own; the lengths of the sums, 1 for none."""
    squares = np.zeros(LANES, np.float64)
    for adding in (True, False):  # a length by parts: the sum of row times total
        for number in range(len(members)):
            if low <= parts[number] < high:
                lane = parts[number] - low
                for at in range(bounds[members[number]], bounds[members[number] + 1]):
                    if adding:
                        centres[columns[at], lane] += values[at]
                    else:
                        squares[lane] += values[at] * centres[columns[at], lane]
    return np.where(squares > 0, np.sqrt(np.abs(squares)), 1.0).astype(np.float32)
