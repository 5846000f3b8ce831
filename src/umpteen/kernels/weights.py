"""Feature counts made into weighted rows of unit length."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def weighted(features, counts, bounds, column_of, idf, sublinear):
    """Rows of tf times idf, divided by their length: columns (sorted in each row), values, bounds.

    `column_of` maps a feature number to its column, -1 for features left out; `idf` goes by column.
    """
    columns = np.empty(len(features), np.int32)
    values = np.empty(len(features), np.float32)
    ends = np.zeros(len(bounds), np.int64)
    pairs = np.empty(len(features), np.int64)
    written = 0
    for row in range(len(bounds) - 1):
        found = 0
        for at in range(bounds[row], bounds[row + 1]):
            column = column_of[features[at]]
            if column >= 0:
                pairs[found] = np.int64(column) << 32 | counts[at]
                found += 1
        pairs[:found].sort()
        total = 0.0
        for at in range(found):
            column = pairs[at] >> 32
            tf = float(pairs[at] & 0xFFFFFFFF)
            value = (1.0 + np.log(tf) if sublinear else tf) * idf[column]
            columns[written + at] = column
            values[written + at] = value
            total += value * value
        if total > 0:
            values[written : written + found] /= np.float32(np.sqrt(total))
        written += found
        ends[row + 1] = written
    return columns[:written].copy(), values[:written].copy(), ends


@njit(cache=True, nogil=True)
def unit_rows(values, bounds):
    """Divide each row's values by its length, in place; rows of nothing stay."""
    for row in range(len(bounds) - 1):
        total = 0.0
        for at in range(bounds[row], bounds[row + 1]):
            total += np.float64(values[at]) * values[at]
        if total > 0:
            scale = np.float32(1.0 / np.sqrt(total))
            for at in range(bounds[row], bounds[row + 1]):
                values[at] *= scale
