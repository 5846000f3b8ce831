"""History: how a training went, read from the log of its model or of its run."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from umpteen.core.errors import DataError, FolderError, did_you_mean, shown
from umpteen.core.run import LOG
from umpteen.core.store import MANIFEST, Folder

_RESULT = "result.json"  # of a study's run that has ended
_COLUMNS = ("step", "epoch", "loss", "ndcg@5", "best", "documents/s", "seconds")


@dataclass(frozen=True)
class Look:
    """What a look at the validation documents found."""

    step: int
    epoch: float
    loss: float  # mean since the look before
    score: float  # nDCG@5, between 0 and 1
    best: bool  # no earlier look found a better one
    rate: float  # documents/s since the training began, without pauses
    seconds: float  # since then


@dataclass(frozen=True)
class History:
    """All looks of a training, by step; at least one."""

    name: str
    looks: tuple[Look, ...]
    ended: bool  # else it goes on, or was stopped

    @property
    def best(self) -> Look:
        """The look whose weights the model has: of equal scores the last."""
        return max(self.looks, key=lambda look: (look.score, look.step))

    @property
    def seconds(self) -> float:
        """The time it took, from the beginning to the last look, without pauses."""
        return self.looks[-1].seconds

    @property
    def rate(self) -> float:
        """Documents/s over all that time."""
        return self.looks[-1].rate


def histories(paths: Sequence[Path]) -> list[History]:
    """The trainings of models or runs, in the same order."""
    return [_read(path, name) for path, name in zip(paths, _names(paths), strict=True)]


def _read(path: Path, name: str) -> History:
    folder = _folder(path)
    ended = (folder / MANIFEST).is_file() or (folder / _RESULT).is_file()
    if not (folder / LOG).is_file():
        raise FolderError(_without_log(folder, ended))
    head, *lines = _whole_lines(folder / LOG) or [""]
    if not lines:
        raise FolderError(_empty(folder, ended))
    places = _places(head, folder / LOG)
    looks = tuple(_look(line, places, folder / LOG, number) for number, line in enumerate(lines, start=2))
    return History(name, looks, ended)


def _folder(path: Path) -> Path:
    """The model at `path`, or the run beside it that is to become one."""
    beside = Path(f"{path}.run")
    if path.is_dir() or beside.is_dir():
        return path if path.is_dir() else beside
    if path.exists():
        raise FolderError(f"{path} is a file. Name the folder of a model or of a run.")
    near = [p.name for p in path.parent.iterdir() if p.is_dir()] if path.parent.is_dir() else []
    hint = did_you_mean(path.name, near)
    raise FolderError(f"There is no folder {path}." + (f" {hint}" if hint.startswith("Did you") else ""))


def _without_log(folder: Path, ended: bool) -> str:
    if ended:
        kind = Folder(folder, verify=False).facts.get("model", "a model")
        return f"{folder} has no curves: {kind} trains in one go and leaves no log, as only deep models do."
    return (
        _empty(folder, ended)
        if (folder / "run.json").is_file()
        else f"{folder} is neither a model nor a run: it has no {LOG}."
    )


def _empty(folder: Path, ended: bool) -> str:
    if ended:
        return f"{folder / LOG} is empty: the model was trained without a run. `umpteen train` keeps one."
    return f"The training in {folder} has not come to its first look at the validation documents. Try again later."


def _whole_lines(file: Path) -> list[str]:
    """The lines of a log; the last may be in the making and does not count before its end is written."""
    return file.read_text(encoding="utf-8", errors="replace").split("\n")[:-1]


def _places(head: str, file: Path) -> list[int]:
    names = head.split("\t")
    for column in _COLUMNS:
        if column not in names:
            raise DataError(f"Expected a column {column!r}, got {shown(head)}.", file=file, line=1)
    return [names.index(column) for column in _COLUMNS]


def _look(line: str, places: list[int], file: Path, number: int) -> Look:
    cells = line.split("\t")
    try:
        step, epoch, loss, score, best, rate, seconds = (float(cells[place]) for place in places)
        return Look(int(step), epoch, loss, score, bool(best), rate, seconds)
    except (IndexError, ValueError, OverflowError) as error:
        raise DataError(
            f"Expected {len(_COLUMNS)} numbers between tabs, got {shown(line)}. Delete the line or train again.",
            file=file,
            line=number,
        ) from error


def _names(paths: Sequence[Path]) -> list[str]:
    """The folders' names, whole paths where two have one name; runs are called as their models will be."""
    models = [Path(str(path).removesuffix(".run")) for path in paths]
    names = [model.absolute().name for model in models]
    return [name if names.count(name) == 1 else str(model) for name, model in zip(names, models, strict=True)]
