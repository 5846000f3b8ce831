"""Results: what each run left in its folder, and all of it in one long table."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from umpteen.core.errors import DataError
from umpteen.core.files import Staging
from umpteen.study.cells import Cell
from umpteen.study.plan import Study

RESULT, EVALUATION = "result.json", "evaluation.json"
MARKER = "study.json"  # of a folder that is a study's
LOG = "log.txt"  # what a run says
TRAINING = "log.tsv"  # how a network learnt


@dataclass(frozen=True)
class Result:
    """What came out of a run: measures, or why there are none."""

    mark: str  # of the cell it belongs to
    measures: Mapping[str, float] = field(default_factory=dict)
    error: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)  # name, settings, versions, times

    def save(self, folder: Path) -> None:
        """Write it into the run's folder, whole or not at all."""
        with Staging() as staging:
            staging.open(folder / RESULT).write(json.dumps(asdict(self), indent=1, ensure_ascii=False).encode() + b"\n")

    @classmethod
    def load(cls, folder: Path) -> "Result | None":
        """What `save` wrote; none where there is nothing, or something else."""
        try:
            return cls(**json.loads((folder / RESULT).read_bytes()))
        except (OSError, ValueError, TypeError):
            return None


class Results:
    """The results of a study's cells, in the folder that it writes to."""

    def __init__(self, out: Path, cells: Sequence[Cell]) -> None:
        self.out, self.cells = out, cells
        self._found: dict[str, Result] = {}
        for cell in {cell.key: cell for cell in cells}.values():
            self.look(cell)

    def folder(self, cell: Cell) -> Path:
        """Where a run keeps what it has."""
        return self.out / "runs" / cell.key

    def look(self, cell: Cell) -> Result | None:
        """Read a cell's result anew."""
        found = Result.load(self.folder(cell))
        if found is not None and found.mark == cell.mark:
            self._found[cell.key] = found
        else:
            self._found.pop(cell.key, None)
        return self._found.get(cell.key)

    def of(self, cell: Cell) -> Result | None:
        """The result, where the run has ended."""
        return self._found.get(cell.key)

    def is_done(self, cell: Cell) -> bool:
        """Whether the run ended well."""
        found = self.of(cell)
        return found is not None and found.error is None

    @property
    def to_do(self) -> list[Cell]:
        """The runs that have not ended well, each once."""
        return [cell for cell in {cell.key: cell for cell in self.cells}.values() if not self.is_done(cell)]

    @property
    def failed(self) -> list[tuple[Cell, str]]:
        """The runs that went wrong, and why."""
        unique = {cell.key: cell for cell in self.cells}.values()
        return [(cell, r.error) for cell in unique if (r := self.of(cell)) is not None and r.error is not None]

    def table(self, study: Study) -> str:
        """All figures as CSV, a row for each cell and measure."""
        text = io.StringIO()
        head = (*study.dimensions, "split", "seed", "measure", "value")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(self._rows(study))
        return text.getvalue()

    def _rows(self, study: Study) -> Iterator[tuple[Any, ...]]:
        for cell in self.cells:
            found = self.of(cell)
            for measure, value in (found.measures if found is not None else {}).items():
                place = (cell.at.get(dimension, "") for dimension in study.dimensions)
                split = "" if cell.split is None else cell.split
                yield (*place, split, cell.seed, measure, value)


def claimed(out: Path, name: str, title: str) -> None:
    """Make the folder that a study of this name writes to; raise where it holds something else."""
    marker = out / MARKER
    if out.exists() and not out.is_dir():
        raise DataError(f"{out} is not a folder. Choose another place with --out.")
    if marker.is_file():
        try:
            other = json.loads(marker.read_bytes())["study"]
        except (ValueError, KeyError, TypeError):
            other = None
        if other != name:
            raise DataError(f"{out} holds another study, {other!r}. Choose another place with --out.")
        return
    if out.is_dir() and any(out.iterdir()):
        raise DataError(f"{out} holds other files, not a study. Choose another place with --out.")
    try:
        (out / "runs").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{out} cannot be written: {error.strerror or error}. Choose another --out.") from None
    with Staging() as staging:
        staging.open(marker).write(json.dumps({"study": name, "title": title}).encode() + b"\n")
