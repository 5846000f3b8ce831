"""Format: one way to lay out a corpus in files; told from its first lines, read and written as a stream."""

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from umpteen.core.corpus import Bad, Corpus, Document
from umpteen.core.errors import DataError
from umpteen.core.files import decoded, opened, plain_name, raw_lines
from umpteen.data.output import Output


class Head:
    """What a format is told from: the path, and the first lines where it is a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = plain_name(path)
        self.is_folder = path.is_dir()
        self.lines = _first_lines(path) if path.is_file() else []
        self.filled = [line for line in self.lines if line.strip()]


def _first_lines(path: Path, *, most: int = 20, room: int = 2**24) -> list[str]:
    found: list[str] = []
    with opened(path) as stream:
        while room > 0 and len(found) < most and (line := stream.readline(room)):
            room -= len(line)
            found.append(line.decode("utf-8-sig", "replace").rstrip("\r\n"))
    return found


class Source:
    """One request to read: where from, how features are numbered, what happens to malformed lines."""

    def __init__(self, path: Path, *, base: int | None = None, skip_bad: bool = False) -> None:
        self.path = path
        self.base = base
        self.skip_bad = skip_bad
        self.bad = Bad()

    def report(self, problem: DataError | str, file: Path, line: int | None = None) -> None:
        """Raise the problem with its place; count it where bad lines are skipped."""
        if not isinstance(problem, DataError) or problem.file is None:
            problem = DataError(str(problem), file=file, line=line)
        if not self.skip_bad:
            raise problem
        self.bad.add(str(problem))

    def parsed(self, path: Path, parse: Callable[[str], Document | None]) -> Iterator[Document]:
        """The document of each line; None says that the line holds none."""
        for number, raw in enumerate(raw_lines(path), start=1):
            try:
                document = parse(decoded(raw))
            except DataError as problem:
                self.report(problem, path, number)
                continue
            if document is not None:
                yield document

    def corpus(self, documents: Callable[[], Iterator[Document]], **known: Any) -> Corpus:
        """A corpus over what `documents` gives anew in each pass."""

        def fresh() -> Iterator[Document]:
            self.bad.clear()
            return documents()

        return Corpus(fresh, name=str(self.path), bad=self.bad, **known)


class Format(ABC):
    """A layout of documents in files. Its name is its file's name, its meaning that file's first line."""

    names: tuple[str, ...] = ()  # file names that say which format to write
    holds_text = True
    holds_features = False
    holds_label_names = False

    @property
    def name(self) -> str:
        """What `--format` takes."""
        return type(self).__module__.rpartition(".")[2]

    @property
    def meaning(self) -> str:
        """One line that says what it is."""
        return (sys.modules[type(self).__module__].__doc__ or "").partition("\n")[0]

    def named(self, path: Path) -> bool:
        """Whether the file's name asks for this format."""
        return any(fnmatch(plain_name(path).lower(), pattern.lower()) for pattern in self.names)

    @abstractmethod
    def detect(self, head: Head) -> bool:
        """Whether this is clearly what lies there."""

    @abstractmethod
    def read(self, source: Source) -> Corpus:
        """The corpus there."""

    @abstractmethod
    def write(self, corpus: Corpus, output: Output) -> None:
        """Lay the corpus out."""


class LineFormat(Format):
    """A text format with one document per line."""

    @abstractmethod
    def parse(self, line: str) -> Document | None:
        """The document of a line; None where there is none."""

    @abstractmethod
    def compose(self, document: Document, output: Output) -> str:
        """The line of a document."""

    def read(self, source: Source) -> Corpus:
        """A document per line."""
        return source.corpus(lambda: source.parsed(source.path, self.parse))

    def write(self, corpus: Corpus, output: Output) -> None:
        """A line per document."""
        stream = output.open()
        for document in output.counted(corpus):
            stream.write(output.encoded(self.compose(document, output)))
