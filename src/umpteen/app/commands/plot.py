"""umpteen plot: how trainings went, as curves of loss and validation score."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from umpteen.app.tables import show, spoken_seconds, table
from umpteen.core.errors import DataError
from umpteen.core.files import Staging

if TYPE_CHECKING:
    from umpteen.study.history import History


def plot(
    runs: Annotated[
        list[Path],
        Argument(
            metavar="RUN...",
            help="Folders of deep models, or of trainings that go on or were stopped.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None,
        Option("--out", "-o", metavar="FILE", help="A .png, .svg or .pdf to write.", show_default="RUN-curves.png"),
    ] = None,
) -> None:
    """Draw the loss and the validation score of trainings over their steps.

    Example: umpteen plot m
    """
    from umpteen.study.curves import draw
    from umpteen.study.history import histories
    from umpteen.study.style import check_ending

    if out is not None:
        check_ending(out)
        if not out.absolute().parent.is_dir():
            raise DataError(f"There is no folder {out.parent} to write {out.name} into.")
    found = histories(runs)
    place = out or Path(f"{found[0].name.rpartition('/')[2]}-curves.png" if len(found) == 1 else "curves.png")
    with Staging() as staging:
        draw(found, staging.open(place), format=place.suffix.lower().removeprefix("."))
    if out is None and sys.stdout.isatty():
        _summary(found)
    show(f"The curves are in {place}.")


def _summary(runs: "list[History]") -> None:
    rows = [
        (
            run.name if run.ended else f"{run.name} (not ended)",
            100 * run.best.score,
            run.best.step,
            run.best.epoch,
            round(run.rate),
            spoken_seconds(run.seconds),
        )
        for run in runs
    ]
    table(["run", "best nDCG@5", "at step", "epoch", "documents/s", "time"], rows)
