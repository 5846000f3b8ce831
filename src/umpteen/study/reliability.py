"""Reliability diagram: how often labels of some score are right, beside what the score promises."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, BinaryIO

from umpteen.metrics.calibration import Reliability
from umpteen.study.style import SOFT, painted, strokes

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(curves: Mapping[str, Reliability], out: BinaryIO, *, format: str) -> None:
    """Write one picture of all curves, by name, `format` being png, svg or pdf."""
    painted(lambda figure: _fill(figure, curves), out, size=(6, 7.4), format=format, what="Drawing reliability")


def _fill(figure: "Figure", curves: Mapping[str, Reliability]) -> None:
    """Shares that are right above, how many suggestions there are below, over the same scores."""
    kept, many = figure.subplots(2, 1, sharex=True, height_ratios=(4, 1))
    kept.plot([0, 100], [0, 100], color=SOFT, linewidth=1)
    kept.set(ylabel="right, percent", ylim=(0, 100))
    kept.set_title("The first five labels of each document", loc="left", fontsize="medium")
    many.set(xlabel="score, percent", ylabel="labels", xlim=(0, 100))
    for place, ((name, curve), (dash, colour)) in enumerate(zip(curves.items(), strokes(), strict=False)):
        there, bins = curve.count > 0, len(curve.count)
        label = f"{name}: expected calibration error {100 * curve.error:.2f} percent"
        kept.plot(100 * curve.promised[there], 100 * curve.kept[there], dash, color=colour, marker="o", label=label)
        width = 100 / bins / (len(curves) + 0.5)
        edges = [100 * n / bins + place * width for n in range(bins)]
        many.bar(edges, curve.count, width, align="edge", color=colour)
    many.set_yscale("symlog", linthresh=10)
    many.yaxis.set_major_formatter("{x:,.0f}")
    figure.legend(loc="outside lower left", frameon=False)
