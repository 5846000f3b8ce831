"""Texts as UTF-8 bytes behind each other: what the compiled loops read.

Letters are composed (Unicode's NFC): an ä is the same whether it came as one character or as an a with two dots.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise

import numpy as np
from numpy.typing import NDArray

from umpteen.kernels.words import MARK, characters

_CHUNK = 2048  # texts at a time

Chunk = tuple[NDArray[np.uint8], NDArray[np.int64]]  # bytes of texts behind each other, and their bounds


def chunks(texts: Iterable[str]) -> Iterator[Chunk]:
    """Many texts at a time, with their bounds."""
    return as_they_are(map(_composed, texts))


def as_they_are(texts: Iterable[str]) -> Iterator[Chunk]:
    """The same for what need not be composed."""
    stream = iter(texts)
    while part := [_bytes(text) for text in islice(stream, _CHUNK)]:
        bounds = np.zeros(len(part) + 1, np.int64)
        np.cumsum([len(text) for text in part], out=bounds[1:])
        yield np.frombuffer(b"".join(part), np.uint8), bounds


def raw(text: str) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """A text's bytes, and for each of them and for the end the place of its character."""
    composed = _composed(text)
    data = np.frombuffer(_bytes(composed), np.uint8)
    character_at = np.append(np.cumsum((data & 0xC0) != 0x80) - 1, len(composed))
    return data, character_at if composed == text else _came_from(text)[character_at]


def letters(points: NDArray[np.int32]) -> str:
    """The text of code points."""
    return points.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _composed(text: str) -> str:
    return text if text.isascii() or unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def _came_from(text: str) -> NDArray[np.int64]:
    """For each character of a text that is composed, and for the end, where it stood before."""
    starts = [at for at, letter in enumerate(text) if not at or not _goes_on(letter)]
    found = list[int]()
    for start, end in pairwise([*starts, len(text)]):
        length = len(unicodedata.normalize("NFC", text[start:end]))
        found += [min(at, end - 1) for at in range(start, start + length)]
    return np.array([*found, len(text)], np.int64)


def _goes_on(letter: str) -> bool:
    """Whether it may become one with what stands before it: marks, and the later parts of Korean syllables."""
    kind, _ = characters()
    return (ord(letter) < len(kind) and kind[ord(letter)] == MARK) or "\u1160" <= letter <= "\u11ff"
