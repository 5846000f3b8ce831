"""umpteen calibrate: probabilities, and how many labels a document gets, by documents kept aside."""

import json as json_text
from pathlib import Path
from shlex import quote
from typing import Annotated, Literal

from typer import Argument, Option

from umpteen.app import options
from umpteen.app.border import keeping
from umpteen.app.choosing import checked, show_tuning
from umpteen.app.inputs import report_bad
from umpteen.app.tables import show
from umpteen.contract.kinds import POLICIES
from umpteen.core.errors import DataError
from umpteen.core.files import Staging
from umpteen.core.progress import bar
from umpteen.data.folder import VALID, corpus_at
from umpteen.study.style import check_ending


def calibrate(
    model: options.ModelFolder,
    valid: Annotated[
        Path,
        Argument(
            metavar="VALIDATION",
            help="Documents with labels that the model has not learnt from: a file, or a folder with a valid file.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None,
        Option("--out", "-o", metavar="DIR", help="Where to save the model.", show_default="in place of MODEL"),
    ] = None,
    how: Annotated[
        Literal["isotonic", "platt"], Option("--how", help="Steps that rise, or sigmoids for few documents.")
    ] = "isotonic",
    goal: Annotated[
        Literal["document", "micro", "macro"], Option("--goal", help="The F1 that policies are tuned for.")
    ] = "document",
    policy: Annotated[
        str | None,
        Option(
            "--policy",
            metavar="NAME",
            help=f"How many labels documents get from now on: {', '.join(POLICIES)}.",
            show_default="what does best",
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        Option("--plot", metavar="FILE", help="Draw before and after: .png, .svg or .pdf.", show_default=False),
    ] = None,
    json: options.Json = False,
    format: options.Format = None,
    base: options.Base = None,
    skip_bad: options.SkipBad = False,
) -> None:
    """Make a model's scores probabilities, and settle how many labels it gives.

    Works on any saved model. `tag`, `evaluate` and `predict` follow from then on.

    Example: umpteen calibrate m valid.jsonl
    """
    from umpteen.core.store import check_free
    from umpteen.models import load

    place, wanted = out or model, checked(policy) if policy is not None else None
    check_free(place)
    if plot is not None:
        check_ending(plot)
        if not plot.absolute().parent.is_dir():
            raise DataError(f"There is no folder {plot.parent} to write {plot.name} into.")
    loaded = load(model)
    corpus = corpus_at(valid, part=VALID, format=format, base=base, skip_bad=skip_bad)
    with keeping(f"The model in {model} is unchanged."):
        with bar(f"Calibrating on {corpus.name}"):
            tuning = loaded.calibrate(corpus, how=how, goal=goal, policy=wanted).tuning_
        with bar(f"Saving {place}"):
            loaded.save(place)
    report_bad(corpus)
    assert tuning is not None
    if plot is not None:
        from umpteen.study.reliability import draw

        with Staging() as staging:
            curves = {"before": tuning.found.before, "after": tuning.found.after}
            draw(curves, staging.open(plot), format=plot.suffix.lower().removeprefix("."))
    if json:
        figures = {"error": tuning.found.error, "ndcg": tuning.found.ndcg, "f1": tuning.found.f1}
        show(json_text.dumps({"documents": tuning.found.documents, **tuning.policies.to_json(), **figures}))
        return
    show_tuning(tuning)
    show(f"\nSaved in {place}.")
    show(f"Next: umpteen evaluate {quote(str(place))} TEST")
