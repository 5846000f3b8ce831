"""Run: the folder of a training in the making, with its log and last checkpoint, so that a stop costs little."""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, TextIO

from umpteen.core.beside import beside, clear, remove, vanish
from umpteen.core.errors import FolderError
from umpteen.core.files import Staging
from umpteen.core.lock import held
from umpteen.core.store import ADVICE, Folder, NewFolder, new_folder, recover

LOG = "log.tsv"
_WANTED, _CHECKPOINT, _DONE, _LOCK = "run.json", "checkpoint", "done", "lock"


class Run:
    """What a training leaves behind on its way; the model itself is saved elsewhere at the end."""

    def __init__(
        self,
        path: str | Path,
        wanted: Mapping[str, Any] | None = None,
        *,
        resume: bool = False,
        seconds: float = 30.0,
    ) -> None:
        self.path = Path(path)
        self.seconds = seconds  # between two checkpoints at least
        self.due = time.monotonic() + seconds  # when the next one is
        self._log: TextIO | None = None
        self._holds = 0
        if resume:
            self._check_there()
            return
        if self.path.exists():
            if not (self.path / _WANTED).is_file():
                raise FolderError(
                    f"{self.path} holds other files than a training run. Move it away, or choose another --out."
                )
            with self.held():
                vanish(self.path)
        self._begin(wanted or {})

    def _begin(self, wanted: Mapping[str, Any]) -> None:
        """Make the folder, which appears with all that belongs into it."""
        new = beside(self.path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            clear(self.path)
            new.mkdir()
            (new / _WANTED).write_text(json.dumps(wanted, indent=1), encoding="utf-8")
            new.rename(self.path)
        except OSError as error:
            raise FolderError(
                f"{self.path} cannot be written: {error.strerror or error}. Choose another --out."
            ) from error
        finally:
            remove(new)

    def _check_there(self) -> None:
        if not (self.path / _WANTED).is_file():
            raise FolderError(f"There is no run in {self.path} to go on with. Train from the start, without --resume.")

    @property
    def wanted(self) -> dict[str, Any]:
        """What the run was begun with."""
        try:
            found = json.loads((self.path / _WANTED).read_bytes())
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise self.damaged
        return found

    @property
    def damaged(self) -> FolderError:
        """What to say where it cannot be told what the run was begun with."""
        return FolderError(f"{self.path / _WANTED} is damaged. Delete {self.path} and train from the start.")

    def part(self, name: str) -> "Run":
        """The run of a training inside this one, to be gone on with where it was begun."""
        place = self.path / name
        return Run(place, resume=(place / _WANTED).is_file(), seconds=self.seconds)

    @property
    def done(self) -> Path:
        """Where a part keeps its model once it is trained."""
        return self.path / _DONE

    @property
    def started(self) -> bool:
        """Whether there is something to go on with, here or in a part: a checkpoint, or a trained model."""
        for part in self.path.glob(f"**/{_WANTED}"):
            recover(part.with_name(_CHECKPOINT))
        return any(any(self.path.glob(f"**/{name}")) for name in (_CHECKPOINT, _DONE))

    @property
    def reached(self) -> str:
        """How far it has come, in a sentence."""
        if not self.started:
            return "The training was stopped before it had kept anything: it begins anew."
        latest = self.latest(verify=False)
        if latest is None:
            return "The stopped training had kept some of its parts."
        stage = f" of stage {latest.facts['stage'] + 1}" if latest.facts["stage"] else ""
        return f"The stopped training had come to step {latest.facts['counts']['number']:,.0f}{stage}."

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other trainings out of the folder; a process that dies lets go of it. Once held, it may be again."""
        with nullcontext() if self._holds else held(self.path / _LOCK, by="another training"):
            self._holds += 1
            try:
                yield
            finally:
                self._holds -= 1

    @contextmanager
    def checkpoint(self) -> Iterator[NewFolder]:
        """Write a checkpoint in place of the one before, at once or not at all."""
        with new_folder(self.path / _CHECKPOINT) as folder:
            yield folder

    def latest(self, *, verify: bool = True) -> Folder | None:
        """The last checkpoint; none if the run ended before its first."""
        place = self.path / _CHECKPOINT
        recover(place)
        try:
            return Folder(place, verify=verify) if place.is_dir() else None
        except FolderError as error:
            problem = str(error).removesuffix(ADVICE).rstrip()
            raise FolderError(f"{problem} Delete {self.path} and train from the start.") from error

    def record(self, row: Mapping[str, Any]) -> None:
        """Add a line to the log."""
        if self._log is None:
            self._log = (self.path / LOG).open("a", encoding="utf-8")
            if not self._log.tell():
                self._log.write("\t".join(row) + "\n")
        self._log.write("\t".join(_written(value) for value in row.values()) + "\n")
        self._log.flush()

    def rewind(self, looks: int) -> None:
        """Take out of the log what came after so many looks."""
        file = self.path / LOG
        if not file.is_file():
            return
        head, *lines = self.log().split("\n")[:-1] or [""]  # the last line may be cut off
        kept = [line for line in lines[:looks] if line.partition("\t")[0].isdigit()]
        with Staging() as staging:
            staging.open(file).write("".join(f"{line}\n" for line in (head, *kept) if line).encode())

    def log(self) -> str:
        """All that was recorded."""
        file = self.path / LOG
        return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""

    def remove(self) -> None:
        """Clean up when the model is saved."""
        if self._log is not None:
            self._log.close()
            self._log = None
        vanish(self.path)


def _written(value: float | None) -> str:
    return "" if value is None else str(value) if isinstance(value, int) else f"{value:.6g}"
