"""Progress bars on a terminal, from the moment that work takes longer than two seconds; silence in a pipe."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from umpteen.core.progress import Bar

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, Task, TaskID

PATIENCE = 2.0  # seconds without a bar
_EVERY = 0.1  # seconds between changes of a bar


class Terminal:
    """Shows bars on stderr, those of the work at hand one below the other; they vanish when it is done."""

    def __init__(self, *, console: "Console | None" = None, patience: float = PATIENCE) -> None:
        self._console = console
        self._patience = patience
        self._began: float | None = None
        self._open: list[Line] = []
        self._progress: Progress | None = None
        self._lock = threading.RLock()

    @contextmanager
    def bar(self, what: str, total: float | None) -> Iterator[Bar]:
        """A bar that appears when the first bar's work has taken long enough."""
        line = Line(self, what, total)
        with self._lock:
            self._began = self._began or time.monotonic()
            self._open.append(line)
        timer = threading.Timer(max(0.0, self._began + self._patience - time.monotonic()), self._show)
        timer.daemon = True
        timer.start()
        try:
            yield line
        finally:
            timer.cancel()
            self._close(line)

    def _show(self) -> None:
        with self._lock:
            if not self._open:
                return
            self._progress = self._progress or _progress(self._console)
            for line in self._open:
                line.appear(self._progress)

    def _close(self, line: "Line") -> None:
        with self._lock:
            self._open.remove(line)
            line.vanish()
            if self._progress is not None and not self._open:
                self._progress.stop()
                self._progress = None


class Line:
    """One bar; the screen is told of its moves a few times a second, however often it moves."""

    def __init__(self, terminal: Terminal, what: str, total: float | None) -> None:
        self._what, self._total = what, total
        self._done, self._note, self._told = 0.0, "", 0.0
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def advance(self, amount: float = 1) -> None:
        """Say that `amount` more is done."""
        self._done += amount
        now = time.monotonic()
        if self._progress is not None and now - self._told > _EVERY:
            self._told = now
            self._tell()

    def note(self, text: str) -> None:
        """Show a short text behind the bar."""
        self._note = text
        self._tell()

    def appear(self, progress: "Progress") -> None:
        """Be seen from now on."""
        if self._progress is None:
            self._progress = progress
            self._task = progress.add_task(self._what, total=self._total, completed=int(self._done), note=self._note)

    def vanish(self) -> None:
        """Leave the screen."""
        if self._progress is not None and self._task is not None:
            self._progress.remove_task(self._task)

    def _tell(self) -> None:
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, completed=self._done, note=self._note)


def terminal() -> Terminal | None:
    """The display of this process: bars if a person looks on, else none."""
    return Terminal() if sys.stderr.isatty() else None


def _progress(console: "Console | None") -> "Progress":
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Count(ProgressColumn):
        def render(self, task: "Task") -> Text:
            return Text(_count(task.completed, task.total, task.finished_speed or task.speed))

    progress = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=30),
        Count(),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[note]}", markup=False, style="dim"),
        console=console or Console(stderr=True),
        transient=True,
        redirect_stdout=False,  # output goes where the user sent it, not to this screen
        redirect_stderr=False,
    )
    progress.start()
    return progress


def _count(done: float, total: float | None, speed: float | None) -> str:
    """How much is done, of how much, how fast."""
    count = f"{done:,.0f}" if total is None else f"{done:,.0f}/{total:,.0f}"
    return count if not speed else f"{count}  {speed:,.0f}/s" if speed >= 10 else f"{count}  {speed:.1f}/s"
