"""Overlap: how many of the labels that two models put first are the same (Table 4 of AttentionXML)."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from statistics import fmean

from umpteen.core.errors import DataError
from umpteen.metrics.evaluation import Evaluation, overlap
from umpteen.study.cells import Cell
from umpteen.study.figures import Figure
from umpteen.study.plan import Study, Table
from umpteen.study.results import EVALUATION, Results
from umpteen.study.sheet import Entry, Sheet

_DEEPEST = 5


def overlap_sheet(table: Table, study: Study, results: Results) -> Sheet:
    """A row for each two models and data set, the mean over runs that differ in nothing else."""
    names = table.models or tuple(variant.name for variant in study.models)
    several = len(study.data) > 1
    rows = []
    for data in study.data:
        for one, other in combinations(names, 2):
            found = [*_overlaps(results, data.name, one, other)]
            if found:
                means = [
                    Figure(tuple(100 * value for value in column), len(found)) for column in zip(*found, strict=True)
                ]
                labels = (*([data.name] if several else []), one, other)
                rows.append((*map(Entry, labels), *(Entry(f"{fmean(m.values):.2f}", figure=m) for m in means)))
    heads = (*(["data"] if several else []), "model", "and", *(f"@{k}" for k in range(1, _DEEPEST + 1)))
    note = "Percent of the first k labels of a document that both give, whatever their order."
    return Sheet(table.title, heads, tuple(rows), 3 if several else 2, note)


def _overlaps(results: Results, data: str, one: str, other: str) -> Iterator[list[float]]:
    """By k, for each pair of runs."""
    for mine, theirs in _pairs(results.cells, data, one, other):
        if not (results.is_done(mine) and results.is_done(theirs)):
            continue
        first, second = (Evaluation.load(results.folder(cell) / EVALUATION) for cell in (mine, theirs))
        try:
            yield [overlap(first, second, k=k) for k in range(1, _DEEPEST + 1)]
        except DataError:
            continue  # other documents, or rankings that are not kept


def _pairs(cells: Sequence[Cell], data: str, one: str, other: str) -> Iterator[tuple[Cell, Cell]]:
    here = [cell for cell in cells if cell.at["data"] == data]
    for mine in (cell for cell in here if cell.at["model"] == one):
        for theirs in (cell for cell in here if cell.at["model"] == other):
            if _circumstances(mine) == _circumstances(theirs):
                yield mine, theirs


def _circumstances(cell: Cell) -> tuple[object, ...]:
    return cell.split, cell.seed, cell.at.get("noise"), cell.at.get("rate")
