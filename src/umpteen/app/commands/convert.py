"""umpteen convert: a corpus in another format."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from umpteen.app import options
from umpteen.app.inputs import report_bad
from umpteen.app.outputs import write_corpus
from umpteen.app.tables import show
from umpteen.data.folder import corpus_at


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
    base: options.Base = None,
    skip_bad: options.SkipBad = False,
) -> None:
    """Write a corpus in another format.

    Example: umpteen convert train.jsonl.gz train.txt --to fasttext
    """
    corpus = corpus_at(source, format=source_format, base=base, skip_bad=skip_bad)
    summary = write_corpus(corpus, target, format=target_format, base=base)
    show(str(summary))
    report_bad(corpus)
