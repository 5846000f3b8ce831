"""umpteen learn: more documents, with labels old and new, for a model that is there already."""

import time
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from shlex import quote
from typing import Annotated

from typer import Argument, Option

from umpteen.app import options
from umpteen.app.border import keeping, note
from umpteen.app.inputs import labels_for, report_bad
from umpteen.app.tables import show, spoken_seconds
from umpteen.core.legible import number_of
from umpteen.core.lock import held
from umpteen.core.progress import bar
from umpteen.data.folder import corpus_at

_NAMED = 10  # new labels that are named, at most


def learn(
    model: options.ModelFolder,
    data: Annotated[
        Path, Argument(metavar="NEW", help="More documents with labels, known or new.", show_default=False)
    ],
    out: Annotated[
        Path | None,
        Option("--out", "-o", metavar="DIR", help="Where to save the larger model.", show_default="in place of MODEL"),
    ] = None,
    labels: options.Labels = None,
    language: options.Language = None,
    format: options.Format = None,
    base: options.Base = None,
    skip_bad: options.SkipBad = False,
) -> None:
    """Add documents and new labels to a trained model, without starting over.

    Label ids stay, and so do the old documents. The folder is the old model or the new one, never in between.

    Example: umpteen learn m new.jsonl
    """
    from umpteen.core.store import check_free
    from umpteen.models import load

    place = out or model
    check_free(place)
    corpus = corpus_at(data, format=format, base=base, skip_bad=skip_bad)
    known = labels_for(data, labels, language)
    with keeping(f"The model in {model} is unchanged."), _alone(place):
        loaded = load(model)
        documents, count, began = loaded.documents_, len(loaded.labels_), time.perf_counter()
        with bar(f"Learning {corpus.name}"):
            loaded.partial_fit(corpus, labels=known)
        with bar(f"Saving {place}"):
            loaded.save(place)
    report_bad(corpus)
    learnt = loaded.documents_ - documents
    if left := (corpus.size or 0) - learnt:
        note(f"Left out: {number_of(left, 'document')} without labels.")
    fresh = loaded.labels_.keys[count:]
    show(
        f"Learnt {number_of(learnt, 'document')} and {number_of(len(fresh), 'new label')} "
        f"in {spoken_seconds(time.perf_counter() - began)}: "
        f"now {number_of(loaded.documents_, 'document')}, {number_of(len(loaded.labels_), 'label')}."
    )
    if fresh:
        names = [loaded.labels_.name(label) for label in range(count, len(loaded.labels_))]
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        show(f"New: {', '.join(names[:_NAMED])}{more}.")
    show(f"Saved in {place}.")
    asked = '--text "..."' if corpus.is_text else "FILE"
    show(f"Next: umpteen tag {quote(str(place))} {asked}")
    show(f"      umpteen evaluate {quote(str(place))} TEST")


def _alone(place: Path) -> AbstractContextManager[None]:
    """Wait for others who teach the model in a folder: what they add must not be lost."""
    if not place.is_dir():
        return nullcontext()
    return held(place.absolute().with_name(f".{place.absolute().name}.learning"), by="another learner", wait=True)
