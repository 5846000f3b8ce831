"""Vocabulary: texts to sequences of word ids, for models that read words in their order.

A word is one or more letters, digits or underscores in a row with their marks, composed and lower-cased.
Id 0 is padding, 1 an unknown word.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from umpteen.core.errors import DataError
from umpteen.core.progress import bar
from umpteen.core.store import Folder, NewFolder
from umpteen.kernels import words as kernel
from umpteen.kernels.threads import each
from umpteen.kernels.tokens import numbered, places
from umpteen.text.raw import Chunk, as_they_are, chunks, letters, raw
from umpteen.text.tokens import SPECIAL, save_words, saved_words

_WORDS_ONLY = (1, 1, 0, 0)  # no n-grams

Table = tuple[NDArray[np.uint64], NDArray[np.int32]]  # hashes of words, and their numbers


@dataclass(frozen=True)
class Tokens:
    """The word ids of many texts, behind each other; where they are features, with their values."""

    ids: NDArray[np.int32]
    bounds: NDArray[np.int64]  # document d is ids[bounds[d]:bounds[d + 1]]
    values: NDArray[np.float32] | None = None  # of each id

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many ids each document has."""
        return np.diff(self.bounds)

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def blank(self) -> NDArray[np.bool_]:
        """Which documents have no id that stands for something known."""
        known = np.concatenate([[0], np.cumsum(self.ids >= len(SPECIAL))])
        return np.asarray(known[self.bounds[1:]] == known[self.bounds[:-1]])

    def take(self, rows: NDArray[np.integer]) -> "Tokens":
        """The documents at these places."""
        lengths = self.lengths[rows]
        bounds = np.concatenate([[0], np.cumsum(lengths)])
        chosen = np.repeat(self.bounds[rows] - bounds[:-1], lengths) + np.arange(bounds[-1])
        return Tokens(self.ids[chosen], bounds, None if self.values is None else self.values[chosen])

    def with_more(self, others: "Tokens") -> "Tokens":
        """These and others behind them; none have values."""
        assert self.values is None and others.values is None
        bounds = np.concatenate([self.bounds, others.bounds[1:] + self.bounds[-1]])
        return Tokens(np.concatenate([self.ids, others.ids]), bounds)

    def padded(
        self, rows: NDArray[np.integer], *, step: int = 1
    ) -> tuple[NDArray[np.int64], NDArray[np.float32] | None]:
        """The ids of some documents, one a row, with zeros behind up to a multiple of `step`; and their values."""
        starts = self.bounds[rows]
        lengths = self.bounds[np.asarray(rows) + 1] - starts
        columns = np.arange(-(-lengths.max(initial=0) // step) * step)
        inside = columns < lengths[:, None]  # (rows, longest)
        chosen = (starts[:, None] + columns)[inside]
        ids = np.zeros(inside.shape, np.int64)
        ids[inside] = self.ids[chosen]
        if self.values is None:
            return ids, None
        values = np.zeros(inside.shape, np.float32)
        values[inside] = self.values[chosen]
        return ids, values


class Vocabulary:
    """The words a model knows, and texts as their ids."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = list(words)  # ids from 2
        (chunk,) = as_they_are([" ".join(self.words)])
        (self._table, self._numbers), _, found = _counted(chunk, *_empty(), 0)
        if found != self.words:
            raise DataError("A vocabulary takes words in lower case, each once.")

    @classmethod
    def fit(cls, texts: Iterable[str], *, most: int, min_df: int, size: int | None = None) -> "Vocabulary":
        """The `most` words (0: all) that occur in most texts, in `min_df` of them at least; equal ones by alphabet."""
        table, words, df, read = _empty(), list[str](), np.empty(0, np.int64), 0
        with bar("Reading words", size) as line:
            for chunk in chunks(texts):
                table, found, new = _counted(chunk, *table, len(words))
                words += new
                counts = np.bincount(found, minlength=len(words))
                counts[: len(df)] += df
                df = counts
                read += len(chunk[1]) - 1
                line.advance(len(chunk[1]) - 1)
        often = df.tolist()
        kept = [number for number, count in enumerate(often) if count >= min_df]
        if not kept:
            raise DataError(
                f"No word is left of {len(words)} in {read} documents: "
                + (f"lower min_df, which is {min_df}." if words else "there are no letters in them.")
            )
        kept.sort(key=lambda number: (-often[number], words[number]))
        return cls([words[number] for number in kept[: most or None]])

    def with_words_of(self, texts: Iterable[str], *, most: int | None = None) -> "Vocabulary":
        """These words, and behind them those of some more texts, until there are `most`."""
        table, words = _empty(), list[str]()
        for chunk in chunks(texts):
            table, _, new = _counted(chunk, *table, len(words))
            words += new
        known = set(self.words)
        return Vocabulary([*self.words, *(word for word in words if word not in known)][: most or None])

    def __len__(self) -> int:
        """How many ids there are, those of padding and the unknown word among them."""
        return len(SPECIAL) + len(self.words)

    def tokens(self, texts: Iterable[str], *, most: int, jobs: int = 0) -> Tokens:
        """The first `most` ids of each text; one without any word is a single unknown word."""

        def part(chunk: Chunk) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
            found, bounds = numbered(*chunk, *kernel.characters(), self._table, self._numbers, most)
            return found + np.int32(len(SPECIAL)), bounds  # -1, a word not known, becomes 1

        parts = list(each(part, chunks(texts), jobs=jobs))
        ids = np.concatenate([np.empty(0, np.int32), *(ids for ids, _ in parts)])
        return Tokens(ids, np.concatenate([[0], *(np.diff(bounds) for _, bounds in parts)]).cumsum())

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where each word of a text begins and ends, in characters; the same words as in `tokens`, all of them."""
        data, character_at = raw(text)
        return [(start, end) for start, end in character_at[places(data, *kernel.characters())].tolist()]

    def save(self, folder: NewFolder) -> None:
        """Write all that `load` needs."""
        save_words(folder, self.words, least=1)

    @classmethod
    def load(cls, folder: Folder) -> "Vocabulary":
        """The same as was saved."""
        return cls(saved_words(folder))


def _empty() -> Table:
    return kernel.table_of(np.empty(0, np.uint64))


def _counted(
    chunk: Chunk, table: NDArray[np.uint64], numbers: NDArray[np.int32], known: int
) -> tuple[Table, NDArray[np.int32], list[str]]:
    """The table with the words of some texts added, the words of each text by number, once each, and what is new."""
    larger, (found, _, _), _, (points, bounds) = kernel.count(
        *chunk, *kernel.characters(), _WORDS_ONLY, table, numbers, known, True, 1
    )
    spelt = letters(points)
    return larger, found, [spelt[start:end] for start, end in pairwise(bounds.tolist())]
