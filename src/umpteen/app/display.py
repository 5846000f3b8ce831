"""Progress bars on a terminal, from the moment that work takes longer than two seconds; silence in a pipe."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

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
        line = Line(what, total)
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

    def line(self, text: str) -> None:
        """A line that stays, above the bars."""
        with self._lock:
            if self._progress is None:
                print(text, file=sys.stderr)  # noqa: T201
            else:
                self._progress.console.print(text, markup=False, highlight=False, soft_wrap=True)

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

    def __init__(self, what: str, total: float | None) -> None:
        self._what, self._total = what, total
        self._began, self._told = time.monotonic(), 0.0
        self._done, self._note = 0.0, ""
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
            fields: dict[str, Any] = {"note": self._note, "began": self._began}
            self._task = progress.add_task(self._what, total=self._total, completed=int(self._done), **fields)

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
    from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn
    from rich.table import Column
    from rich.text import Text

    class Count(ProgressColumn):
        def render(self, task: "Task") -> Text:
            taken = time.monotonic() - task.fields["began"]
            return Text(_count(task.completed, task.total, task.speed, task.time_remaining, taken))

    progress = Progress(
        TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True)),
        BarColumn(bar_width=20),
        Count(table_column=Column(no_wrap=True)),
        TextColumn("{task.fields[note]}", markup=False, style="dim"),
        console=console or Console(stderr=True),
        transient=True,
        redirect_stdout=False,  # output goes where the user sent it, not to this screen
        redirect_stderr=False,
    )
    progress.start()
    return progress


def _count(done: float, total: float | None, speed: float | None, left: float | None, taken: float) -> str:
    """How much is done, of how much, how fast, and how long it will still take, or takes already."""
    parts = [f"{done:,.0f}/{total:,.0f}" if total is not None else f"{done:,.0f}" if done else ""]
    if done and speed:
        parts.append(f"{speed:,.0f}/s" if speed >= 10 else f"{speed:.1f}/s")
    parts.append(f"{_clock(left)} left" if total is not None and left is not None else _clock(taken))
    return "  ".join(filter(None, parts))


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
