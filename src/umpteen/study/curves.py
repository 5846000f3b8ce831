"""Curves of trainings: loss and validation score over steps, as a picture that is read at a glance."""

from collections.abc import Sequence
from functools import partial
from itertools import cycle, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from umpteen.core.errors import DataError
from umpteen.core.extras import need
from umpteen.study.history import History

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ENDINGS = (".png", ".svg", ".pdf")
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")  # told apart by every eye
_DASHES = ("-", "--", ":", "-.")  # once the colours are used up
_INK, _SOFT, _LINE = "#1c1917", "#6b6560", "#e7e3df"
_STAR: dict[str, Any] = {"marker": "*", "markersize": 14, "markeredgecolor": "white"}  # the best look
_STYLE = {
    "font.size": 10.0,
    "text.color": _INK,
    "text.parse_math": False,  # names may hold dollars
    "axes.labelcolor": _INK,
    "axes.edgecolor": _SOFT,
    "xtick.color": _SOFT,
    "ytick.color": _SOFT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": _LINE,
    "figure.constrained_layout.h_pad": 0.1,
    "figure.constrained_layout.w_pad": 0.1,
    "svg.hashsalt": "umpteen",  # same curves, same file
}


def check_ending(path: Path) -> None:
    """Raise where no picture of this kind can be made."""
    if path.suffix.lower() not in ENDINGS:
        raise DataError(f"Expected a name that ends in {', '.join(ENDINGS)}, got {path.name!r}.")


def draw(runs: Sequence[History], out: BinaryIO, *, format: str) -> None:
    """Write the curves of all runs as one picture, `format` being png, svg or pdf."""
    matplotlib = need("matplotlib", extra="study", what="Drawing curves")
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(8, 6.2 + 0.22 * len(runs)), layout="constrained")
        _fill(figure, runs)
        dated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
        figure.savefig(out, format=format, dpi=150, metadata=dated.get(format))


def _fill(figure: "Figure", runs: Sequence[History]) -> None:
    """The score above, since it is what counts, the loss below, over the same steps."""
    from matplotlib.lines import Line2D

    score, loss = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    score.set_ylabel("validation nDCG@5, percent")
    loss.set(ylabel="training loss", xlabel="step")
    keys = list[Line2D]()
    for run, (dash, colour) in zip(runs, cycle(product(_DASHES, _COLOURS)), strict=False):
        steps, best = [look.step for look in run.looks], run.looks.index(run.best)
        for axes, values in ((score, [100 * look.score for look in run.looks]), (loss, [k.loss for k in run.looks])):
            axes.plot(steps, values, dash, color=colour, marker=".", markersize=4)
            axes.plot(steps[best], values[best], color=colour, zorder=3, **_STAR)
        said = f" {run.name}: best {100 * run.best.score:.2f} at step {run.best.step:,}"  # "_..." would be left out
        label = said if run.ended else f"{said}, not ended"
        keys += score.plot([], [], dash, color=colour, label=label, **_STAR)
    _scales(score, loss, runs)
    figure.align_ylabels()
    figure.legend(handles=keys, loc="outside lower left", frameon=False, handlelength=3)


def _scales(score: "Axes", loss: "Axes", runs: Sequence[History]) -> None:
    """Steps below and, where all runs read as many documents a step, epochs above; losses by their magnitude."""
    from matplotlib.ticker import LogLocator, NullLocator

    loss.xaxis.set_major_formatter("{x:,.0f}")
    loss.set_xlim(left=0)
    if any(look.loss > 0 for run in runs for look in run.looks):
        loss.set_yscale("log")
        loss.yaxis.set_major_locator(LogLocator(subs=(1, 2, 3, 5)))
        loss.yaxis.set_minor_locator(NullLocator())
        loss.yaxis.set_major_formatter("{x:g}")
    per_epoch = [run.looks[-1].step / run.looks[-1].epoch for run in runs if run.looks[-1].epoch]
    if per_epoch and max(per_epoch) < 1.05 * min(per_epoch):
        turns = partial(np.multiply, 1 / per_epoch[0]), partial(np.multiply, per_epoch[0])
        score.secondary_xaxis("top", functions=turns).set_xlabel("epoch")
