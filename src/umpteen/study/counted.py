"""What is counted of a study's data, once: their statistics, and how large they are to models that learn from them."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from umpteen.contract.lesson import Size, lesson_of
from umpteen.core.files import Staging
from umpteen.core.space import LabelSpace
from umpteen.data.stats import statistics
from umpteen.labels.files import read_labels
from umpteen.study.plan import Table
from umpteen.study.results import MARKER
from umpteen.study.sheet import Entry, Sheet
from umpteen.study.sources import Source, corpora, marks

_FILE = "data.json"


@dataclass(frozen=True)
class Counts:
    """What was counted of one data set."""

    name: str
    size: Size  # of all training documents
    rows: tuple[tuple[str, int | float], ...]  # of the table of statistics

    @classmethod
    def of(cls, source: Source) -> "Counts":
        """Go through the documents."""
        train, test = corpora(source)
        if source.labels is not None:
            known = read_labels(source.labels)
            train.space = train.space.described(known) if train.space is not None else LabelSpace(known, labels=known)
        rows = statistics(train, test).rows()
        fresh, _ = corpora(source)
        return cls(source.data.name, lesson_of(fresh, None, known=None).size, tuple(rows))

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> "Counts":
        """What `asdict` gave."""
        return cls(kept["name"], Size(**kept["size"]), tuple((name, value) for name, value in kept["rows"]))


def counted(sources: Sequence[Source], out: Path) -> dict[str, Counts]:
    """By the data's names; what was counted before of the same files is not counted again."""
    kept, found = _kept(out / _FILE), {}
    for source in sources:
        mark = json.dumps(
            [marks(source), source.data.format, [*source.data.where.items()], _split(source)], default=list
        )
        known = kept.get(source.data.name)
        if known is None or known["mark"] != mark:
            known = {"mark": mark, "counts": asdict(Counts.of(source))}
            kept[source.data.name] = known
        found[source.data.name] = Counts.from_json(known["counts"])
    if (out / MARKER).is_file():
        with Staging() as staging:
            staging.open(out / _FILE).write(json.dumps(kept, indent=1, ensure_ascii=False).encode() + b"\n")
    return found


def _split(source: Source) -> dict[str, Any] | None:
    return asdict(source.split) if source.split is not None else None


def _kept(file: Path) -> dict[str, Any]:
    try:
        kept = json.loads(file.read_bytes())
        return {name: one for name, one in kept.items() if Counts.from_json(one["counts"])}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def statistics_sheet(table: Table, counts: Sequence[Counts]) -> Sheet:
    """A column for each data set, as Table 1 of the papers turned on its side."""
    names = [*dict.fromkeys(name for one in counts for name, _ in one.rows)]
    found = [dict(one.rows) for one in counts]
    rows = [(Entry(name), *(Entry(_written(one.get(name))) for one in found)) for name in names]
    return Sheet(table.title, ("", *(one.name for one in counts)), tuple(rows), 1)


def _written(value: int | float | None) -> str:
    return "-" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
