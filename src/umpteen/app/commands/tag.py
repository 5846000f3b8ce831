"""umpteen tag: the best labels of texts, as a stream."""

import sys
from typing import Annotated

from typer import Argument, BadParameter, Option

from umpteen.app import answers, options
from umpteen.app.documents import documents_of
from umpteen.app.inputs import report_bad
from umpteen.core.errors import DataError
from umpteen.core.progress import bar, show_on

_BATCH = 1024  # documents tagged at a time


def tag(
    model: options.ModelFolder,
    file: Annotated[
        str | None,
        Argument(metavar="FILE|-", help="A corpus, a text file, or - for what is piped in.", show_default=False),
    ] = None,
    text: Annotated[
        str | None, Option("--text", "-t", help="A text to tag instead of a file.", show_default=False)
    ] = None,
    k: Annotated[int, Option("-k", help="How many labels a document gets.")] = 5,
    threshold: Annotated[
        float | None, Option("--threshold", help="Only labels that score at least this.", show_default=False)
    ] = None,
    json: Annotated[
        bool, Option("--json", help='Print JSON lines {"id", "labels": [{"id", "name", "score"}]}.')
    ] = False,
    tsv: Annotated[bool, Option("--tsv", help="Print document, rank, label, name and score between tabs.")] = False,
    lines: Annotated[bool, Option("--lines", help="Each line is a document.")] = False,
    format: options.Format = None,
    base: options.Base = None,
    skip_bad: options.SkipBad = False,
) -> None:
    """Print the best labels of texts, with scores between 0 and 1.

    Example: umpteen tag m --text "Wheat prices rose in Chicago"
    """
    if json and tsv:
        raise BadParameter("Choose one of --json and --tsv.")
    if k < 1:
        raise DataError(f"-k is how many labels to give, at least 1, not {k}.")
    corpus = documents_of(file, text, lines=lines, format=format, base=base, skip_bad=skip_bad)
    from umpteen.models import load

    loaded = load(model)
    write: answers.Writer = answers.as_json if json else answers.as_tsv if tsv else answers.for_people
    if sys.stdout.isatty():
        show_on(None)  # the answers show the progress
    count = 0
    with bar("Tagging", corpus.size) as line:
        for part in corpus.batches(_BATCH):
            ranking = loaded.rank(part, k)
            chosen = ranking if threshold is None else ranking.above(threshold)
            for document, ids, scores in zip(part, chosen.labels.tolist(), chosen.scores.tolist(), strict=True):
                count += 1
                answer = [(label, score) for label, score in zip(ids, scores, strict=True) if label >= 0]
                name = document.id or ("" if corpus.size == 1 else str(count))
                sys.stdout.writelines(f"{row}\n" for row in write(document, name, answer, loaded.labels_))
            sys.stdout.flush()
            line.advance(len(ranking))
    report_bad(corpus)
