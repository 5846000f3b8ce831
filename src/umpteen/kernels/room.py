"""Room for more in an array."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def wider(array, size):
    """The array with room for `size` values; what is behind the old ones is 0."""
    made = np.zeros(size, array.dtype)
    made[: len(array)] = array
    return made
