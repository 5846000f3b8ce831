"""Texts as UTF-8 bytes behind each other: what the compiled loops read."""

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

_CHUNK = 2048  # texts at a time

Chunk = tuple[NDArray[np.uint8], NDArray[np.int64]]  # bytes of texts behind each other, and their bounds


def chunks(texts: Iterable[str]) -> Iterator[Chunk]:
    """Many texts at a time, with their bounds."""
    stream = iter(texts)
    while part := [_bytes(text) for text in islice(stream, _CHUNK)]:
        bounds = np.zeros(len(part) + 1, np.int64)
        np.cumsum([len(text) for text in part], out=bounds[1:])
        yield np.frombuffer(b"".join(part), np.uint8), bounds


def raw(text: str) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """A text's bytes, and for each of them and for the end the place of its character."""
    data = np.frombuffer(_bytes(text), np.uint8)
    return data, np.append(np.cumsum((data & 0xC0) != 0x80) - 1, len(text))


def letters(points: NDArray[np.int32]) -> str:
    """The text of code points."""
    return points.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
