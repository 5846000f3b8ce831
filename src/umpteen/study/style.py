"""The look of all pictures: colours that every eye tells apart, soft lines, and files that are the same each time."""

from collections.abc import Callable
from itertools import cycle, product
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from umpteen.core.errors import DataError
from umpteen.core.extras import need

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENDINGS = (".png", ".svg", ".pdf")
INK, SOFT, LINE = "#1c1917", "#6b6560", "#e7e3df"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
HATCHES = {"-": None, "--": "..", ":": "xx", "-.": "\\\\\\"}  # of bars, by the dashes of lines in their place
_STYLE = {
    "font.size": 10.0,
    "text.color": INK,
    "text.parse_math": False,  # names may hold dollars
    "axes.labelcolor": INK,
    "axes.edgecolor": SOFT,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": LINE,
    "figure.constrained_layout.h_pad": 0.1,
    "figure.constrained_layout.w_pad": 0.1,
    "svg.hashsalt": "umpteen",  # same curves, same file
}


def check_ending(path: Path) -> None:
    """Raise where no picture of this kind can be made."""
    if path.suffix.lower() not in ENDINGS:
        raise DataError(f"Expected a name that ends in {', '.join(ENDINGS)}, got {path.name!r}.")


def strokes() -> "cycle[tuple[str, str]]":
    """Dash and colour of one line after the other: dashes change once the colours are used up."""
    return cycle(product(HATCHES, COLOURS))


def painted(
    fill: "Callable[[Figure], None]", out: BinaryIO, *, size: tuple[float, float], format: str, what: str
) -> None:
    """Write a picture of `size` inches that `fill` draws, `format` being png, svg or pdf."""
    matplotlib = need("matplotlib", extra="study", what=what)
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=size, layout="constrained")
        fill(figure)
        dated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
        figure.savefig(out, format=format, dpi=150, metadata=dated.get(format))
