import io
import time

import pytest
from rich.console import Console

from umpteen.app.display import Terminal, terminal
from umpteen.core.progress import bar, show_on, track


def screen(patience: float) -> tuple[Terminal, io.StringIO]:
    shown = io.StringIO()
    return Terminal(console=Console(file=shown, force_terminal=True, width=120), patience=patience), shown


def test_short_work_shows_nothing() -> None:
    display, shown = screen(5)
    with display.bar("Reading", 3) as line:
        line.advance(3)
    assert shown.getvalue() == ""


def test_long_work_shows_a_bar_even_if_it_never_moves() -> None:
    display, shown = screen(0.05)
    with display.bar("Thinking", None):
        time.sleep(0.3)
    assert "Thinking" in shown.getvalue()


def test_bars_tell_what_and_how_much() -> None:
    display, shown = screen(0)
    show_on(display)
    try:
        with bar("Outer") as outer:
            for number in track(range(4), "Inner", 4):
                time.sleep(0.15)
                outer.note(f"step {number}")
    finally:
        show_on(None)
    assert "2/4" in shown.getvalue()
    assert "left" in shown.getvalue()
    assert "step 1" in shown.getvalue()


def test_bars_leave_when_work_fails() -> None:
    display, _ = screen(0)
    with pytest.raises(ValueError, match="no"), display.bar("Reading", 3):
        time.sleep(0.05)
        raise ValueError("no")
    with display.bar("Again", 1) as line:  # the display still works
        line.advance()


def test_no_display_in_a_pipe() -> None:
    assert terminal() is None
