"""Comparison of methods over data sets: side by side, by average rank, and by Wilcoxon's signed-rank test.

Metrics at different k form one family: "P@1", "P@3" and "P@5" are rows of "P@k".
"""

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata, wilcoxon

from umpteen.core.errors import DataError, did_you_mean
from umpteen.metrics.evaluation import Evaluation
from umpteen.metrics.report import is_error

_SUMMARY = re.compile(r"_avg_rank$|_p_value_vs_")  # what tables print of the very results they list
_MISSING = re.compile(r"\s*(-|nan|missing.*)?\s*$", re.IGNORECASE)


@dataclass(frozen=True)
class Result:
    """One figure of one method; higher is better, except of errors."""

    dataset: str
    method: str
    metric: str
    value: float


@dataclass(frozen=True)
class Row:
    """One metric on one data set, for every method that has it."""

    dataset: str
    metric: str
    values: dict[str, float]  # by method

    @property
    def best(self) -> frozenset[str]:
        """The method, or methods, with the best value."""
        top = max(self._worth)
        return frozenset(method for method, worth in zip(self.values, self._worth, strict=True) if worth == top)

    @property
    def ranks(self) -> dict[str, int]:
        """1 for the best; equal values share the better rank, as in sports."""
        places = rankdata([-worth for worth in self._worth], method="min")
        return {method: int(place) for method, place in zip(self.values, places, strict=True)}

    @property
    def _worth(self) -> list[float]:
        return [-value if is_error(self.metric) else value for value in self.values.values()]


class Comparison:
    """Results of several methods, row by row, in the order they came."""

    def __init__(self, results: Iterable[Result]) -> None:
        found: dict[tuple[str, str], dict[str, float]] = {}
        for result in results:
            values = found.setdefault((result.dataset, result.metric), {})
            if result.method in values:
                raise DataError(
                    f"{result.method} has two values of {result.metric} on {result.dataset}. Give each its own name."
                )
            values[result.method] = result.value
        self.rows = [Row(dataset, metric, values) for (dataset, metric), values in found.items()]
        self.methods = list(dict.fromkeys(method for row in self.rows for method in row.values))
        self.families = list(dict.fromkeys(family(row.metric) for row in self.rows))

    def average_ranks(self, of: str) -> dict[str, float]:
        """Each method's mean rank over the rows of a family, e.g. "P@k"; rows it misses are left out of its mean."""
        ranks = [row.ranks for row in self._family(of)]
        own = {method: [r[method] for r in ranks if method in r] for method in self.methods}
        return {method: float(np.mean(places)) for method, places in own.items() if places}

    def p_values(self, of: str, *, against: str) -> dict[str, float]:
        """Exact two-sided Wilcoxon p-values of every other method, paired with `against` row by row.

        Rows that either misses, and rows without a difference, are left out; equal differences share their mean rank
        in the statistic, whose distribution is that of ranks without ties.
        """
        if against not in self.methods:
            raise DataError(f"There is no method {against!r} to compare with. {did_you_mean(against, self.methods)}")
        found = {}
        for method in self.methods:
            rows = [row.values for row in self._family(of) if method in row.values and against in row.values]
            if method != against and rows:
                found[method] = wilcoxon_p([row[against] - row[method] for row in rows])
        return found

    def to_json(self, *, against: str | None = None) -> dict[str, Any]:
        """Everything in one object; p-values where there is a method to compare with."""
        rows = [{"data": r.dataset, "metric": r.metric, "values": r.values, "best": sorted(r.best)} for r in self.rows]
        kept: dict[str, Any] = {"methods": self.methods, "rows": rows}
        kept["average_ranks"] = {name: self.average_ranks(name) for name in self.families}
        if against is not None:
            kept["p_values"] = {name: self.p_values(name, against=against) for name in self.families}
        return kept

    def _family(self, of: str) -> list[Row]:
        if of not in self.families:
            raise DataError(f"There are no metrics {of!r}. {did_you_mean(of, self.families)}")
        return [row for row in self.rows if family(row.metric) == of]


def family(metric: str) -> str:
    """The metric at any k: "P@k" of "P@3"."""
    return re.sub(r"@\d+$", "@k", metric)


def wilcoxon_p(differences: Sequence[float]) -> float:
    """The exact two-sided p-value of paired differences; 1 where there are none."""
    exact = np.round(differences, 9)  # 0.3 - 0.1 and 0.2 are the same difference
    exact = exact[exact != 0]
    return float(wilcoxon(exact, method="exact").pvalue) if len(exact) else 1.0


def results_of(evaluations: Iterable[Evaluation]) -> list[Result]:
    """The scores of saved evaluations."""
    return [Result(e.data, e.name, metric, value) for e in evaluations for metric, value in e.scores.items()]


def read_results(path: str | Path) -> dict[str, list[Result]]:
    """The results in a CSV file with the columns dataset, method, metric, value, by its column paper where it has one.

    Cells that are empty, "-", "nan" or say "missing" are left out, and so are average ranks and p-values listed among
    the results, since they are what a comparison computes.
    """
    found: dict[str, list[Result]] = {}
    with Path(path).open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        missing = {"dataset", "method", "metric", "value"} - set(reader.fieldnames or ())
        if missing:
            raise DataError(f"the header lacks the columns {', '.join(sorted(missing))}.", file=path, line=1)
        for row in reader:
            cell = row["value"] or ""
            if _SUMMARY.search(row["metric"]) or _MISSING.match(cell):
                continue
            try:
                result = Result(row["dataset"], row["method"], row["metric"], float(cell))
            except ValueError:
                raise DataError(f"the value {cell!r} is not a number.", file=path, line=reader.line_num) from None
            found.setdefault(row.get("paper") or "", []).append(result)
    return found
