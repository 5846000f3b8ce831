"""Charts of a study: lines over what was varied, or groups of bars, a panel for whatever else differs."""

from collections.abc import Sequence
from itertools import product
from math import ceil
from typing import TYPE_CHECKING, Any, BinaryIO

from umpteen.study import measures
from umpteen.study.figures import Figure, Point, shown, values_of, varying
from umpteen.study.plan import Plot, Study
from umpteen.study.style import HATCHES, SOFT, painted, strokes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture

_ACROSS = 3  # panels beside each other
_MARKS = 10  # on the x axis, at most
_LEVEL = 5  # names of groups of bars that stand level
_FACTOR = 16  # between the first and the last of values that stand by magnitude
_KEY, _LETTER = 0.65, 0.09  # inches that a key of the legend takes, and a letter beside it
_MARKERS = "os^DvPX"  # lines may lie on each other
_SIDES = {"capsize": 2, "elinewidth": 1}  # deviations


def draw(plot: Plot, study: Study, points: Sequence[Point], out: BinaryIO, *, format: str) -> None:
    """Write a plot, `format` being png, svg or pdf."""
    panels = _panels(plot, study, [point for point in points if any(name in point.figures for name in plot.measures)])
    across = 2 if len(panels) == 4 else min(_ACROSS, len(panels))
    down = ceil(len(panels) / across)
    size = (max(5.5, 4.2 * across), 3.4 * down + 0.7)

    def fill(picture: "Picture") -> None:
        percent = all(map(measures.is_percent, plot.measures))
        grid = picture.subplots(down, across, squeeze=False, sharey=percent or len(plot.measures) == 1)
        series = _Series(plot, points)
        for place, panel in enumerate(panels):
            _panel(grid[place // across][place % across], panel, plot, series, first=place % across == 0)
        for rest in range(len(panels), across * down):
            grid[rest // across][rest % across].set_axis_off()
        picture.suptitle(plot.title, x=0.01, ha="left", fontweight="bold")
        keys = series.keys()
        longest = max((len(key.get_label()) for key in keys), default=0)
        fit = max(1, int(size[0] / (_KEY + _LETTER * longest)))
        columns = min(len(keys), 2 * across + 1, fit)
        picture.legend(handles=keys, loc="outside lower left", frameon=False, ncols=columns)

    painted(fill, out, size=size, format=format, what="Drawing plots")


class _Series:
    """The lines or the bars beside each other, each with its look, the same in all panels."""

    def __init__(self, plot: Plot, points: Sequence[Point]) -> None:
        self.names = [*plot.measures] if plot.series == "measure" else values_of(points, plot.series)
        self.looks = dict(zip(self.names, strokes(), strict=False))
        self._bars = plot.kind == "bars"
        self._published = {point.at["model"] for point in points if point.source} if plot.series == "model" else set()

    def label(self, name: Any) -> str:
        return f" {shown(name)}"  # "_..." would be left out

    def hatch(self, name: Any) -> str | None:
        """Of bars: what was published is hatched, and what has the colour of another has a mark of its dash."""
        return "///" if name in self._published else HATCHES[self.looks[name][0]]

    def marker(self, name: Any) -> dict[str, Any]:
        return {"marker": _MARKERS[self.names.index(name) % len(_MARKERS)], "markersize": 5, "markeredgecolor": "white"}

    def keys(self) -> list[Any]:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        if self._bars:
            return [
                Patch(facecolor=self.looks[n][1], label=self.label(n), hatch=self.hatch(n), edgecolor="white")
                for n in self.names
            ]
        return [
            Line2D([], [], linestyle=self.looks[n][0], color=self.looks[n][1], label=self.label(n), **self.marker(n))
            for n in self.names
        ]


Panel = tuple[str, list[tuple[Point, str]]]  # title, and the figures in it, each a point's measure


def _panels(plot: Plot, study: Study, points: Sequence[Point]) -> list[Panel]:
    """A panel for each combination of what neither x nor series tell apart."""
    others = [name for name in varying(points, study.dimensions) if name not in (plot.x, plot.series)]
    apart = len(plot.measures) > 1 and "measure" not in (plot.x, plot.series)
    found = []
    for place in _places(points, others):
        here = [p for p in points if _within(tuple(map(p.at.get, others)), place)]
        title = [_said(name, value) for name, value in zip(others, place, strict=True) if value is not None]
        if apart:
            found += [(", ".join([*title, measures.heading(m)]), [(p, m) for p in here]) for m in plot.measures]
        else:
            found.append((", ".join(title), [*product(here, plot.measures)]))
    return found or [("", [])]


def _places(points: Sequence[Point], dimensions: Sequence[str]) -> list[tuple[Any, ...]]:
    """All combinations of values; what has no value in a dimension goes along with those that have."""
    found = [*dict.fromkeys(tuple(map(point.at.get, dimensions)) for point in points)]
    return [place for place in found if not any(_within(place, other) for other in found if other != place)]


def _within(place: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    return all(value is None or value == theirs for value, theirs in zip(place, other, strict=True))


def _said(dimension: str, value: Any) -> str:
    return shown(value) if dimension in ("data", "noise", "model") else f"{dimension} {shown(value)}"


def _panel(axes: "Axes", panel: Panel, plot: Plot, series: _Series, *, first: bool) -> None:
    title, inside = panel
    axes.set_title(title, loc="left", fontsize=10)
    (_lines if plot.kind == "lines" else _bars)(axes, inside, plot, series)
    names = {name for _, name in inside}
    if first and len(names) > 1:
        axes.set_ylabel("percent")
    elif first and len(plot.measures) == 1:
        axes.set_ylabel(measures.heading(plot.measures[0]))  # of several, the panels' titles say which
    if not inside:
        axes.text(0.5, 0.5, "no run has ended yet", ha="center", transform=axes.transAxes, color=SOFT)


def _key(point: Point, measure: str, dimension: str) -> Any:
    return measure if dimension == "measure" else point.at.get(dimension)


def _lines(axes: "Axes", inside: list[tuple[Point, str]], plot: Plot, series: _Series) -> None:
    for name in series.names:
        dash, colour = series.looks[name]
        found = [(p.at.get(plot.x), p.figures.get(m)) for p, m in inside if _key(p, m, plot.series) == name]
        drawn = [(x, figure) for x, figure in found if x is not None and figure is not None]
        drawn.sort(key=lambda one: float(one[0]))
        if drawn:
            xs, means = [x for x, _ in drawn], [figure.mean for _, figure in drawn]
            axes.plot(xs, means, dash, color=colour, **series.marker(name))
            spread = [figure.deviation or 0.0 for _, figure in drawn]
            if any(spread):
                low = [mean - side for mean, side in zip(means, spread, strict=True)]
                high = [mean + side for mean, side in zip(means, spread, strict=True)]
                axes.fill_between(xs, low, high, color=colour, alpha=0.15, linewidth=0)
        for x, figure in found:
            if x is None and figure is not None:  # what does not depend on x
                axes.axhline(figure.mean, linestyle=dash, color=colour, linewidth=1)
    axes.set_xlabel("noise rate" if plot.x == "rate" else plot.x)
    _scale(axes, sorted({float(p.at[plot.x]) for p, _ in inside if plot.x in p.at}))


def _scale(axes: "Axes", values: list[float]) -> None:
    """A mark at each value that was tried, by magnitude where they grow by factors."""
    if len(values) > 2 and values[0] > 0 and values[-1] / values[0] >= _FACTOR:
        axes.set_xscale("log")
        axes.minorticks_off()
    if 1 < len(values) <= _MARKS:
        axes.set_xticks(values, [f"{value:g}" for value in values])


def _bars(axes: "Axes", inside: list[tuple[Point, str]], plot: Plot, series: _Series) -> None:
    groups = [*dict.fromkeys(_key(p, m, plot.x) for p, m in inside)]
    width = 0.8 / max(1, len(series.names))
    for place, name in enumerate(series.names):
        figures: dict[int, Figure] = {
            groups.index(_key(p, m, plot.x)): p.figures[m]
            for p, m in inside
            if _key(p, m, plot.series) == name and m in p.figures
        }
        at = [group + (place - (len(series.names) - 1) / 2) * width for group in figures]
        spread = [figure.deviation or 0.0 for figure in figures.values()]
        axes.bar(
            at,
            [figure.mean for figure in figures.values()],
            0.92 * width,
            color=series.looks[name][1],
            hatch=series.hatch(name),
            edgecolor="white",
            linewidth=0,
            yerr=spread if any(spread) else None,
            error_kw={**_SIDES, "ecolor": SOFT},
        )
    many: dict[str, Any] = {"rotation": 35, "ha": "right"} if len(groups) > _LEVEL else {}
    axes.set_xticks(range(len(groups)), [shown(group) for group in groups], **many)
    axes.grid(axis="x", visible=False)
