"""Files as they lie on disk: opened by what they hold, read line by line with a guard, written beside and renamed."""

import bz2
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Self, cast

from umpteen.core.beside import beside, clear, remove
from umpteen.core.errors import DataError, did_you_mean

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

LINE_LIMIT = 256 * 2**20  # bytes; a longer line is damage, or not text at all
_PLENTY, _RATIO = (
    256 * 2**20,
    200,
)  # bytes; files that unpack to more than that, and to so many times their size, are bombs
CHUNK = 2**20
BOM = b"\xef\xbb\xbf"
ENDINGS = (".gz", ".bz2", ".xz")


def plain_name(path: Path) -> str:
    """The file's name without the ending that compression added."""
    return path.stem if path.suffix.lower() in ENDINGS else path.name


def existing(path: Path) -> Path | None:
    """The file at `path`, or the same compressed; None where there is neither."""
    options = (path, *(path.with_name(path.name + ending) for ending in ENDINGS))
    return next((option for option in options if option.is_file()), None)


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The file's bytes, decompressed where its first bytes say that it is compressed."""
    try:
        with path.open("rb") as raw, _decompressed(raw, path) as stream:
            yield stream
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise DataError(f"The compressed file is cut off or damaged ({error}). Fetch it again.", file=path) from error
    except FileNotFoundError as error:
        raise DataError(missing(path)) from error
    except IsADirectoryError as error:
        raise DataError("This is a folder where a file is needed.", file=path) from error
    except OSError as error:
        raise DataError(f"The file cannot be read: {error.strerror or error}.", file=path) from error


def missing(path: Path) -> str:
    """That there is nothing at `path`, with the near match beside it."""
    beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
    hint = did_you_mean(path.name, beside)
    return f"There is no file {path}." + (f" {hint}" if hint.startswith("Did you") else "")


def _decompressed(raw: BinaryIO, path: Path) -> BinaryIO:
    magic = raw.read(6)
    raw.seek(0)
    packed: io.BufferedIOBase
    if magic.startswith(b"\x1f\x8b"):
        packed = gzip.GzipFile(fileobj=raw)
    elif magic.startswith(b"BZh"):
        packed = bz2.BZ2File(raw)
    elif magic == b"\xfd7zXZ\x00":
        packed = lzma.LZMAFile(raw)  # noqa: SIM115
    else:
        return raw
    return cast(BinaryIO, io.BufferedReader(_Measured(packed, path), CHUNK))


class _Measured(io.RawIOBase):
    """What a file unpacks to, as long as that is in keeping with the file's size."""

    def __init__(self, packed: io.BufferedIOBase, path: Path) -> None:
        self._packed, self._path = packed, path
        self._left = max(_PLENTY, _RATIO * path.stat().st_size)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        count = self._packed.readinto(buffer)
        self._left -= count
        if self._left < 0:
            raise DataError(
                f"The compressed file unpacks to over {_RATIO} times its size: it is damaged, or made to fill memory. "
                "If you trust it, unpack it first.",
                file=self._path,
            )
        return count


def raw_lines(path: Path, *, ends: bool = False) -> Iterator[bytes]:
    """The file's lines, without their ends unless asked for."""
    with opened(path) as stream:
        yield from lines_of(stream, path, ends=ends)


def lines_of(stream: BinaryIO, name: Path | str, *, ends: bool = False) -> Iterator[bytes]:
    """A stream's lines, none of which may be longer than memory bears."""
    number = 1
    line = stream.readline(LINE_LIMIT + 1).removeprefix(BOM)
    while line:
        if len(line) > LINE_LIMIT:
            raise too_long(name, number)
        yield line if ends else line.rstrip(b"\r\n")
        line = stream.readline(LINE_LIMIT + 1)
        number += 1


def blocks(path: Path, *, after: int = 0) -> Iterator[tuple[int, bytes]]:
    """The file behind its first `after` lines, many whole lines at once, each time with the number of the first."""
    with opened(path) as stream:
        for number in range(1, after + 1):
            if len(stream.readline(LINE_LIMIT + 1)) > LINE_LIMIT:
                raise too_long(path, number)
        number, held, size = after + 1, list[bytes](), 0
        while chunk := stream.read(CHUNK):
            if not held and number == 1:
                chunk = chunk.removeprefix(BOM)
            cut = chunk.rfind(b"\n") + 1
            size += len(chunk)
            if not cut:
                held.append(chunk)
                if size > LINE_LIMIT:
                    raise too_long(path, number)
                continue
            block = b"".join((*held, chunk[:cut]))
            held, size = [chunk[cut:]], len(chunk) - cut
            yield number, block
            number += block.count(b"\n")
        if rest := b"".join(held):
            yield number, rest


def whole(stream: BinaryIO, path: Path | str) -> bytes:
    """All of a stream that is one document."""
    raw = stream.read(LINE_LIMIT + 1)
    if len(raw) > LINE_LIMIT:
        raise too_long(path, None, what="document")
    return raw


def decoded(raw: bytes) -> str:
    """The text of a line."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise DataError(
            f"Expected UTF-8, got byte 0x{raw[error.start]:02x} at place {error.start + 1} of the line. "
            "Save the file as UTF-8."
        ) from None


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """The file's lines as text, numbered from 1."""
    for number, raw in enumerate(raw_lines(path), start=1):
        try:
            yield number, decoded(raw)
        except DataError as problem:
            raise DataError(str(problem), file=path, line=number) from None


def too_long(path: Path | str, number: int | None, *, what: str = "line") -> DataError:
    """The error for a line or document over the limit."""
    problem = f"Expected a {what} of at most {LINE_LIMIT / 2**20:g} MiB, got a longer one."
    return DataError(problem, file=path, line=number)


class Staging:
    """Files written beside their places; they appear all together when the block ends well, else none does."""

    def __init__(self) -> None:
        self._moves: list[tuple[Path, Path]] = []  # (written, wanted)
        self._streams = ExitStack()

    def open(self, path: Path) -> BinaryIO:
        """A stream that will be the file at `path`, compressed as its ending says."""
        raw = self._streams.enter_context(self._beside(path).open("wb"))
        self._streams.callback(_settled, raw)
        return self._streams.enter_context(_compressed(raw, path.suffix.lower()))

    def folder(self, path: Path) -> Path:
        """A folder to fill that will be the one at `path`, which must not hold anything yet."""
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise DataError("This exists already. Name a new folder to write into.", file=path)
        made = self._beside(path)
        made.mkdir()
        return made

    def _beside(self, path: Path) -> Path:
        if not path.parent.is_dir():
            raise DataError(f"There is no folder {path.parent} to write {path.name} into.")
        clear(path)
        hidden = beside(path)
        self._moves.append((hidden, path))
        return hidden

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self._streams.close()
                for written, wanted in self._moves:
                    written.replace(wanted)
                for folder in {wanted.parent for _, wanted in self._moves}:
                    sync(folder)
        except OSError as failed:
            error = failed
        finally:
            with suppress(OSError, ValueError):
                self._streams.close()
            for written, _ in self._moves:
                remove(written)
        if isinstance(error, OSError):
            place = self._moves[-1][1] if self._moves else None
            raise DataError(f"The file cannot be written: {error.strerror or error}.", file=place) from error


def sync(path: Path) -> None:
    """Have the system put on disk what it still holds of a file, or of a folder's names."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _settled(raw: BinaryIO) -> None:
    if not raw.closed:
        raw.flush()
        os.fsync(raw.fileno())


def _compressed(raw: BinaryIO, ending: str) -> AbstractContextManager[BinaryIO]:
    if ending == ".gz":
        packed: object = gzip.GzipFile("", "wb", 6, raw, mtime=0)  # no name, no time: same bytes every time
    elif ending == ".bz2":
        packed = bz2.BZ2File(raw, "wb")
    elif ending == ".xz":
        packed = lzma.LZMAFile(raw, "wb")  # noqa: SIM115
    else:
        return nullcontext(raw)
    return cast(BinaryIO, io.BufferedWriter(cast(io.RawIOBase, packed), CHUNK))
