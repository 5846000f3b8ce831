"""The figures as two tables in Markdown: what was measured, and how many times better than the best peer that is."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from peers.systems import is_peer

Row = Mapping[str, Any]

ACCURACY = ("P@1", "P@3", "P@5")
GOALS = {  # column: (figure, whether more is better, times as good as the best peer that is wanted)
    "training": ("train_s", False, 3.0),
    "batch": ("docs_s", True, 3.0),
    "one p50": ("p50_ms", False, 8.0),
    "one p99": ("p99_ms", False, 8.0),
    "size": ("size_mb", False, 2.0),
    "memory": ("peak_mb", False, 1.0),
}
NOTES = """\
Every system has the same features and two threads on two cores, trains in one process and answers in another. Training
is from features in memory to a model in memory, label profiles and clustering included, importing and reading left out
(napkinXC writes its model on the way). Memory is the most that the training process held; in brackets, what it held
before training: libraries and data. Documents/s: the whole test set at once, the best of three. One document: {single}
of them one by one on one thread in a warm process, median and 99th percentile. omikuji answers one document a call; its
batch is such calls from two threads, with weights made dense where that is quicker. PECOS answers from hash-chunked
weights. P@k and PSP@k in percent over all test documents, labels not seen in training left out of the truth."""


def measured(rows: Sequence[Row]) -> str:
    """All figures, a line for each system on each data set."""
    head = ("data", "system", "training s", "memory MB", "size MB", "documents/s", "one p50/p99 ms", *ACCURACY, "PSP@5")
    return markdown(head, [_figures(row) for row in rows])


def ratios(rows: Sequence[Row]) -> str:
    """This project's systems against the best peer of each column, with the goals."""
    head = ("data", "system", *GOALS, *ACCURACY)
    lines = [("goal", "", *(f"{goal:g} x" for _, _, goal in GOALS.values()), *("0",) * 3)]
    for row in rows:
        peers = [other for other in rows if other["data"] == row["data"] and is_peer(other["system"])]
        if peers and not is_peer(row["system"]):
            lines.append((row["data"], row["system"], *_better(row, peers)))
    return markdown(head, lines) if len(lines) > 1 else ""


def report(rows: Sequence[Row], *, compile_s: float | None) -> str:
    """Both tables with their notes."""
    parts = [measured(rows), NOTES.format(single=500)]
    if compile_s is not None:
        parts.append(
            f"Umpteen's loops were compiled before, which takes {compile_s:.0f} s, once for each version of it and "
            "of numba on a machine."
        )
    if compared := ratios(rows):
        parts += [
            "Times as good as the best peer of each column: 8 for one document is an eighth of the time, 2 for size "
            "half of it. P@k: points above or below the best peer. `+` reaches the goal, `-` misses it.",
            compared,
        ]
    return "\n\n".join(parts) + "\n"


def _figures(row: Row) -> tuple[str, ...]:
    repeats = f" (best of {row['repeats']})" if row.get("repeats", 1) > 1 else ""
    return (
        row["data"],
        row["system"],
        f"{row['train_s']:.2f}{repeats}",
        f"{row['peak_mb']:,.0f} ({row['before_mb']:,.0f})",
        f"{row['size_mb']:,.1f}",
        f"{row['docs_s']:,.0f}",
        f"{row['p50_ms']:.3f} / {row['p99_ms']:.3f}",
        *(f"{row[name]:.2f}" for name in (*ACCURACY, "PSP@5")),
    )


def _better(row: Row, peers: Sequence[Row]) -> Iterable[str]:
    for figure, more, goal in GOALS.values():
        theirs = [peer[figure] for peer in peers]
        times = row[figure] / max(theirs) if more else min(theirs) / row[figure]
        yield f"{times:.2f} {'+' if times >= goal else '-'}"
    for name in ACCURACY:
        points = row[name] - max(peer[name] for peer in peers)
        yield f"{points:+.2f} {'+' if points >= 0 else '-'}"


def markdown(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A table whose columns also line up as plain text, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(head, *lines, strict=True)]
    rule = [f"{'-' * (w - (n > 1))}{':' if n > 1 else ''}" for n, w in enumerate(widths)]
    rows = [
        [f"{cell:{'<' if n < 2 else '>'}{widths[n]}}" for n, cell in enumerate(line)] for line in (head, rule, *lines)
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
