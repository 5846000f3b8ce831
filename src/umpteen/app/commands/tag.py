"""umpteen tag: the best labels of texts, as a stream."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, BadParameter, Option

from umpteen.app import answers, options
from umpteen.app.choosing import ByPolicy, choice
from umpteen.app.documents import documents_of
from umpteen.app.inputs import report_bad
from umpteen.app.places import spread_over
from umpteen.app.sink import sink
from umpteen.core.progress import bar, show_on

if TYPE_CHECKING:
    from umpteen.app.cluster.machines import Cluster
    from umpteen.contract.classifier import Classifier
    from umpteen.core.corpus import Corpus
    from umpteen.core.ranking import Ranking

_BATCH = 1024  # documents tagged at a time
_USUAL = 5  # labels of a document, where neither the user nor the model says how many


def tag(
    model: options.ModelFolder,
    file: Annotated[
        str | None,
        Argument(metavar="FILE|-", help="A corpus, a text file, or - for what is piped in.", show_default=False),
    ] = None,
    text: Annotated[
        str | None, Option("--text", "-t", help="A text to tag instead of a file.", show_default=False)
    ] = None,
    k: Annotated[
        int | None,
        Option("-k", help="How many labels a document gets.", show_default="as the model's policy says, else 5"),
    ] = None,
    threshold: Annotated[
        float | None, Option("--threshold", help="Only labels that score at least this.", show_default=False)
    ] = None,
    policy: ByPolicy = None,
    json: Annotated[
        bool, Option("--json", help='Print JSON lines {"id", "labels": [{"id", "name", "score"}]}.')
    ] = False,
    tsv: Annotated[bool, Option("--tsv", help="Print document, rank, label, name and score between tabs.")] = False,
    out: Annotated[
        Path | None,
        Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Write there, complete or not at all, as JSON unless --tsv; .gz compresses.",
            show_default=False,
        ),
    ] = None,
    lines: Annotated[bool, Option("--lines", help="Each line is a document.")] = False,
    format: options.Format = None,
    base: options.Base = None,
    skip_bad: options.SkipBad = False,
    cluster: options.Cluster = None,
) -> None:
    """Print the best labels of texts, with scores between 0 and 1; probabilities, if the model is calibrated.

    Example: umpteen tag m --text "Wheat prices rose in Chicago"
    """
    if json and tsv:
        raise BadParameter("Choose one of --json and --tsv.")
    corpus = documents_of(file, text, lines=lines, format=format, base=base, skip_bad=skip_bad)
    from umpteen.models import load

    loaded = load(model)
    wanted = choice(loaded, k=k, threshold=threshold, policy=policy, usual=(_USUAL, None))
    write: answers.Writer = answers.as_tsv if tsv else answers.as_json if json or out else answers.for_people
    if sys.stdout.isatty() and out is None:
        show_on(None)  # the answers show the progress
    count = 0
    with spread_over(cluster) as machines, sink(out) as take, bar("Tagging", corpus.size) as line:
        for part, ranking in _ranked(loaded, model, corpus, wanted.depth, machines):
            chosen, rows = wanted.pick(ranking), list[str]()
            for document, ids, scores in zip(part, chosen.labels.tolist(), chosen.scores.tolist(), strict=True):
                count += 1
                answer = [(label, score) for label, score in zip(ids, scores, strict=True) if label >= 0]
                name = document.id or ("" if corpus.size == 1 else str(count))
                rows.extend(write(document, name, answer, loaded.labels_))
            take(rows)
            line.advance(len(chosen))
    report_bad(corpus)


def _ranked(
    loaded: "Classifier", folder: Path, corpus: "Corpus", k: int, machines: "Cluster | None"
) -> "Iterator[tuple[Corpus, Ranking]]":
    """Documents with their best labels, a batch at a time, found here or on the machines of a cluster."""
    if machines is None:
        return ((part, loaded.rank(part, k)) for part in corpus.batches(_BATCH))
    from umpteen.app.cluster.tagging import ranked

    return ranked(machines, folder, corpus, k, batch=_BATCH)
