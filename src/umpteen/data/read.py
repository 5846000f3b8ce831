"""Read a corpus: tell its format, unless it was named, and open it as a stream."""

from os import PathLike
from pathlib import Path

from umpteen.core.corpus import Corpus
from umpteen.core.errors import DataError
from umpteen.core.files import missing
from umpteen.data.format import Format, Head, Source
from umpteen.data.formats import format_named, format_names, formats

__all__ = ["format_names", "read"]


def read(
    path: str | PathLike[str], *, format: str | None = None, base: int | None = None, skip_bad: bool = False
) -> Corpus:
    """The corpus at `path`, streamed anew in each pass.

    `format` names its format, else it is told from the name and the first lines. `base` says whether LibSVM features
    are numbered from 0 or 1. With `skip_bad`, malformed lines are left out and counted in the corpus's `bad`.
    """
    place = Path(path)
    if base not in (None, 0, 1):
        raise DataError(f"Features are numbered from base 0 or 1, not {base!r}.")
    kind = detected(place) if format is None else format_named(format)
    if place.is_file() and not Head(place).lines:
        raise DataError("The file is empty.", file=place)
    return kind.read(Source(place, base=base, skip_bad=skip_bad))


def detected(path: Path) -> Format:
    """The one format that knows the file or folder as its own."""
    head = Head(path)
    found = [kind for kind in formats().values() if kind.detect(head)]
    if len(found) == 1:
        return found[0]
    if found:
        names = " or ".join(kind.name for kind in found)
        raise DataError(f"This could be {names}. Say which with --format.", file=path)
    if not path.exists():
        raise DataError(missing(path))
    if path.is_file() and not head.lines:
        raise DataError("The file is empty.", file=path)
    what = "folder" if head.is_folder else "file"
    raise DataError(
        f"The format of this {what} is not clear from its name or beginning. "
        f"Name it with --format: {', '.join(format_names())}.",
        file=path,
    )
