"""Files of word vectors, read as a stream: the text of GloVe, word2vec and fastText, and word2vec's binary form."""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from umpteen.core.errors import DataError, shown
from umpteen.core.files import CHUNK, opened, raw_lines

_SNIFF = 2**16  # bytes that tell text from binary
_WORD = 2**12  # bytes that no word reaches
_ZIP = b"PK\x03\x04"
_WIDEST = 2**15  # numbers that no vector reaches; in text, as many as the first line can show

Entry = tuple[int, bytes, bytes]  # number of the entry in the file, from 1; word; its numbers, not yet read


@dataclass(frozen=True)
class VectorFile:
    """What the first lines of a file say about it."""

    path: Path
    width: int
    promised: int | None  # words, as a header says; None without one
    binary: bool

    @classmethod
    def open(cls, path: Path) -> "VectorFile":
        """The kind of a file."""
        with opened(path) as stream:
            first, rest = stream.readline(_SNIFF).removeprefix(codecs.BOM_UTF8).strip(), stream.read(_SNIFF)
        if first.startswith(_ZIP):
            raise DataError("This is a zip archive. Unpack it and name the file that was in it.", file=path)
        if _is_binary(first[: 1 << 10]):
            raise DataError(
                "These are no word vectors in GloVe's or word2vec's form. gensim writes that with "
                "`KeyedVectors.save_word2vec_format`.",
                file=path,
            )
        head = first.split()
        if len(head) == 2 and all(part.isdigit() and len(part) < 19 for part in head):
            width = int(head[1])
            made = cls(path, width, int(head[0]), _is_binary(rest.partition(b" ")[2][: 4 * width]))
        else:
            made = cls(path, len(head) - 1, None, False)
            made._check_first(head, rest.partition(b"\n")[0].split())
        if not 0 < made.width < _WIDEST:
            raise DataError(
                "Expected a word and its vector's numbers with blanks between, or the numbers of words and columns, "
                f"got {shown(first.decode(errors='replace'))}.",
                file=path,
                line=1,
            )
        return made

    def _check_first(self, first: list[bytes], second: list[bytes]) -> None:
        """The first line says how wide vectors are, so it has to be one; words with blanks are wider."""
        if first[1:] and not _is_number(first[-1]):
            raise DataError(
                f"Expected a word and its vector's numbers, got {shown(b' '.join(first).decode(errors='replace'))}. "
                "If it is a heading, delete the line.",
                file=self.path,
                line=1,
            )
        if len(second) > len(first) > 2 and all(map(_is_number, second[1:])):
            raise DataError(
                f"Expected as many numbers as in the second line, {len(second) - 1}, got {len(first) - 1}.",
                file=self.path,
                line=1,
            )

    def entries(self) -> Iterator[Entry]:
        """All words with their numbers as they stand there."""
        count = 0
        for entry in self._packed() if self.binary else self._printed():
            count += 1
            yield entry
        if self.promised is not None and count != self.promised:
            raise DataError(
                f"The first line promises {self.promised} words, and there are {count}. Fetch it again.", file=self.path
            )

    def vector(self, entry: Entry) -> NDArray[np.float32]:
        """The numbers of an entry."""
        number, word, values = entry
        try:
            made = (
                np.frombuffer(values, "<f4") if self.binary else np.array([*map(float, values.split(b" "))], np.float32)
            )
        except ValueError as error:
            raise self._wrong(number, word, f"Expected numbers with blanks between ({error})") from None
        if not np.isfinite(made).all():
            raise self._wrong(number, word, "Expected finite numbers, got others")
        return made

    def _printed(self) -> Iterator[Entry]:
        header = self.promised is not None
        for number, line in enumerate(raw_lines(self.path), start=1):
            if header and number == 1:
                continue
            line = line.rstrip()
            if not line:
                continue
            if line.count(b" ") != self.width:  # tabs, several blanks, or a word with blanks in it
                line = b" ".join(line.split())
            blanks = line.count(b" ")
            if blanks == self.width:
                word, _, values = line.partition(b" ")
            elif blanks > self.width:  # a word with blanks in it
                values = line.split(b" ", blanks - self.width + 1)[-1]
                word = line[: -len(values) - 1]
            else:
                word = line.partition(b" ")[0]
                raise self._wrong(number - header, word, f"Expected {self.width} numbers, got {blanks}")
            yield number - header, word, values

    def _packed(self) -> Iterator[Entry]:
        size = 4 * self.width
        with opened(self.path) as stream:
            stream.readline(_SNIFF)
            held, place = b"", 0
            for number in range(1, (self.promised or 0) + 1):
                if len(held) - place < _WORD + size:
                    held, place = held[place:] + stream.read(CHUNK + size), 0
                end = held.find(b" ", place, place + _WORD) + 1
                if not end or end + size > len(held):
                    raise DataError(
                        f"Expected {self.promised} words with {self.width} numbers each, and word {number} is cut off "
                        "or damaged. Fetch it again.",
                        file=self.path,
                    )
                yield number, held[place : end - 1].lstrip(b"\n"), held[end : end + size]
                place = end + size

    def _wrong(self, number: int, word: bytes, problem: str) -> DataError:
        line = None if self.binary else number + (self.promised is not None)
        return DataError(f"{problem} for the word {shown(word.decode(errors='replace'))}.", file=self.path, line=line)


def _is_number(part: bytes) -> bool:
    try:
        float(part)
    except ValueError:
        return False
    return True


def _is_binary(data: bytes) -> bool:
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(data)  # the last letter may be cut
    except UnicodeDecodeError:
        return True
    return any(letter < " " and letter not in "\t\r\n" for letter in text)
