"""What `umpteen tag` reads: a corpus, a text, a text file, a line each, or what is piped in; always as a stream."""

import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from typer import BadParameter

from umpteen.app.border import note
from umpteen.core.errors import DataError
from umpteen.core.files import decoded, lines_of, opened, raw_lines, whole
from umpteen.data.folder import TEST, corpus_at, is_corpus

if TYPE_CHECKING:
    from umpteen.core.corpus import Corpus, Document

PIPE = "-"


def documents_of(
    file: str | None, text: str | None, *, lines: bool, format: str | None, base: int | None, skip_bad: bool
) -> "Corpus":
    """The documents the user named; a corpus of size 1 without an id is a text by itself."""
    from umpteen.core.corpus import Corpus

    if (file is None) == (text is None):
        problem = (
            "Give a file or --text, not both."
            if text is not None
            else "Name a FILE, - for what is piped in, or --text."
        )
        raise BadParameter(problem, param_hint="FILE")
    if file is None:
        if not (text or "").strip():
            raise DataError("The text to tag is empty.")
        return Corpus.from_texts([text or ""], name="--text")
    if lines:
        stream = lines_of(_piped(), "the input") if file == PIPE else raw_lines(Path(file))
        return Corpus(lambda: _numbered(stream, file), name=file)
    if file == PIPE:
        return _from_pipe(format)
    if format is None and Path(file).is_file() and not is_corpus(Path(file)):
        with opened(Path(file)) as content:
            return _whole(whole(content, file), file)
    return corpus_at(Path(file), part=TEST, format=format, base=base, skip_bad=skip_bad)


def _from_pipe(format: str | None) -> "Corpus":
    """JSON lines where the input begins like one, or the line format that was named; else one text."""
    from umpteen.core.corpus import Corpus
    from umpteen.data.format import LineFormat
    from umpteen.data.formats import format_named

    piped = _piped()
    stream = lines_of(piped, "the input", ends=True)
    first = next((line for line in stream if line.strip()), b"")
    if format is None and not first.lstrip().startswith(b"{"):
        return _whole(first + whole(piped, "the input"), "the input")
    kind = format_named(format or "jsonl")
    if not isinstance(kind, LineFormat):
        raise DataError(f"{kind.name} cannot be read from a pipe, only from a file.")
    return Corpus(lambda: _parsed(chain([first], stream), kind.parse), name="the input")


def _piped() -> BinaryIO:
    if sys.stdin.isatty():
        note("Type or paste the text, then press Ctrl-D.")
    return sys.stdin.buffer


def _whole(raw: bytes, name: str) -> "Corpus":
    from umpteen.core.corpus import Corpus

    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(
            f"Expected text in UTF-8, got byte 0x{raw[error.start]:02x} at place {error.start + 1}.", file=name
        ) from None
    if not text.strip():
        raise DataError("There is no text to tag.", file=name)
    return Corpus.from_texts([text], name=name)


def _numbered(stream: Iterable[bytes], name: str) -> "Iterator[Document]":
    """A document for each line that is not blank; its id is the line's number."""
    from umpteen.core.corpus import Document

    for number, raw in enumerate(stream, start=1):
        if raw.strip():
            yield Document(_placed(raw, name, number).strip(), id=str(number))


def _parsed(stream: Iterable[bytes], parse: "Callable[[str], Document | None]") -> "Iterator[Document]":
    for number, raw in enumerate(stream, start=1):
        try:
            document = parse(decoded(raw.rstrip(b"\r\n")))
        except DataError as problem:
            raise DataError(str(problem), file="the input", line=number) from None
        if document is not None:
            yield document


def _placed(raw: bytes, name: str, number: int) -> str:
    try:
        return decoded(raw)
    except DataError as problem:
        raise DataError(str(problem), file=name, line=number) from None
