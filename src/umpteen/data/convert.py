"""Convert: write a corpus in any format, as a stream, complete or not at all."""

from os import PathLike
from pathlib import Path

from umpteen.core.corpus import Corpus
from umpteen.core.errors import DataError
from umpteen.core.files import Staging
from umpteen.data.format import Format
from umpteen.data.formats import format_named, format_names, formats
from umpteen.data.output import Output, Summary

__all__ = ["Summary", "convert"]


def convert(
    corpus: Corpus, path: str | PathLike[str], *, format: str | None = None, base: int | None = None
) -> Summary:
    """Write the corpus at `path`, in the format named or told by the path's name; says what had no place there.

    `base` says whether LibSVM features are numbered from 0 or, as its own tools want it, from 1.
    """
    place = Path(path)
    kind = chosen(place) if format is None else format_named(format)
    _check_kind(corpus, kind)
    with Staging() as staging:
        output = Output(place, kind.name, staging, base=base)
        kind.write(corpus, output)
    if corpus.space is not None and not kind.holds_label_names:
        named = sum(corpus.space.name(number) != key for number, key in enumerate(corpus.space.keys))
        if named:
            output.summary.dropped["label names"] = named
    return output.summary


def chosen(path: Path) -> Format:
    """The format that the path's name asks for."""
    found = [kind for kind in formats().values() if kind.named(path)]
    if len(found) == 1:
        return found[0]
    endings = ", ".join(f"{pattern} is {kind.name}" for kind in formats().values() for pattern in kind.names)
    raise DataError(
        f"The name {path.name!r} does not say which format to write ({endings}). "
        f"Name it with --format: {', '.join(format_names())}."
    )


def _check_kind(corpus: Corpus, kind: Format) -> None:
    if kind.holds_text if corpus.is_text else kind.holds_features:
        return
    able = [k.name for k in formats().values() if (k.holds_text if corpus.is_text else k.holds_features)]
    has, lacks = ("text", "ready features") if corpus.is_text else ("ready features", "text")
    first = next(iter(corpus), None)
    shown = f"document 1 ({first.id!r})" if first is not None and first.id else "document 1"
    raise DataError(
        f"{corpus.name}: {shown} holds {has}, but {kind.name} takes {lacks}. "
        f"Formats that take {has}: {', '.join(able)}."
    )
