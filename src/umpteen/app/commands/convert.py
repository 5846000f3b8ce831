"""umpteen convert: a corpus in another format."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, BadParameter, Option

from umpteen.app import options
from umpteen.app.inputs import report_bad
from umpteen.app.outputs import write_corpus
from umpteen.app.tables import show
from umpteen.core.errors import DataError
from umpteen.data.folder import corpus_at

if TYPE_CHECKING:
    from umpteen.core.corpus import Corpus


def convert(
    source: options.Data,
    target: Annotated[
        Path, Argument(metavar="OUT", help="Where to write; .gz, .bz2 or .xz compress.", show_default=False)
    ],
    source_format: Annotated[
        str | None, Option("--from", metavar="NAME", help="Format of DATA.", show_default="told from the file")
    ] = None,
    target_format: Annotated[
        str | None, Option("--to", "--format", metavar="NAME", help="Format of OUT.", show_default="told from its name")
    ] = None,
    where: Annotated[
        list[str] | None,
        Option(
            metavar="FIELD=VALUE",
            help="Only documents whose field has this value, such as lang=en; of a field named twice, any of both.",
            show_default=False,
        ),
    ] = None,
    base: options.Base = None,
    skip_bad: options.SkipBad = False,
) -> None:
    """Write a corpus in another format, or some of its documents.

    Example: umpteen convert train.jsonl.gz train.txt --to fasttext
    """
    corpus = corpus_at(source, format=source_format, base=base, skip_bad=skip_bad)
    if where:
        corpus = _chosen(corpus, where)
    summary = write_corpus(corpus, target, format=target_format, base=base)
    show(str(summary))
    report_bad(corpus)


def _chosen(corpus: "Corpus", wanted: list[str]) -> "Corpus":
    """The documents that have one of the values wanted in each of these fields beside text and labels."""
    pairs = [text.partition("=") for text in wanted]
    if any(not field or not equals for field, equals, _ in pairs):
        raise BadParameter("Write FIELD=VALUE, such as lang=en.", param_hint="--where")
    values: dict[str, set[str]] = {}
    for field, _, value in pairs:
        values.setdefault(field, set()).add(value)
    chosen = corpus.where(lambda document: all(str(document.metadata.get(f, "")) in v for f, v in values.items()))
    if next(iter(chosen), None) is None:
        raise DataError(f"No document of {corpus.name} has {' and '.join(wanted)}; nothing was written.")
    return chosen
