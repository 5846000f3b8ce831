"""Titles: what training documents are called when an explanation points at them, their ids and how they begin."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from umpteen.core.corpus import Corpus, Document, MatrixCorpus
from umpteen.core.legible import one_line
from umpteen.core.sound import check_bounds, check_kind
from umpteen.core.store import Folder, NewFolder
from umpteen.text.raw import as_they_are

_LENGTH = 100  # characters of a text
_NOTHING = np.empty(0, np.uint8), np.zeros(1, np.int64)


class Titles:
    """UTF-8 behind each other; on disk until someone asks. A document without id or text is called by its number."""

    def __init__(self, letters: NDArray[np.uint8] = _NOTHING[0], bounds: NDArray[np.int64] = _NOTHING[1]) -> None:
        self._letters, self._bounds = letters, bounds

    @classmethod
    def of(cls, titles: list[str]) -> "Titles":
        """Titles that are known already."""
        made = cls()
        made._put(titles)
        return made

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def __getitem__(self, number: int) -> str:
        part = self._letters[self._bounds[number] : self._bounds[number + 1]]
        return part.tobytes().decode("utf-8", "replace") or f"document {number + 1}"

    def noting(self, corpus: Corpus) -> Corpus:
        """The same documents; when one has gone through them, these are their titles and no others."""
        if isinstance(corpus, MatrixCorpus):  # rows have no titles
            self._letters, self._bounds = _NOTHING[0], np.zeros(corpus.X.shape[0] + 1, np.int64)
            return corpus

        def documents() -> Iterator[Document]:
            found = list[str]()
            for document in corpus:
                found.append(_title(document))
                yield document
            self._put(found)

        return corpus.changed(documents, size=corpus.size)

    def _put(self, titles: list[str]) -> None:
        parts = [_NOTHING, *as_they_are(titles)]
        self._letters = np.concatenate([letters for letters, _ in parts])
        self._bounds = np.concatenate([[0], *(np.diff(bounds) for _, bounds in parts)]).cumsum()

    def with_more(self, others: "Titles") -> "Titles":
        """These and others behind them."""
        bounds = np.concatenate([self._bounds, others._bounds[1:] + self._bounds[-1]])
        return Titles(np.concatenate([self._letters, others._letters]), bounds)

    def save(self, folder: NewFolder) -> None:
        """Write all that `load` needs."""
        folder.array("titles", self._letters)
        folder.array("title_bounds", self._bounds)

    @classmethod
    def load(cls, folder: Folder, documents: int) -> "Titles":
        """The same as was saved of so many documents."""
        letters, bounds = folder.array("titles"), folder.array("title_bounds")
        check_kind(letters, "u1")
        check_bounds(bounds, documents, len(letters))
        return cls(letters, bounds)


def _title(document: Document) -> str:
    return ": ".join(part for part in (one_line(document.id), one_line(document.text[: 4 * _LENGTH], _LENGTH)) if part)
