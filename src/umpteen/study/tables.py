"""Tables of a study: figures in rows and columns, the best marked, as Markdown and CSV."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from umpteen.metrics.compare import Comparison, Result
from umpteen.study import measures
from umpteen.study.figures import Figure, Point, shown, values_of, varying
from umpteen.study.plan import Study, Table


@dataclass(frozen=True)
class Entry:
    """One cell of a table."""

    text: str
    best: bool = False
    figure: Figure | None = None

    @property
    def deviation(self) -> float | None:
        """Of the figure, where there is one."""
        return self.figure.deviation if self.figure is not None else None


@dataclass(frozen=True)
class Sheet:
    """A table ready to be shown."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]
    labels: int  # columns that say what a row is; the others are figures

    def markdown(self) -> str:
        """As Markdown, the best bold."""
        rule = ["---"] * self.labels + ["---:"] * (len(self.heads) - self.labels)
        rows = ([f"**{_escaped(e.text)}**" if e.best else _escaped(e.text) for e in row] for row in self.rows)
        lines = [[*map(_escaped, self.heads)], rule, *rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def csv(self) -> str:
        """As CSV; deviations have columns of their own, where there are any."""
        several = [any(row[place].deviation is not None for row in self.rows) for place in self._places]
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        heads = [name for n, more in zip(self._places, several, strict=True) for name in _doubled(self.heads[n], more)]
        writer.writerow([*self.heads[: self.labels], *heads])
        for row in self.rows:
            cells = [cell for n, more in zip(self._places, several, strict=True) for cell in _numbers(row[n], more)]
            writer.writerow([*(entry.text for entry in row[: self.labels]), *cells])
        return text.getvalue()

    @property
    def _places(self) -> range:
        return range(self.labels, len(self.heads))


def sheets(table: Table, study: Study, points: Sequence[Point]) -> Iterator[Sheet]:
    """The tables that a table of a study asks for: one, or one for each value of `apart`; ranks stand below."""
    if table.apart is None:
        yield _sheet(table, study, points, table.measures, table.title)
    elif table.apart == "measure":
        for measure in table.measures:
            yield _sheet(table, study, points, (measure,), f"{table.title}: {measures.heading(measure)}")
    else:
        for value in values_of(points, table.apart):
            chosen = [point for point in points if point.at.get(table.apart) == value]
            yield _sheet(table, study, chosen, table.measures, f"{table.title}: {_said(table.apart, value)}")
    if table.ranks:
        yield _ranks(table, points)


def _sheet(table: Table, study: Study, points: Sequence[Point], names: Sequence[str], title: str) -> Sheet:
    if table.columns == "measure":
        return _by_measure(study, points, names, title)
    return _by_dimension(table.columns, study, points, names, title)


def _by_measure(study: Study, points: Sequence[Point], names: Sequence[str], title: str) -> Sheet:
    """A row for each point, a column for each measure; the best among those that compete."""
    dimensions = [name for name in varying(points, study.dimensions) if name != "model"] + ["model"]
    rows = []
    for point in points:
        rivals = [other for other in points if other.rivals == point.rivals]
        entries = [_entry(name, point.figures.get(name), [r.figures.get(name) for r in rivals]) for name in names]
        rows.append((*(Entry(shown(point.at.get(name))) for name in dimensions), *entries))
    return Sheet(title, (*dimensions, *map(_head, names)), tuple(rows), len(dimensions))


def _by_dimension(column: str, study: Study, points: Sequence[Point], names: Sequence[str], title: str) -> Sheet:
    """A row for each place and measure, a column for each value of a dimension; the best of a row."""
    others = [name for name in varying(points, study.dimensions) if name != column]
    places = [*dict.fromkeys(tuple(point.at.get(name) for name in others) for point in points)]
    values, rows = values_of(points, column), []
    for place in places:
        here = {p.at.get(column): p for p in points if tuple(p.at.get(name) for name in others) == place}
        for name in names:
            figures = [here[value].figures.get(name) if value in here else None for value in values]
            label = (*map(shown, place), *([_head(name)] if len(names) > 1 else []))
            if any(figures) or not all(point.source for point in here.values()):
                rows.append((*map(Entry, label), *(_entry(name, figure, figures) for figure in figures)))
    heads = (*others, *(["measure"] if len(names) > 1 else []))
    return Sheet(title, (*heads, *(_said(column, value) for value in values)), tuple(rows), len(heads))


def _ranks(table: Table, points: Sequence[Point]) -> Sheet:
    """The mean rank of each model over all places and the measures of a family, 1 being the best."""
    found = [
        Result(str(point.rivals), _model(point), name, -figure.mean if measures.less_is_better(name) else figure.mean)
        for point in points
        for name, figure in point.figures.items()
        if name in table.measures
    ]
    places = [(result.dataset, result.metric) for result in found]
    comparison = Comparison(r for r, place in zip(found, places, strict=True) if places.count(place) > 1)
    rows = []
    for family in comparison.families:
        ranks = comparison.average_ranks(family)
        best = min(ranks.values())
        cells = [(ranks.get(method), ranks.get(method) == best) for method in comparison.methods]
        rows.append((Entry(family), *(Entry("" if r is None else f"{r:.2f}", b) for r, b in cells)))
    return Sheet(f"{table.title}: average rank, 1 is the best", ("average rank", *comparison.methods), tuple(rows), 1)


def _model(point: Point) -> str:
    varied = [
        f"{name} {shown(value)}" for name, value in point.at.items() if name not in (*dict(point.rivals), "model")
    ]
    return ", ".join([point.at["model"], *varied])


def _entry(name: str, figure: Figure | None, rivals: Sequence[Figure | None]) -> Entry:
    if figure is None:
        return Entry("-")
    means = [rival.mean for rival in rivals if rival is not None]
    best = (min if measures.less_is_better(name) else max)(means)
    return Entry(written(name, figure), len({*means}) > 1 and figure.mean == best, figure)


def written(name: str, figure: Figure) -> str:
    """Mean and deviation; how many runs there are of how many, while some are missing."""
    text = measures.written(name, figure.mean)
    if figure.deviation is not None:
        text += f" ± {measures.written(name, figure.deviation)}"
    return text if len(figure.values) == figure.wanted else f"{text} ({len(figure.values)} of {figure.wanted})"


def _head(name: str) -> str:
    return measures.heading(name) if name in measures.COSTS else name


def _said(dimension: str, value: Any) -> str:
    return shown(value) if dimension in ("data", "model", "noise") else f"{dimension} {shown(value)}"


def _doubled(head: str, more: bool) -> list[str]:
    return [head, f"{head} deviation"] if more else [head]


def _numbers(entry: Entry, more: bool) -> list[str]:
    if entry.figure is None:
        return ["" if entry.text == "-" else entry.text] + [""] * more
    deviation = entry.figure.deviation
    return [f"{entry.figure.mean:.4f}"] + ([f"{deviation:.4f}" if deviation is not None else ""] if more else [])


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")
