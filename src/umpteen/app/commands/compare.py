"""umpteen compare: saved evaluations or published results side by side."""

import json as json_text
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from umpteen.app import options
from umpteen.app.tables import show, table
from umpteen.core.errors import DataError, did_you_mean
from umpteen.core.files import missing

if TYPE_CHECKING:
    from rich.text import Text

    from umpteen.metrics.compare import Comparison, Result
    from umpteen.metrics.evaluation import Evaluation

_USUAL = ("P@k", "nDCG@k", "PSP@k", "micro-F1", "macro-F1")  # of the many that an evaluation keeps
_DEEPEST = 5  # of overlaps


def compare(
    files: Annotated[
        list[Path],
        Argument(
            metavar="FILE...",
            help="What `evaluate --save` wrote, or a CSV of paper,dataset,method,metric,value.",
            show_default=False,
        ),
    ],
    against: Annotated[
        list[str] | None,
        Option(
            "--against",
            metavar="METHOD",
            help="Whom p-values compare with; one per paper.",
            show_default="the best by rank",
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        Option("--metric", metavar="NAME", help="P@k, nDCG@3, ...; may be repeated.", show_default="the usual ones"),
    ] = None,
    json: options.Json = False,
) -> None:
    """Show evaluations side by side, with ranks and p-values.

    Example: umpteen compare a.json b.json
    """
    from umpteen.metrics.compare import Comparison

    evaluations, results = _read(files)
    groups = {name: Comparison(_wanted(found, metric, usual=not name)) for name, found in results.items()}
    _check_against(against, groups)
    answers = []
    for name, comparison in groups.items():
        rival = _rival(comparison, against)
        if json:
            answers.append({"paper": name or None, "against": rival, **comparison.to_json(against=rival)})
        else:
            _show(name, comparison, rival)
    overlaps = _overlaps(evaluations)
    if json:
        show(json_text.dumps({"comparisons": answers, "overlaps": overlaps}, ensure_ascii=False))
    elif overlaps:
        rows = [(f"{o['one']} and {o['other']} on {o['data']}", *o["percent"]) for o in overlaps]
        table(["labels in common, percent", *(f"@{k}" for k in range(1, _DEEPEST + 1))], rows)


def _read(files: list[Path]) -> "tuple[list[Evaluation], dict[str, list[Result]]]":
    """The saved evaluations, and all results by paper, evaluations under no paper."""
    from umpteen.metrics.compare import read_results, results_of
    from umpteen.metrics.evaluation import Evaluation

    for file in files:
        if not file.is_file():
            raise DataError(
                f"{file} is a folder. Name files that `umpteen evaluate --save` wrote."
                if file.is_dir()
                else missing(file)
            )
    tables = [file for file in files if file.suffix.lower() == ".csv"]
    saved = [(file, Evaluation.load(file)) for file in files if file not in tables]
    evaluations = _told_apart(saved)
    results = {"": results_of(evaluations)} if evaluations else {}
    for file in tables:
        for paper, found in read_results(file).items():
            at_k = [result for result in found if re.fullmatch(r"[\w-]+@\d+", result.metric)]  # no times, no overlaps
            results.setdefault(paper, []).extend(at_k)
    return evaluations, results


def _told_apart(saved: "list[tuple[Path, Evaluation]]") -> "list[Evaluation]":
    """Evaluations of one name on one data set get their files' names as well."""
    from dataclasses import replace

    keys = [(evaluation.name, evaluation.data) for _, evaluation in saved]
    return [e if keys.count((e.name, e.data)) == 1 else replace(e, name=f"{e.name} ({file.stem})") for file, e in saved]


def _wanted(results: "list[Result]", metrics: list[str] | None, *, usual: bool) -> "list[Result]":
    from umpteen.metrics.compare import family

    known = {name for r in results for name in (r.metric, family(r.metric))}
    for name in metrics or ():
        if name not in known:
            raise DataError(f"There is no metric {name!r}. {did_you_mean(name, known)}")
    chosen = metrics or (_USUAL if usual else known)
    return [r for r in results if r.metric in chosen or family(r.metric) in chosen]


def _check_against(against: list[str] | None, groups: "dict[str, Comparison]") -> None:
    known = {method for comparison in groups.values() for method in comparison.methods}
    for name in against or ():
        if name not in known:
            raise DataError(f"There is no method {name!r} to compare with. {did_you_mean(name, known)}")


def _contested(comparison: "Comparison") -> list[str]:
    """The metrics, at any k, that at least two methods have on the same data."""
    from umpteen.metrics.compare import family

    return list(dict.fromkeys(family(row.metric) for row in comparison.rows if len(row.values) > 1))


def _rival(comparison: "Comparison", against: list[str] | None) -> str | None:
    """The method that p-values compare with: the one asked for, else the best by rank over all metrics."""
    asked = [name for name in against or () if name in comparison.methods]
    ranks = [comparison.average_ranks(name) for name in _contested(comparison)]
    if asked or not ranks:
        return next(iter(asked), None)
    total = {m: sum(r.get(m, len(comparison.methods)) for r in ranks) for m in comparison.methods}
    return min(total, key=lambda method: total[method])


def _show(name: str, comparison: "Comparison", rival: str | None) -> None:
    if name:
        show(f"{name}\n")
    methods, families = comparison.methods, _contested(comparison)
    rows = [[row.dataset, row.metric, *_cells(row.values, methods, row.best)] for row in comparison.rows]
    table(["data", "metric", *methods], rows)
    show()
    if rival is None or not families:
        return
    ranks = [[name, *_cells(found, methods, _lowest(found))] for name, found in _ranks(comparison, families)]
    table(["average rank", *methods], ranks)
    show()
    values = [(name, comparison.p_values(name, against=rival)) for name in families]
    table(
        [f"p-value against {rival}", *(m for m in methods if m != rival)],
        [[name, *(_p(found.get(m)) for m in methods if m != rival)] for name, found in values],
    )
    show()


def _ranks(comparison: "Comparison", families: list[str]) -> list[tuple[str, dict[str, float]]]:
    return [(name, comparison.average_ranks(name)) for name in families]


def _lowest(ranks: dict[str, float]) -> frozenset[str]:
    return frozenset(method for method, rank in ranks.items() if rank == min(ranks.values()))


def _cells(values: dict[str, float], methods: list[str], best: frozenset[str]) -> "list[Text]":
    """A cell for each method, the best bold, or with a star where there is no bold."""
    from rich.text import Text

    bold, cells = sys.stdout.isatty(), []
    for method in methods:
        marked = method in best and len(values) > 1
        text = f"{values[method]:.2f}" if method in values else "-"
        cells.append(Text(text + ("*" if marked and not bold else " "), style="bold" if marked and bold else ""))
    return cells


def _p(value: float | None) -> str:
    return "-" if value is None else f"{value:.2g}" if value >= 0.01 else f"{value:.2e}"


def _overlaps(evaluations: "list[Evaluation]") -> list[dict[str, Any]]:
    """How far the rankings of each two models on the same documents agree."""
    from umpteen.metrics.evaluation import overlap

    found = []
    for place, one in enumerate(evaluations):
        for other in evaluations[place + 1 :]:
            if one.data != other.data or one.top is None or other.top is None:
                continue
            depth = min(_DEEPEST, one.top.shape[1], other.top.shape[1])
            percent = [round(100 * overlap(one, other, k=k), 2) for k in range(1, depth + 1)]
            found.append({"one": one.name, "other": other.name, "data": one.data, "percent": percent})
    return found
