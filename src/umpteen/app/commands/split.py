"""umpteen split: a corpus in parts, drawn at random by a seed."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from umpteen.app import options
from umpteen.app.config import assignments
from umpteen.app.inputs import report_bad
from umpteen.app.outputs import usual_name, write_corpus
from umpteen.app.tables import show
from umpteen.core.errors import SettingError
from umpteen.data.folder import corpus_at


def split(
    source: options.Data,
    target: Annotated[Path, Argument(metavar="DIR", help="The folder to write the parts into.", show_default=False)],
    parts: Annotated[str, Option("--parts", help="Names and shares of the parts.")] = "train=0.8,test=0.2",
    seed: options.Seed = 0,
    cover: Annotated[
        bool, Option("--cover", help="Every label that occurs twice has a document in the first part.")
    ] = False,
    format: options.Format = None,
    base: options.Base = None,
    skip_bad: options.SkipBad = False,
) -> None:
    """Divide a corpus at random into parts.

    Example: umpteen split articles.tsv data --parts train=0.8,valid=0.1,test=0.1
    """
    from umpteen.data.split import split as divided

    corpus = corpus_at(source, format=format, base=base, skip_bad=skip_bad)
    for name, part in divided(corpus, _shares(parts), seed=seed, cover=cover).items():
        show(str(write_corpus(part, target / usual_name(corpus, name))))
    report_bad(corpus)


def _shares(parts: str) -> dict[str, float]:
    try:
        shares = {name: float(share) for name, share in assignments(parts.split(",")).items()}
    except (ValueError, SettingError):
        raise SettingError(f"--parts takes names and shares such as train=0.8,test=0.2, not {parts!r}.") from None
    if any(not name or Path(name).name != name for name in shares):
        raise SettingError(f"--parts takes names that can be file names, not {parts!r}.")
    return shares
