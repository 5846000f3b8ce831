"""The keeper: a small process that holds the last checkpoint and log of a training on a cluster, as bytes of files."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from umpteen.core.files import Staging
from umpteen.core.run import LOG, Run
from umpteen.core.store import MANIFEST, new_folder

Saved = dict[str, NDArray[np.uint8]]  # files of a run by their places in it

_CHECKPOINT = "checkpoint/"
_OF_FOLDERS = ("umpteen", "files", "crc32")  # what a folder's manifest says of itself


def saved(run: Run) -> Saved:
    """A run's checkpoint and log."""
    files = [run.path / LOG, *sorted((run.path / _CHECKPOINT).glob("*"))]
    return {file.relative_to(run.path).as_posix(): np.fromfile(file, np.uint8) for file in files if file.is_file()}


def restored(state: Saved, run: Run) -> None:
    """Put a checkpoint and log into a run's folder."""
    if LOG in state:
        with Staging() as staging:
            staging.open(run.path / LOG).write(state[LOG].tobytes())
    checkpoint = {name.removeprefix(_CHECKPOINT): part for name, part in state.items() if name.startswith(_CHECKPOINT)}
    if MANIFEST in checkpoint:
        with new_folder(run.path / _CHECKPOINT) as folder:
            facts = json.loads(checkpoint.pop(MANIFEST).tobytes())
            folder.facts |= {name: fact for name, fact in facts.items() if name not in _OF_FOLDERS}
            for name, content in checkpoint.items():
                (folder.path / name).write_bytes(content.data)


class Keeper:
    """Answers whoever asks, one after the other, while the training goes on."""

    def __init__(self, state: Saved) -> None:
        self._state, self._number = state, 0
        self._row: Mapping[str, Any] = {}
        self._answer: Any = None

    def latest(self) -> Saved:
        """Where the training stands."""
        return self._state

    def keep(self, state: Saved) -> None:
        """Hold a newer checkpoint."""
        self._state = state
        self._number += 1

    def tell(self, row: Mapping[str, Any]) -> None:
        """Take note of a line of the log."""
        self._row = row

    def news(self, known: int) -> tuple[int, Saved | None, Mapping[str, Any]]:
        """The number of the checkpoint, the checkpoint itself where the asker does not know it, and the last line."""
        return self._number, self._state if self._number > known else None, self._row

    def finish(self, weights: Mapping[str, NDArray[Any]], found: Any, state: Saved) -> None:
        """Hold what the training ends with."""
        self._answer = weights, found
        self.keep(state)

    def answer(self) -> Any:
        """What the training ended with."""
        return self._answer
