"""What people read: lines and tables, as wide as the terminal, whole and without colour in a pipe."""

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from umpteen.core.legible import spoken_seconds as spoken_seconds

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_WIDE = 400  # columns of a pipe, which has no edge


def console() -> "Console":
    """Where tables are printed."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else _WIDE
    return Console(width=width, highlight=False, markup=False, emoji=False, soft_wrap=not sys.stdout.isatty())


def show(text: "str | Text" = "") -> None:
    """Print a line."""
    console().print(text, soft_wrap=True)


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, title: str | None = None) -> None:
    """Print rows under their headings; numbers and marked cells stand right, `None` is empty."""
    from rich.table import Table
    from rich.text import Text

    found = [list(row) for row in rows]
    bold = "bold" if sys.stdout.isatty() else ""
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style=bold, show_header=any(columns))
    for place, name in enumerate(columns):
        right = any(isinstance(row[place], int | float | Text) for row in found)
        grid.add_column(Text(name), justify="right" if right else "left", overflow="fold")
    for row in found:
        grid.add_row(*(cell if isinstance(cell, Text) else Text(number(cell)) for cell in row))
    out = console()
    if title is not None:
        out.print(Text(title, style=bold))
    with out.capture() as captured:
        out.print(grid)
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))


def number(value: object) -> str:
    """A value as a table shows it: whole numbers in groups of three, others to two places."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else "-" if value != value else f"{value:,.2f}"
