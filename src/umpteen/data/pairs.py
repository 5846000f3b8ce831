"""Lines of `labels feature:value feature:value ...`: a compiled fast path, and a careful one that words the errors."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from umpteen.core.corpus import Active
from umpteen.core.errors import DataError, shown
from umpteen.core.files import blocks, decoded, lines
from umpteen.data.format import Source
from umpteen.data.numbering import bear_out

Careful = Callable[[str], tuple[str, Active]]

MOST = 2**31 - 1  # ids are 32-bit
PAIR = re.compile(r"\d+:[-+.\deE]+")
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


def rows(
    source: Source,
    path: Path,
    careful: Careful,
    *,
    width: int = MOST,
    base: int = 0,
    after: int = 0,
    prepare: Callable[[bytes], bytes] | None = None,
) -> Iterator[tuple[int, bool, str, Active | None]]:
    """Line number, whether it is blank, label field and features of each line behind the first `after`.

    Features are None where the line is bad, which was reported then. `prepare` puts the lines of a block into this
    form, where a near relation of it is read; `careful` gets them as they are.
    """
    from umpteen.kernels.rows import ODD, UNSORTED  # here, as text formats need not wait for the compiler's import

    for first, block in blocks(path, after=after):
        data = block if prepare is None else prepare(block)
        found = _Parsed(data, base, width)
        originals: list[bytes] | None = None
        for row, (start, label_end, stop, begin, end, flag) in enumerate(found.places):
            features: Active | None = (found.indices[begin:end].copy(), found.values[begin:end].copy())
            try:
                if flag == ODD:
                    originals = originals or block.split(b"\n")
                    field, features = careful(decoded(originals[row].rstrip(b"\r")))
                else:
                    field = decoded(data[start:label_end])
                    if flag == UNSORTED:
                        once(found.indices[begin:end], base)
            except DataError as problem:
                source.report(problem, path, first + row)
                field, features = "", None
            yield first + row, stop - start < 2 and data[start:stop] in (b"", b"\r"), field, features


class _Parsed:
    """What the compiled parser makes of a block; documents take copies, not to keep it alive."""

    def __init__(self, data: bytes, base: int, width: int) -> None:
        from umpteen.kernels.rows import parse_rows

        lines_most, pairs_most = data.count(b"\n") + 1, data.count(b":")
        starts, fields, stops, ends = np.empty((4, lines_most), np.int64)
        flags = np.empty(lines_most, np.int8)
        self.indices, self.values = np.empty(pairs_most, np.int32), np.empty(pairs_most, np.float32)
        text = np.frombuffer(data, np.uint8)
        count = parse_rows(text, base, width, starts, fields, stops, ends, flags, self.indices, self.values)
        begins = np.concatenate([[0], ends[: count - 1]])
        columns = (column[:count].tolist() for column in (starts, fields, stops, begins, ends, flags))
        self.places = zip(*columns, strict=True)


def header(path: Path, parts: tuple[str, ...]) -> tuple[int, ...]:
    """The counts in a file's first line, named as in `parts`."""
    _, line = next(lines(path), (1, ""))
    counts = tuple(int(word) if re.fullmatch(r"\d{1,18}", word) else -1 for word in line.split())
    if len(counts) != len(parts) or min(counts) < 0 or max(counts[1:]) > MOST:
        wanted = ", ".join(f"number of {part}" for part in parts)
        raise DataError(f"Expected a header of whole numbers ({wanted}), got {shown(line)}.", file=path, line=1)
    bear_out(path, counts[0], parts[0], 1000)  # compressed lines take a thousandth of a byte at least
    return counts


def careful_pairs(line: str, *, width: int = MOST, base: int = 0) -> tuple[str, Active]:
    """The label field and the features of a line that may be unusual or wrong."""
    words = line.split()
    field = ""
    if words and not line[0].isspace() and not PAIR.fullmatch(words[0]) and not re.match(r"-?\d*:", words[0]):
        field = words.pop(0)
    pairs = [_pair(word, width, base) for word in words]
    indices = np.array([index for index, _ in pairs], np.int32)
    once(indices, base)
    return field, (indices, np.array([value for _, value in pairs], np.float32))


def once(indices: NDArray[np.int32], base: int = 0, *, what: str = "feature") -> None:
    """Raise where a number occurs twice."""
    ordered = np.sort(indices)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(twice):
        raise DataError(f"Expected each {what} once, got {twice[0] + base} twice.")


def _pair(word: str, width: int, base: int) -> tuple[int, np.float32]:
    index, colon, value = word.partition(":")
    if not colon:
        raise DataError(f"Expected feature:value, got {shown(word)}.")
    if not re.fullmatch(r"[-+]?\d{1,18}", index, re.ASCII):
        raise DataError(f"Expected a whole number as feature, got {shown(index)} in {shown(word)}.")
    place = int(index) - base
    if not 0 <= place < width:
        raise DataError(f"Expected features from {base} to {width - 1 + base}, got {index}.")
    return place, number(value, f"feature {index}")


def number(text: str, what: str) -> np.float32:
    """The finite float32 that `text` stands for."""
    if NUMBER.fullmatch(text):
        with np.errstate(over="ignore"):
            value = np.float32(float(text))
        if np.isfinite(value):
            return value
    raise DataError(f"Expected a finite number as value of {what}, got {shown(text)}.")


def pair_text(features: Active) -> str:
    """Features as `index:value index:value`, each value in the fewest digits that give it back."""
    indices, values = features
    return " ".join(f"{i}:{str(v).removesuffix('.0')}" for i, v in zip(indices.tolist(), values, strict=True))
