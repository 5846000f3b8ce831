"""Sound arrays: checks that numbers out of a folder lead compiled code nowhere but into the arrays they belong to.

Compiled loops do not look where they read and write, so whoever loads arrays for them asks here first.
"""

from typing import Any

from numpy.typing import NDArray

from umpteen.core.errors import DataError


def check_kind(array: NDArray[Any], kind: str, dimensions: int = 1) -> None:
    """Raise unless an array holds numbers of a kind (`i4`, or `i` for any size) in so many dimensions."""
    found = f"{array.dtype.kind}{array.dtype.itemsize}"
    if not found.startswith(kind) or array.ndim != dimensions:
        raise DataError(f"Expected {kind} in {dimensions} dimensions, got {found} in {array.ndim}.")


def check_places(array: NDArray[Any], below: int) -> None:
    """Raise unless all numbers are whole ones from 0 to under `below`."""
    check_kind(array, "u" if array.dtype.kind == "u" else "i")
    if len(array) and not (int(array.min()) >= 0 and int(array.max()) < below):
        raise DataError(f"Expected numbers from 0 to {below - 1}, got {array.min()} to {array.max()}.")


def check_bounds(array: NDArray[Any], parts: int, end: int) -> None:
    """Raise unless numbers rise from 0 to `end` and part it into so many parts."""
    check_kind(array, "i")
    if len(array) != parts + 1 or int(array[0]) != 0 or int(array[-1]) != end or (array[1:] < array[:-1]).any():
        raise DataError(f"Expected {parts} parts of {end} numbers, got other bounds.")
