"""A report as people read it: metrics with intervals, sets, groups, and what to know about the data."""

from typing import TYPE_CHECKING

from umpteen.app.tables import show, spoken_seconds, table
from umpteen.core.legible import number_of

if TYPE_CHECKING:
    from umpteen.metrics.report import Report

_AT_K = ("P", "R", "nDCG", "PSP", "PSnDCG")
_BY_LABEL = ("macro-F1", "coverage", "ECE")


def show_report(report: "Report", *, model: str, data: str, seconds: float) -> None:
    """Print everything."""
    speed = f", {report.documents / seconds:,.0f} documents/s" if seconds else ""
    show(
        f"{model} on {data}: {number_of(report.documents, 'document')}, {number_of(report.labels, 'label')}, "
        f"{spoken_seconds(seconds)}{speed}"
    )
    show()
    places = [int(name.partition("@")[2]) for name in report.scores if name.startswith("P@")]
    rows = [[name, *(_with_interval(report, f"{name}@{k}") for k in places)] for name in (*_AT_K, *_BY_LABEL)]
    table(["percent", *(f"@{k}" for k in places)], rows)
    show()
    sets = [
        (kind, *(report.scores[f"{kind}-{name}"] for name in ("P", "R", "F1")))
        for kind in ("micro", "macro", "document")
    ]
    table([f"labels given: {report.given}", "precision", "recall", "F1"], sets)
    show()
    groups = [(g.name, f"{g.least:,} to {g.most:,}", g.labels, g.percent, g.auc, g.aupr) for g in report.groups]
    if groups:
        table(["group", "documents", "labels", "% of occurrences", "AUC", "AUPR"], groups)
        show()
    _remarks(report)


def _with_interval(report: "Report", name: str) -> str:
    score = f"{report.scores[name]:5.2f}"
    if name not in report.intervals:
        return score
    low, high = report.intervals[name]
    return f"{score} ({low:.2f}-{high:.2f})"


def _remarks(report: "Report") -> None:
    """What a reader of the figures must know."""
    if report.labels_never_seen:
        show(
            f"{report.labels_never_seen:,} labels of these documents were never seen in training; they count as missed."
        )
    if report.documents_without_labels:
        show(f"Without any label: {number_of(report.documents_without_labels, 'document')}; each counts as 0.")
    show("In brackets: 95% bootstrap intervals.")
