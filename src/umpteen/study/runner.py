"""The runner: has a study's runs done by child processes, some at a time, and stops them when it is stopped."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextvars import copy_context
from dataclasses import dataclass, field
from pathlib import Path

from umpteen.core.progress import Bar, bar
from umpteen.study.cells import Cell
from umpteen.study.results import EVALUATION, LOG, RESULT, Result, Results

_JOB = "job.json"


@dataclass
class Runner:
    """How runs are to be done."""

    results: Results
    jobs: int = 1  # runs at a time
    keep: bool = False  # the models
    anyway: bool = False  # even if memory will probably not suffice
    _children: set[subprocess.Popen[str]] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stopped: bool = False

    def run(self, cells: Sequence[Cell], after: Callable[[Cell], None]) -> None:
        """Do these runs and call `after` at the end of each; a run that fails leaves its error as its result."""
        with ThreadPoolExecutor(self.jobs) as pool, bar("Study", len(cells)) as line:
            running = {pool.submit(copy_context().run, self._done, cell): cell for cell in cells}
            try:
                for future in as_completed(running):
                    future.result()
                    line.advance()
                    after(running[future])
            except BaseException:
                self._stop()
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _done(self, cell: Cell) -> None:
        folder = self.results.folder(cell)
        job = self._prepared(cell, folder)
        with (folder / LOG).open("w", encoding="utf-8") as log, bar(cell.name) as line:
            child = self._started(job, log.fileno())
            if child is None:
                return
            assert child.stdout is not None
            for text in child.stdout:
                _show(line, text)
            code = child.wait()
            with self._lock:
                self._children.discard(child)
                if self._stopped:
                    return
        job.unlink(missing_ok=True)
        if self.results.look(cell) is None:
            Result(cell.mark, error=_why(code, folder)).save(folder)
            self.results.look(cell)
        if not (folder / LOG).stat().st_size:
            (folder / LOG).unlink()

    def _prepared(self, cell: Cell, folder: Path) -> Path:
        """The job's file; of an earlier try nothing stays but a training that was stopped."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in (RESULT, EVALUATION):
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

    def _started(self, job: Path, log: int) -> subprocess.Popen[str] | None:
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


def _show(line: Bar, text: str) -> None:
    """What a child reports, behind its bar."""
    try:
        state = json.loads(text)
        share = f" {100 * state['done'] / state['total']:.0f}%" if state["total"] else ""
        line.note(f"{state['what']}{share}  {state['note']}".rstrip())
    except (ValueError, KeyError, TypeError):
        return  # something else that was printed


def _why(code: int, folder: Path) -> str:
    """Why a process ended without a result."""
    if code < 0:
        name = signal.Signals(-code).name
        hint = ", perhaps since memory did not suffice" if name == "SIGKILL" else ""
        return f"The run was ended by {name}{hint}."
    lines = [line for line in (folder / LOG).read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    return f"The run ended with code {code}: {lines[-1] if lines else 'it said nothing'}"
