"""Curves of trainings: loss and validation score over steps, as a picture that is read at a glance."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from umpteen.study.history import History
from umpteen.study.style import painted, strokes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_STAR: dict[str, Any] = {"marker": "*", "markersize": 14, "markeredgecolor": "white"}  # the best look


def draw(runs: Sequence[History], out: BinaryIO, *, format: str) -> None:
    """Write the curves of all runs as one picture, `format` being png, svg or pdf."""
    size = (8, 6.2 + 0.22 * len(runs))
    painted(lambda figure: _fill(figure, runs), out, size=size, format=format, what="Drawing curves")


def _fill(figure: "Figure", runs: Sequence[History]) -> None:
    """The score above, since it is what counts, the loss below, over the same steps."""
    from matplotlib.lines import Line2D

    score, loss = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    score.set_ylabel("validation nDCG@5, percent")
    loss.set(ylabel="training loss", xlabel="step")
    keys = list[Line2D]()
    for run, (dash, colour) in zip(runs, strokes(), strict=False):
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
