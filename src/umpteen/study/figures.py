"""Figures: the runs' measures as mean and deviation over seeds and splits, by what they are told apart by."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from umpteen.study import measures
from umpteen.study.cells import Cell
from umpteen.study.plan import Plot, Published, Study, Table
from umpteen.study.results import Results

At = Mapping[str, Any]  # dimension -> value


@dataclass(frozen=True)
class Figure:
    """The mean of some runs."""

    values: tuple[float, ...]
    wanted: int  # runs that there are to be

    @property
    def mean(self) -> float:
        return fmean(self.values)

    @property
    def deviation(self) -> float | None:
        """Of the sample; none of a single value."""
        return stdev(self.values) if len(self.values) > 1 else None


@dataclass(frozen=True)
class Point:
    """A place in the study that has figures."""

    at: At
    figures: Mapping[str, Figure]
    source: Published | None = None  # where the figures were printed, if they are not our own

    @property
    def rivals(self) -> tuple[tuple[str, Any], ...]:
        """What it shares with those that it is compared with: all but the model and its varied settings."""
        return tuple((name, self.at.get(name)) for name in ("data", "noise", "rate"))


def points(study: Study, results: Results) -> list[Point]:
    """All places in order: data by data, each with what was published of it at the end."""
    found = [*_own(study, results)]
    for data in study.data:
        printed = [_printed(row, data.name) for row in study.published if row.data == data.name]
        last = max((n for n, point in enumerate(found) if point.at["data"] == data.name), default=-1)
        found[last + 1 : last + 1] = printed
    return found


def about(part: Table | Plot, found: Sequence[Point]) -> list[Point]:
    """Those of the models that a table or plot is about."""
    return [point for point in found if not part.models or point.at["model"] in part.models]


def _printed(row: Published, data: str) -> Point:
    scores = {measure: Figure((float(value),), 1) for measure, value in row.scores.items()}
    return Point({"data": data, "model": row.name}, scores, row)


def _own(study: Study, results: Results) -> Iterator[Point]:
    together: dict[tuple[Any, ...], list[Cell]] = {}
    for cell in results.cells:
        together.setdefault(_place(cell.at, study.dimensions), []).append(cell)
    for cells in together.values():
        figures = {name: _figure(name, cells, results) for name in study.measures}
        yield Point(cells[0].at, {name: figure for name, figure in figures.items() if figure is not None})


def _figure(measure: str, cells: Sequence[Cell], results: Results) -> Figure | None:
    plain = measures.without_noise(measure)
    found = [_value(cell, measure, results) if plain is None else _left(cell, plain, results) for cell in cells]
    values = tuple(value for value in found if value is not None)
    return Figure(values, len(cells)) if values else None


def _value(cell: Cell, measure: str, results: Results) -> float | None:
    found = results.of(cell)
    return None if found is None else found.measures.get(measure)


def _left(cell: Cell, measure: str, results: Results) -> float | None:
    """Percent of what the same run has without noise."""
    clean = {**cell.at, "rate": 0}
    others = (c for c in results.cells if c.at == clean and (c.seed, c.split) == (cell.seed, cell.split))
    base = next((_value(other, measure, results) for other in others), None)
    value = _value(cell, measure, results)
    return 100 * value / base if value is not None and base else None


def _place(at: At, dimensions: Iterable[str]) -> tuple[Any, ...]:
    return tuple(at.get(dimension) for dimension in dimensions)


def varying(points: Sequence[Point], dimensions: Iterable[str]) -> list[str]:
    """The dimensions in which points differ, in order."""
    return [name for name in dimensions if len({point.at.get(name) for point in points if name in point.at}) > 1]


def values_of(points: Sequence[Point], dimension: str) -> list[Any]:
    """The values of a dimension, in the order they come."""
    return [*dict.fromkeys(point.at[dimension] for point in points if dimension in point.at)]


def shown(value: Any) -> str:
    """A place's value as people read it; nothing where there is none."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)
