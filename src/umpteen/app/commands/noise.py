"""umpteen noise: the same documents with labels lost and wrong ones added."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from umpteen.app import options
from umpteen.app.inputs import report_bad
from umpteen.app.outputs import write_corpus
from umpteen.app.tables import show
from umpteen.data.folder import corpus_at


def noise(
    source: options.Data,
    target: Annotated[Path, Argument(metavar="OUT", help="Where to write.", show_default=False)],
    rate: Annotated[float, Option("--rate", help="Share of labels to spoil, 0 to 1.", show_default=False)],
    kind: Annotated[str, Option("--kind", help="missing, symmetric or balanced.")] = "missing",
    seed: options.Seed = 0,
    format: options.Format = None,
    base: options.Base = None,
    skip_bad: options.SkipBad = False,
) -> None:
    """Spoil labels on purpose, to study what a model makes of it.

    Example: umpteen noise train.jsonl.gz spoilt.jsonl.gz --rate 0.3 --kind balanced
    """
    from umpteen.data.noise import noisy

    corpus = corpus_at(source, format=format, base=base, skip_bad=skip_bad)
    show(str(write_corpus(noisy(corpus, rate, kind=kind, seed=seed), target)))
    report_bad(corpus)
