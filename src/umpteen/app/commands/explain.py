"""umpteen explain: why a document gets a label, on the terminal, as a page or as JSON."""

import json as json_text
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

from typer import Argument, Option

from umpteen.app import options
from umpteen.app.border import note
from umpteen.app.documents import documents_of
from umpteen.app.inputs import report_bad
from umpteen.app.tables import show
from umpteen.core.errors import DataError
from umpteen.core.files import Staging
from umpteen.core.legible import one_line

if TYPE_CHECKING:
    from umpteen.contract.classifier import Classifier
    from umpteen.contract.explanation import Explanation, Kind
    from umpteen.core.corpus import Corpus


def explain(
    model: options.ModelFolder,
    file: Annotated[
        str | None,
        Argument(
            metavar="FILE|-", help="A text file, a corpus (its first document), or - for a pipe.", show_default=False
        ),
    ] = None,
    text: Annotated[
        str | None, Option("--text", "-t", help="A text to explain instead of a file.", show_default=False)
    ] = None,
    label: Annotated[
        list[str] | None,
        Option("--label", "-l", help="A label by key or name; may be repeated.", show_default="the best"),
    ] = None,
    k: Annotated[int, Option("-k", help="How many of the best labels to explain, where none is named.")] = 1,
    by: Annotated[
        str | None,
        Option(
            "--by",
            metavar="WAY",
            help="For networks: `attention` (where the label looks) or `leaning` (what speaks for and against).",
            show_default="the model's own",
        ),
    ] = None,
    html: Annotated[
        Path | None,
        Option("--html", metavar="FILE", help="Write a page that needs nothing beside it.", show_default=False),
    ] = None,
    json: Annotated[bool, Option("--json", help="Print a JSON object for each label, a line each.")] = False,
    format: options.Format = None,
    base: options.Base = None,
    skip_bad: options.SkipBad = False,
) -> None:
    """Say why a document gets a label: the words that count, and the path to it.

    Example: umpteen explain m --text "Wheat prices rose in Chicago"
    """
    if k < 1:
        raise DataError(f"-k is how many labels to explain, at least 1, not {k}.")
    if html is not None and not html.absolute().parent.is_dir():
        raise DataError(f"There is no folder {html.parent} to write {html.name} into.")
    corpus = documents_of(file, text, lines=False, format=format, base=base, skip_bad=skip_bad)
    first = next(corpus.batches(1), None)
    if first is None:
        raise DataError(f"There is no document in {corpus.name} to explain labels of.")
    from umpteen.models import load

    loaded = load(model)
    found = [loaded.explain(first, name, by=cast("Kind | None", by)) for name in label or _best(loaded, first, k)]
    if json:
        sys.stdout.writelines(f"{json_text.dumps(e.to_json(), ensure_ascii=False)}\n" for e in found)
    if html is not None:
        _write_page(html, found, _title(first))
        (note if json else show)(f"The page is {html}.")
    elif not json:
        _print(found)
    report_bad(corpus)


def _best(model: "Classifier", document: "Corpus", k: int) -> list[str]:
    """Keys of the k best labels."""
    keys = [model.labels_.keys[label] for label in model.rank(document, k).labels[0].tolist() if label >= 0]
    if not keys:
        raise DataError("The document gets no label, so there is nothing to explain: name one with --label.")
    return keys


def _title(document: "Corpus") -> str:
    """What the page calls the document: its id and how its text begins."""
    only = next(iter(document))
    begins = one_line(only.text, 80)
    spoken = f"“{begins}”" if begins else "a document without text"
    return f"Labels of {spoken} ({one_line(only.id)})" if only.id else f"Labels of {spoken}"


def _print(explanations: "list[Explanation]") -> None:
    from umpteen.explain.terminal import lines

    for number, explanation in enumerate(explanations):
        if number:
            show()
        for line in lines(explanation):
            show(line)


def _write_page(path: Path, explanations: "list[Explanation]", title: str) -> None:
    from umpteen.explain.html import page

    with Staging() as staging:
        staging.open(path).write(page(explanations, title=title).encode("utf-8", "replace"))
