"""Learning from documents that clients send: a process of its own learns and saves, then the folder is read anew.

So suggestions go on meanwhile, a learner that dies takes nothing with it, and what is acknowledged is on the disk.
"""

import asyncio
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from umpteen.app.server.problem import Problem, busy
from umpteen.core.space import LabelSpace

_QUEUE = 16  # requests to learn that wait at most


@dataclass(frozen=True)
class Lesson:
    """A document with its labels."""

    text: str
    labels: dict[str, str]  # names by key; an empty name where none was given


@dataclass
class Learner:
    """One lesson after the other; learners of other processes wait for each other too."""

    _waiting: int = field(default=0, init=False)
    _learning: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    async def learn(self, folder: Path, lessons: Sequence[Lesson], known: LabelSpace) -> None:
        """Add documents to the model in a folder."""
        if self._waiting >= _QUEUE:
            raise busy("The server is busy learning. Try again later.", seconds=10)
        self._waiting += 1
        try:
            with tempfile.TemporaryDirectory(prefix="umpteen-") as place:
                arguments = _written(Path(place), lessons, known)
                async with self._learning:
                    await _learnt(folder, arguments)
        finally:
            self._waiting -= 1


def _written(place: Path, lessons: Sequence[Lesson], known: LabelSpace) -> list[str]:
    """The lessons as files, and what the learner is to be told of them."""
    documents, names = place / "documents.jsonl", place / "labels.tsv"
    lines = (json.dumps({"text": one.text, "labels": [*one.labels]}) for one in lessons)
    documents.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    fresh = {key: name for one in lessons for key, name in one.labels.items() if name and key not in known}
    if not fresh:
        return [str(documents)]
    rows = (f"{_cell(key)}\t{_cell(name)}\n" for key, name in fresh.items())
    names.write_text("".join(rows), encoding="utf-8")
    return [str(documents), "--labels", str(names)]


def _cell(text: str) -> str:
    return " ".join(text.split())


async def _learnt(folder: Path, arguments: list[str]) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "umpteen", "learn", str(folder), *arguments),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is for the server, which waits for what it has begun
    )
    _, said = await process.communicate()
    if process.returncode:
        detail = said.decode("utf-8", "replace").strip().rpartition("\n")[2].removeprefix("umpteen: ")
        raise Problem(503, f"The model did not learn: {detail}", title="Service unavailable")
