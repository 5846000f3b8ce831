"""The runner: has runs done by child processes, as many at a time as memory allows, and ends them when stopped."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from dataclasses import dataclass, field
from pathlib import Path

from umpteen.core.legible import spoken_seconds
from umpteen.core.memory import spoken
from umpteen.core.progress import Bar, bar
from umpteen.study.cells import Cell
from umpteen.study.needs import Needs
from umpteen.study.results import EVALUATION, LOG, RESULT, TRAINING, Result, Results
from umpteen.study.watch import Watch

_JOB = "job.json"
_LOOK = 1.0  # seconds between two looks at what runs
_TELL = 60.0  # seconds between two lines about it


@dataclass
class Runner:
    """How runs are to be done."""

    results: Results
    jobs: int = 1  # runs at a time, at most
    budget: int | None = None  # bytes that all runs at a time may need together
    needs: Needs | None = None
    keep: bool = False  # the models
    anyway: bool = False  # even if memory will probably not suffice
    say: Callable[[str], None] | None = None  # gets a line now and then, where no bars are shown
    _children: "set[subprocess.Popen[str]]" = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stopped: bool = False

    def __post_init__(self) -> None:
        self._watch = Watch(self.needs.seconds if self.needs is not None else lambda cell: None)

    def run(self, cells: Sequence[Cell], after: Callable[[Cell], None]) -> None:
        """Do these runs and call `after` at the end of each; a run that fails leaves its error as its result."""
        waiting, running, told = [*cells], dict[Future[None], Cell](), time.monotonic()
        with ThreadPoolExecutor(self.jobs) as pool, bar("Study", len(cells)) as line:
            try:
                while waiting or running:
                    while (cell := self._fitting(waiting, [*running.values()])) is not None:
                        waiting.remove(cell)
                        self._begun(cell, len(cells) - len(waiting), len(cells))
                        running[pool.submit(copy_context().run, self._done, cell)] = cell
                    ended, _ = wait(running, timeout=_LOOK, return_when=FIRST_COMPLETED)
                    for future in ended:
                        cell = running.pop(future)
                        self._watch.end(cell)
                        future.result()
                        line.advance()
                        after(cell)
                    if left := self._watch.left(waiting, self.jobs):
                        line.note(f"about {spoken_seconds(left)} left")
                    if self.say is not None and time.monotonic() - told > _TELL:
                        told = time.monotonic()
                        self._tell(self.say, left)
            except BaseException:
                self._stop()
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _fitting(self, waiting: Sequence[Cell], running: Sequence[Cell]) -> Cell | None:
        """The next run that may begin beside those that go on: one always may."""
        if not running:
            return waiting[0] if waiting else None
        if len(running) >= self.jobs:
            return None
        taken = sum(map(self._need, running))
        return next((cell for cell in waiting if self._within(taken + self._need(cell))), None)

    def _need(self, cell: Cell) -> int:
        return self.needs.memory(cell) if self.needs is not None else 0

    def _within(self, size: int) -> bool:
        return self.budget is None or size <= self.budget

    def _begun(self, cell: Cell, number: int, total: int) -> None:
        self._watch.begin(cell)
        if self.say is not None:
            need = self._need(cell)
            self.say(f"{number} of {total} begins: {cell.name}" + (f" (about {spoken(need)})" if need else ""))

    def _tell(self, say: Callable[[str], None], left: float | None) -> None:
        for text in self._watch.lines():
            say(f"  {text}")
        if left:
            say(f"  about {spoken_seconds(left)} left for all runs")

    def _done(self, cell: Cell) -> None:
        folder, need = self.results.folder(cell), self._need(cell)
        job = self._prepared(cell, folder)
        if not self._within(need) and not self.anyway and self.budget is not None:
            self._failed(
                cell, f"It needs about {spoken(need)} of memory, and {spoken(self.budget)} are allowed (--memory)."
            )
            return
        further = "a" if (folder / "run").is_dir() else "w"
        with (folder / LOG).open(further, encoding="utf-8") as log, bar(cell.name) as line:
            child = self._started(job, log.fileno())
            if child is None:
                return
            assert child.stdout is not None
            for text in child.stdout:
                self._heard(cell, line, text)
            code = child.wait()
            with self._lock:
                self._children.discard(child)
                if self._stopped:
                    return
        job.unlink(missing_ok=True)
        if self.results.look(cell) is None:
            self._failed(cell, _why(code, folder))
        if not (folder / LOG).stat().st_size:
            (folder / LOG).unlink()

    def _failed(self, cell: Cell, why: str) -> None:
        Result(cell.mark, error=why).save(self.results.folder(cell))
        self.results.look(cell)

    def _heard(self, cell: Cell, line: Bar, text: str) -> None:
        """What a child reports, shown behind its bar."""
        try:
            state = json.loads(text)
            share = f" {100 * state['done'] / state['total']:.0f}%" if state["total"] else ""
            line.note(f"{state['what']}{share}  {state['note']}".rstrip())
            self._watch.tell(cell, state)
        except (ValueError, KeyError, TypeError):
            return  # something else that was printed

    def _prepared(self, cell: Cell, folder: Path) -> Path:
        """The job's file; of an earlier try nothing stays but a training that was stopped."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in (RESULT, EVALUATION, TRAINING):
            (folder / name).unlink(missing_ok=True)
        for left in (folder / "model", *folder.glob(".*")):
            shutil.rmtree(left, ignore_errors=True) if left.is_dir() else left.unlink(missing_ok=True)
        job = {
            "name": cell.name,
            "model": cell.about,
            "data": cell.data,
            "mark": cell.mark,
            "wanted": cell.wanted,
            "files": cell.files,
            "folder": str(folder.absolute()),
            "threads": cell.threads or (self._share if self.jobs > 1 else 0),
            "keep": self.keep,
            "anyway": self.anyway,
        }
        (folder / _JOB).write_text(json.dumps(job), encoding="utf-8")
        return folder / _JOB

    @property
    def _share(self) -> int:
        """The threads that each of several runs at a time may use."""
        return max(1, (os.cpu_count() or 1) // self.jobs)

    def _started(self, job: Path, log: int) -> "subprocess.Popen[str] | None":
        with self._lock:
            if self._stopped:
                return None
            child = subprocess.Popen(
                [sys.executable, "-m", "umpteen.study.worker", str(job.absolute())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=os.environ | ({"OMP_NUM_THREADS": str(self._share)} if self.jobs > 1 else {}),
                start_new_session=True,  # Ctrl-C is for the parent, which then ends its children
            )
            self._children.add(child)
            return child

    def _stop(self) -> None:
        with self._lock:
            self._stopped = True
            for child in self._children:
                child.kill()
            for child in self._children:
                child.wait()


def _why(code: int, folder: Path) -> str:
    """Why a process ended without a result."""
    if code < 0:
        name = signal.Signals(-code).name
        hint = ", perhaps since memory did not suffice" if name == "SIGKILL" else ""
        return f"The run was ended by {name}{hint}."
    lines = [line for line in (folder / LOG).read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    return f"The run ended with code {code}: {lines[-1] if lines else 'it said nothing'}"
