"""Progress of long work: silent in a library, a bar in the command line once the work takes two seconds."""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from typing import Protocol, TypeVar

T = TypeVar("T")


class Bar(Protocol):
    """One line of progress."""

    def advance(self, amount: float = 1) -> None:
        """Say that `amount` more is done."""

    def note(self, text: str) -> None:
        """Show a short text behind the bar."""


class Display(Protocol):
    """What shows bars; the command line sets one."""

    def bar(self, what: str, total: float | None) -> AbstractContextManager[Bar]:
        """A bar for `what`, `total` steps long where that is known."""

    def line(self, text: str) -> None:
        """A line that stays, above the bars."""


class _Silent:
    def advance(self, amount: float = 1) -> None:
        pass

    def note(self, text: str) -> None:
        pass


_display: ContextVar[Display | None] = ContextVar("display", default=None)


def show_on(display: Display | None) -> None:
    """Send all progress from here on to `display`; None is silence."""
    _display.set(display)


def bar(what: str, total: float | None = None) -> AbstractContextManager[Bar]:
    """A bar for work that is advanced by hand."""
    display = _display.get()
    return nullcontext(_Silent()) if display is None else display.bar(what, total)


def stays(text: str) -> bool:
    """Show a line that stays, above the bars; False where there is nothing to show it on."""
    display = _display.get()
    if display is not None:
        display.line(text)
    return display is not None


def track(items: Iterable[T], what: str, total: float | None = None) -> Iterator[T]:
    """Go through `items` with a bar that moves by one each."""
    with bar(what, total) as line:
        for item in items:
            yield item
            line.advance()
