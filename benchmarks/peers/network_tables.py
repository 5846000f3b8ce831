"""The figures of deep systems as two tables in Markdown: what was measured, and how many times better that is."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from peers.networks import NETWORKS
from peers.tables import ACCURACY, markdown

Row = Mapping[str, Any]

MANY = 10_000  # labels from which more is wanted of training
NOTES = """\
Every system has the same documents, word vectors (frozen), LSTM size, length, batch size, number of epochs and threads
(two, on two cores, unless told otherwise); it is tried on a few documents, so that what it compiles once for all is
there, trains in a second process and answers in a third. Training documents/s: documents times epochs by the seconds
from texts in memory to a saved model, without validation where a system lets one tell (`umpteen` does not); in
brackets, training steps alone. Runs that reach the time limit or lose patience stop there, and say how many documents
they saw. Tagging documents/s: test documents at once, from text to five labels.
Memory is the most that a process held, pages of libraries among it; `umpteen` hands those back that only loading needed
(some 110 MB), the peer keeps its own. P@k in percent, labels not seen in training left out of the truth."""


def speed(row: Row) -> float:
    """Documents a second of training, validation left out where it is known."""
    return float(row["seen"] / (row["train_s"] - row["valid_s"]))


def measured(rows: Sequence[Row]) -> str:
    """All figures, a line for each system on each data set."""
    head = ("data", "system", "labels", "documents", "epochs", "training documents/s", "training MB")
    more = ("tagging documents/s", "tagging MB", *ACCURACY, "seconds in all")
    return markdown((*head, *more), [_figures(row) for row in rows])


def ratios(rows: Sequence[Row]) -> str:
    """This project's system against each peer, with the goals."""
    head = ("data", "system", "beside", "training", "tagging", "training MB", "tagging MB", *ACCURACY)
    lines = [
        (row["data"], row["system"], peer["system"], *_better(row, peer))
        for row in rows
        for peer in rows
        if peer["data"] == row["data"] and is_peer(peer["system"]) and not is_peer(row["system"])
    ]
    return markdown(head, lines) if lines else ""


def report(rows: Sequence[Row]) -> str:
    """Both tables with their notes."""
    parts = [measured(rows), NOTES]
    if compared := ratios(rows):
        parts += [
            "Times as good as the peer. Wanted: training 2 (5 from 10,000 labels), tagging 4, memory 2 (half of it), "
            "P@k not below the peer's. `+` reaches it, `-` misses it.",
            compared,
        ]
    return "\n\n".join(parts) + "\n"


def is_peer(name: str) -> bool:
    """Whether a system is another project's."""
    return bool(NETWORKS[name].installs)


def _figures(row: Row) -> tuple[str, ...]:
    whole = row["documents"] * row["epochs"]
    epochs = f"{row['epochs']}" if row["seen"] >= whole else f"{row['seen'] / row['documents']:.2f} of {row['epochs']}"
    return (
        row["data"],
        row["system"],
        f"{row['labels']:,}",
        f"{row['documents']:,}",
        epochs,
        f"{speed(row):,.2f} ({row['seen'] / row['steps_s']:,.2f})" if row["seen"] else "-",
        f"{row['peak_mb']:,.0f}",
        *(_cell(row, name) for name in ("docs_s", "tag_mb", *ACCURACY)),
        f"{row['all_s']:,.0f}",
    )


def _cell(row: Row, name: str) -> str:
    digits = {"docs_s": 1, "tag_mb": 0}.get(name, 2)
    return f"{row[name]:,.{digits}f}" if name in row else "-"


def _better(row: Row, peer: Row) -> Iterable[str]:
    wanted = 5.0 if row["labels"] >= MANY else 2.0
    yield _times(speed(row) / speed(peer), wanted) if peer["seen"] else "-"
    for name, more, goal in (("docs_s", True, 4.0), ("peak_mb", False, 2.0), ("tag_mb", False, 2.0)):
        if name not in row or name not in peer:
            yield "-"
        else:
            yield _times(row[name] / peer[name] if more else peer[name] / row[name], goal)
    for name in ACCURACY:
        points = row[name] - peer[name] if name in row and name in peer else None
        yield "-" if points is None else f"{points:+.2f} {'+' if points >= 0 else '-'}"


def _times(value: float, goal: float) -> str:
    return f"{value:.2f} {'+' if value >= goal else '-'}"
