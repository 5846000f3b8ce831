"""Output: one request to write a corpus; it counts what the format has no place for and words what it cannot hold."""

import re
from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from umpteen.core.corpus import Document
from umpteen.core.errors import DataError
from umpteen.core.files import Staging, existing, raw_lines

BREAKS = re.compile(r"\r\n|[\r\n]")


@dataclass
class Summary:
    """What became of a corpus that was written."""

    format: str
    path: Path
    documents: int = 0
    dropped: Counter[str] = field(default_factory=Counter)  # what the format has no place for -> how many
    changed: Counter[str] = field(default_factory=Counter)  # what was made to fit -> in how many documents

    def __str__(self) -> str:
        parts = [f"{self.documents:,} documents written to {self.path} as {self.format}."]
        parts += [
            f"Left out, as {self.format} has no place for it: {what} ({n:,})." for what, n in self.dropped.items()
        ]
        return "\n".join(parts + [f"Changed: {what} ({n:,})." for what, n in self.changed.items()])


class Output:
    """Where a format writes to."""

    def __init__(self, path: Path, format: str, staging: Staging, *, base: int | None = None) -> None:
        self.path = path
        self.base = base
        self.staging = staging
        self.with_ids = True
        self.summary = Summary(format, path)
        self._current = Document()

    def open(self, path: Path | None = None) -> BinaryIO:
        """A stream that becomes the file at `path`, the one asked for unless said, when all is done."""
        return self.staging.open(path or self.path)

    def counted(self, documents: Iterable[Document]) -> Iterator[Document]:
        """The documents, each counted and remembered for the words of an error."""
        for document in documents:
            self._current = document
            self.summary.documents += 1
            yield document

    def encoded(self, line: str) -> bytes:
        """A line as it stands in the file."""
        try:
            return f"{line}\n".encode()
        except UnicodeEncodeError:
            raise self.cannot("holds half of a surrogate pair, which UTF-8 cannot write", other=None) from None

    def cannot(self, problem: str, *, other: str | None = "jsonl") -> DataError:
        """The error for a document that does not fit, with the format that would hold it."""
        shown = f" ({self._current.id!r})" if self._current.id else ""
        hint = f" Write it as {other} instead." if other else ""
        return DataError(f"Document {self.summary.documents}{shown} {problem}.{hint}")

    def no_place(self, document: Document, *, id: bool = True, held: Container[str] = ()) -> None:
        """Count as left out a document's id, unless it has its place, and all metadata but what is held."""
        if id and document.id:
            self.summary.dropped["ids"] += 1
        for name in document.metadata:
            if name not in held:
                self.summary.dropped[f"metadata {name!r}"] += 1

    def one_line(self, text: str, *, tabs: bool = True) -> str:
        """The text with its line breaks, and its tabs unless they may stay, as spaces."""
        flat = BREAKS.sub(" ", text) if "\n" in text or "\r" in text else text
        flat = flat if tabs else flat.replace("\t", " ")
        if flat != text:
            self.summary.changed["line breaks and tabs in the text became spaces"] += 1
        return flat

    def words(self, labels: Iterable[str], *, never: str = "") -> tuple[str, ...]:
        """Labels for a format that puts spaces, or the signs in `never`, between them."""
        found = tuple(labels)
        for label in found:
            if label.split() != [label] or any(sign in label for sign in never):
                raise self.cannot(
                    f"has the label {label!r}, but {self.summary.format} needs labels without spaces"
                    + (f" and without {' '.join(never)}" if never else "")
                )
        return found

    def companion(self, path: Path, rows: Collection[str]) -> None:
        """A list that lies beside the corpus for all that is in the folder, so never replaced by another."""
        known = existing(path)
        if known is None:
            self.open(path).writelines(self.encoded(row) for row in rows)
        elif list(raw_lines(known)) != [row.encode() for row in rows]:
            raise DataError(f"{known} holds other names than this corpus needs there. Write into another folder.")


def beside(document: Document, reserved: Collection[str], output: Output) -> Mapping[str, Any]:
    """The metadata that can stand beside the format's own names; what clashes with them is counted as left out."""
    free = {name: value for name, value in document.metadata.items() if name not in reserved}
    output.no_place(document, id=False, held=free)
    return free
