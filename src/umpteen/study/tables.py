"""Tables of a study: figures in rows and columns, the best marked, with ranks and p-values below."""

from collections.abc import Iterator, Sequence
from typing import Any

from umpteen.metrics.compare import Comparison, Result
from umpteen.metrics.compare import family as of
from umpteen.metrics.report import is_error
from umpteen.study import measures
from umpteen.study.figures import Figure, Point, shown, values_of, varying
from umpteen.study.plan import Study, Table
from umpteen.study.sheet import Entry, Sheet


def sheets(table: Table, study: Study, points: Sequence[Point]) -> Iterator[Sheet]:
    """The tables that one asks for: one, or one for each value of `apart`, with ranks and p-values below."""
    if table.apart is None:
        yield _sheet(table, study, points, table.measures, table.title)
    elif table.apart == "measure":
        for measure in table.measures:
            yield _sheet(table, study, points, (measure,), f"{table.title}: {measures.heading(measure)}")
    else:
        for value in values_of(points, table.apart):
            chosen = [point for point in points if point.at.get(table.apart) == value]
            yield _sheet(table, study, chosen, table.measures, f"{table.title}: {_said(table.apart, value)}")
    if table.ranks or table.against is not None:
        yield _standings(table, _compared(table, points))


def _sheet(table: Table, study: Study, points: Sequence[Point], names: Sequence[str], title: str) -> Sheet:
    if table.columns == "measure":
        return _by_measure(study, points, names, title)
    return _by_dimension(table.columns, study, points, names, title)


def _by_measure(study: Study, points: Sequence[Point], names: Sequence[str], title: str) -> Sheet:
    """A row for each point, a column for each measure; the best among those that compete."""
    dimensions = [name for name in varying(points, study.dimensions) if name != "model"] + ["model"]
    rows = []
    for point in points:
        if point.source is not None and not any(name in point.figures for name in names):
            continue  # published, but not this
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


def _compared(table: Table, points: Sequence[Point]) -> Comparison:
    """All figures of a table that at least two models have in the same place."""
    found = [
        Result(str(point.rivals), _model(point), name, _worth(name, figure.mean))
        for point in points
        for name, figure in point.figures.items()
        if name in table.measures
    ]
    places = [(result.dataset, result.metric) for result in found]
    return Comparison(r for r, place in zip(found, places, strict=True) if places.count(place) > 1)


def _worth(measure: str, value: float) -> float:
    """A figure such that more is better, but for errors, which comparisons turn round themselves."""
    return -value if measures.less_is_better(measure) and not is_error(measure) else value


def _standings(table: Table, comparison: Comparison) -> Sheet:
    """Each model's mean rank over the rows of a family of measures, and how likely its difference to one is chance."""
    families, against = comparison.families, table.against if table.against in comparison.methods else None
    ranks = {family: comparison.average_ranks(family) for family in families}
    chances = {family: comparison.p_values(family, against=against) for family in families} if against else {}
    best = {family: _best_ranks(comparison, family) for family in families}
    rows = []
    for method in comparison.methods:
        cells = [
            Entry(f"{r[method]:.2f}" if method in r else "-", method in best[family]) for family, r in ranks.items()
        ]
        rows.append((Entry(method), *cells, *(Entry(_p(found.get(method))) for found in chances.values())))
    heads = ("model", *(f"rank {family}" for family in families), *(f"p {family}" for family in chances))
    counted = ", ".join(
        f"{sum(family == of(row.metric) for row in comparison.rows)} of {family}" for family in families
    )
    note = (
        f"Average over the rows that a model has ({counted}); 1 is the best. The best of those with all rows is marked."
    )
    if against:
        note += f" p: Wilcoxon's signed-rank test against {against}, two-sided and exact."
    return Sheet(f"{table.title}: average ranks", heads, tuple(rows), 1, note)


def _best_ranks(comparison: Comparison, family: str) -> list[str]:
    """The best by rank among those that have all rows."""
    rows = [row.values for row in comparison.rows if of(row.metric) == family]
    whole = {m: r for m, r in comparison.average_ranks(family).items() if all(m in row for row in rows)}
    return [method for method, rank in whole.items() if rank == min(whole.values())]


def _p(value: float | None) -> str:
    return "-" if value is None else f"{value:.2g}" if value >= 0.01 else f"{value:.2e}"


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
