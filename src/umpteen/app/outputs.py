"""What commands write: corpora with a bar on the way, and what is kept should the user stop."""

from pathlib import Path
from typing import TYPE_CHECKING

from umpteen.app.border import keeping
from umpteen.core.progress import track

if TYPE_CHECKING:
    from umpteen.core.corpus import Corpus
    from umpteen.data.output import Summary


def write_corpus(corpus: "Corpus", path: Path, *, format: str | None = None, base: int | None = None) -> "Summary":
    """The corpus at `path`, complete or not at all."""
    from umpteen.data.convert import convert

    path.absolute().parent.mkdir(parents=True, exist_ok=True)
    watched = corpus.changed(lambda: track(corpus, f"Writing {path.name}", corpus.size), size=corpus.size)
    with keeping(f"{path} is as it was." if path.exists() else f"{path} was not written."):
        return convert(watched, path, format=format, base=base)


def usual_name(corpus: "Corpus", part: str) -> str:
    """A file name for a part of a corpus, in the format that holds all of it."""
    return f"{part}.jsonl.gz" if corpus.is_text else f"{part}.xc.txt.gz"
