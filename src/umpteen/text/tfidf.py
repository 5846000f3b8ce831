"""Tf-idf: texts to sparse rows of unit length, with the numbers of scikit-learn's TfidfVectorizer.

One letter differs: a capital sigma that ends a word becomes a plain small one here, since letters are lower-cased one
by one (as `tokenizers` does too), and its final form there.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, compress, islice
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.core.corpus import Rows
from umpteen.core.errors import DataError, SettingError
from umpteen.core.progress import bar
from umpteen.core.settings import Settings, Space, setting
from umpteen.core.sound import check_kind, check_places
from umpteen.core.spill import growing
from umpteen.core.store import Folder, NewFolder
from umpteen.kernels import words as kernel
from umpteen.kernels.threads import each
from umpteen.kernels.tokens import places
from umpteen.kernels.weights import weighted
from umpteen.text.raw import Chunk, chunks, letters, raw
from umpteen.text.tokens import save_words, saved_words

Part = tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.int64]]  # columns, values, bounds of documents
Spelling = tuple[list[str], list[str]]  # names of features by column, and the words they are made of
Counted = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]  # features, counts, bounds of documents


RUNS = (
    "Longest run of words that counts as a feature; 0 for no words; none: 2 where there are a thousand texts or more, "
    "of at most 80 words on average, else 1; pairs then occur in two documents or more."
)
_TWICE = 2  # documents in which a pair of words occurs, where it is not asked for: most occur in one
_FIRST, _SHORT = 1000, 80  # texts that tell, and words on average up to which they are short


@dataclass(frozen=True, kw_only=True)
class TfidfSettings(Settings):
    """How text becomes features."""

    space: ClassVar[Space] = {"ngrams": (1, 2), "min_df": (1, 2, 3, 5)}

    ngrams: int | None = setting(
        1,
        RUNS,
        least=0,
        most=8,
    )
    characters: tuple[int, ...] = setting(
        (), "Shortest and longest character n-gram inside words, e.g. 3,5; none if empty.", least=1, most=16
    )
    min_df: int = setting(1, "A feature must occur in this many documents.", least=1)
    max_df: float = setting(1.0, "A feature may occur in this share of the documents.", least=0, most=1)
    max_features: int = setting(1_000_000, "Keep the features that occur in most documents; 0 keeps all.", least=0)
    sublinear: bool = setting(True, "Count a feature that occurs n times as 1 + ln n.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.characters and (len(self.characters) != 2 or self.characters[0] > self.characters[1]):
            raise SettingError(
                f"Setting 'characters' takes the shortest and longest n-gram, e.g. 3,5, not {self.characters}."
            )
        if not self.characters and self.ngrams == 0:
            raise SettingError("Settings 'ngrams' and 'characters' leave no features: set one of them.")


class Tfidf:
    """Learns which features there are and how rare they are, then turns texts into rows."""

    def __init__(self, settings: TfidfSettings) -> None:
        self.settings = settings
        self.ngrams = settings.ngrams if settings.ngrams is not None else 1  # until texts are there to tell
        self._same: NDArray[np.int32] | None = None  # columns as they are, for rows of features all known
        self.idf: NDArray[np.float32] = np.empty(0, np.float32)  # by column
        self._table, self._columns = kernel.table_of(np.empty(0, np.uint64))
        self._spelling: Spelling = ([], [])
        self._source: Callable[[], Spelling] | None = None  # makes the spelling, which takes long, when asked for

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.idf)

    @property
    def _form(self) -> tuple[int, int, int, int]:
        """Shortest and longest run of words, and of letters, that count."""
        low, high = self.settings.characters or (0, 0)
        return min(1, self.ngrams), self.ngrams, low, high

    def fit(self, texts: Iterable[str], *, size: int | None = None) -> sparse.csr_array:
        """Learn from texts and return their rows, going through them once."""
        if self.settings.ngrams is None:
            stream = iter(texts)
            first = [*islice(stream, _FIRST)]
            short = sum(len(text.split()) for text in first) <= _SHORT * len(first)
            self.ngrams = 2 if short and len(first) == _FIRST else 1  # of few texts, most pairs of words occur once
            texts = chain(first, stream)
        table, numbers = np.zeros(1 << 12, np.uint64), np.empty(1 << 12, np.int32)
        keys, names, sizes = list[NDArray[np.uint64]](), _Names(), list[NDArray[np.int64]]()
        features, counts = growing(np.int32), growing(np.int32)
        known = 0
        with bar("Reading words", size) as line:
            for data, bounds in chunks(texts):
                (table, numbers), counted, fresh, new = kernel.count(
                    data, bounds, *kernel.characters(), self._form, table, numbers, known, True
                )
                keys.append(fresh)
                names.add(*new)
                known += len(fresh)
                features.add(counted[0])
                counts.add(counted[1])
                sizes.append(counted[2])
                line.advance(len(bounds) - 1)
        parts, rows = [*_parted(features.whole(), counts.whole(), sizes)], sum(len(part) - 1 for part in sizes)
        df = np.zeros(known, np.int64)
        for part, _, _ in parts:
            df += np.bincount(part, minlength=known)
        all_keys = np.concatenate([np.empty(0, np.uint64), *keys])
        least = np.full(known, self.settings.min_df)
        if self.settings.ngrams is None:
            least[names.runs() & kernel.of_words(all_keys)] = max(_TWICE, self.settings.min_df)
        chosen = self._choose(df, rows, all_keys, least)
        self.idf = (np.log((1 + rows) / (1 + df[chosen])) + 1).astype(np.float32)
        self._table, self._columns = kernel.table_of(all_keys[chosen])
        self._source = partial(names.spelling, chosen, kernel.of_words(all_keys[chosen]))
        column_of = np.full(known, -1, np.int32)
        column_of[chosen] = np.arange(len(chosen))
        return self._stacked(each(lambda part: self._weighted(part, column_of), parts, jobs=self.settings.jobs)).csr()

    def transform(self, texts: Iterable[str]) -> sparse.csr_array:
        """Rows of texts; features never seen in training do not count."""
        return self.rows(texts).csr()

    def rows(self, texts: Iterable[str]) -> Rows:
        """The same without making a matrix of it."""
        if self._same is None:
            self._same = np.arange(self.width, dtype=np.int32)
        column_of = self._same

        def part(chunk: Chunk) -> Part:
            counted = kernel.count(
                *chunk, *kernel.characters(), self._form, self._table, self._columns, self.width, False
            )[1]
            return self._weighted(counted, column_of)

        return self._stacked(each(part, chunks(texts), jobs=self.settings.jobs))

    def spans(self, text: str) -> NDArray[np.int64]:
        """Where a text's word features stand: rows of (from, to, column), counted in characters."""
        if not self.ngrams:
            return np.empty((0, 3), np.int64)
        data, character_at = raw(text)
        found = kernel.spans_of(data, *kernel.characters(), *self._form[:2], self._table, self._columns)
        found[:, :2] = character_at[found[:, :2]]
        return found  # type: ignore[no-any-return]

    def words(self, text: str) -> NDArray[np.int64]:
        """Where a text's words of two letters or more stand: rows of (from, to), counted in characters."""
        data, character_at = raw(text)
        where: NDArray[np.int64] = character_at[places(data, *kernel.characters(), 2)]
        return where

    def names(self) -> list[str]:
        """The features by column, as a person reads them."""
        return self._spelled()[0]

    def save(self, folder: NewFolder) -> None:
        """Write all that `load` needs."""
        names, words = self._spelled()
        if self.settings.ngrams is None:
            folder.facts["ngrams"] = self.ngrams
        folder.array("idf", self.idf)
        folder.array("feature_table", self._table)
        folder.array("feature_columns", self._columns)
        save_words(folder, words)
        if names != words:
            folder.json("features", names)

    @classmethod
    def load(cls, folder: Folder, settings: TfidfSettings) -> "Tfidf":
        """The same as was saved."""
        made = cls(settings)
        if settings.ngrams is None:
            made.ngrams = folder.facts.get("ngrams", 0)
            if type(made.ngrams) is not int or made.ngrams not in (1, 2):
                raise DataError("It does not say how many words make a feature.")
        made.idf, made._table, made._columns = (folder.array(n) for n in ("idf", "feature_table", "feature_columns"))
        made._check()

        def saved() -> Spelling:
            words = saved_words(folder)
            return folder.json("features") if folder.has("features.json") else words, words

        made._source = saved
        return made

    def _check(self) -> None:
        """Raise where the table would be searched for ever, or leads to columns that are not there."""
        check_kind(self.idf, "f4")
        check_kind(self._table, "u8")
        check_kind(self._columns, "i4")
        size, used = len(self._table), self._table != 0
        if size & (size - 1) or len(self._columns) != size or used.all():
            raise DataError(f"A table of {size} features with {len(self._columns)} columns cannot be searched.")
        check_places(self._columns[used], self.width)

    def _spelled(self) -> Spelling:
        if self._source is not None:
            self._spelling, self._source = self._source(), None
        return self._spelling

    def _choose(
        self, df: NDArray[np.int64], rows: int, keys: NDArray[np.uint64], least: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """The features to keep, in `least` documents or more, those of most first.

        Ties fall by hash, whatever the order of the texts.
        """
        kept = np.flatnonzero((df >= least) & (df <= self.settings.max_df * rows))
        if not len(kept):
            raise DataError(
                f"No feature is left of {len(df)} in {rows} documents: "
                + ("lower min_df or raise max_df." if len(df) else "there are no words of two letters or more.")
            )
        order = kept[np.lexsort((keys[kept], -df[kept]))]
        return order[: self.settings.max_features or None]

    def _weighted(self, counted: Counted, column_of: NDArray[np.int32]) -> Part:
        return weighted(*counted, column_of, self.idf, self.settings.sublinear)  # type: ignore[no-any-return]

    def _stacked(self, parts: Iterable[Part]) -> Rows:
        columns, values, ends = growing(np.int32), growing(np.float32), list[NDArray[np.int64]]()
        for part in parts:
            columns.add(part[0])
            values.add(part[1])
            ends.append(part[2])
        bounds = ends[0] if len(ends) == 1 else np.concatenate([[0], *map(np.diff, ends)]).cumsum()
        return Rows(bounds, columns.whole(), values.whole(), (len(bounds) - 1, self.width))


def _parted(
    features: NDArray[np.int32], counts: NDArray[np.int32], parts: list[NDArray[np.int64]]
) -> Iterator[Counted]:
    """What was counted, as many documents at a time as were counted together; `parts` has the bounds of each."""
    start = 0
    for bounds in parts:
        end = start + int(bounds[-1])
        yield features[start:end], counts[start:end], bounds
        start = end


class _Names:
    """Names of features, many to a string."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._bounds: list[NDArray[np.int64]] = []
        self._runs: list[NDArray[np.bool_]] = []
        self._firsts = [0]

    def add(self, points: NDArray[np.int32], bounds: NDArray[np.int64]) -> None:
        self._texts.append(letters(points))
        blanks = np.concatenate([[0], np.cumsum(points == ord(" "))])
        self._runs.append(blanks[bounds[1:]] > blanks[bounds[:-1]])
        self._bounds.append(bounds)
        self._firsts.append(self._firsts[-1] + len(bounds) - 1)

    def runs(self) -> NDArray[np.bool_]:
        """Which names are of several words."""
        return np.concatenate([np.empty(0, bool), *self._runs])

    def spelling(self, numbers: NDArray[np.int64], of_words: NDArray[np.bool_]) -> Spelling:
        """The names at these places, and the words that those made of words consist of."""
        names = self._at(numbers)
        spoken = " ".join(compress(names, of_words.tolist()))
        return names, list(dict.fromkeys(spoken.split(" "))) if spoken else []

    def _at(self, numbers: NDArray[np.int64]) -> list[str]:
        parts = np.searchsorted(self._firsts, numbers, side="right") - 1
        inside = numbers - np.array(self._firsts)[parts]
        return [
            self._texts[part][self._bounds[part][at] : self._bounds[part][at + 1]]
            for part, at in zip(parts.tolist(), inside.tolist(), strict=True)
        ]
