"""Arrays of numbers as .npy files: written whole or with an error, mapped into memory, and never with code in them."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from umpteen.core.errors import DataError


def save_array(file: Path, values: NDArray[Any]) -> None:
    """Write an array; np.save does not notice where a full disk takes only part of the last few kilobytes."""
    whole = np.asarray(values, order="C")  # ascontiguousarray makes a row of a single number
    with file.open("wb") as stream:
        np.lib.format.write_array_header_1_0(stream, np.lib.format.header_data_from_array_1_0(whole))
        stream.write(whole.reshape(-1).view(np.uint8).data)


def mapped_array(file: Path) -> NDArray[Any]:
    """The array in a file, whose pages are shared between processes; changes to it never reach the disk."""
    try:
        found = _empty(file)
        made: NDArray[Any] = np.load(file, mmap_mode="c", allow_pickle=False) if found is None else found
    except OSError:
        raise
    except Exception as error:  # numpy fails in many ways over a head that is none
        raise DataError("This is not an array.", file=file) from error
    if made.dtype.kind not in "biuf" or not made.dtype.isnative or not made.flags.c_contiguous:
        raise DataError(f"Expected plain numbers, got {made.dtype}.", file=file)
    return made.view(np.ndarray)  # numpy's own class for mapped files is slow to slice and to hand over


def _empty(file: Path) -> NDArray[Any] | None:
    """The array of a file without any numbers, which cannot be mapped; None where there are some."""
    with file.open("rb") as stream:
        version = np.lib.format.read_magic(stream)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, kind = read(stream)
    return np.empty(shape, kind) if 0 in shape else None
