"""An explanation on a terminal: the text with its telling words coloured, and the same in numbers without colour."""

from collections.abc import Iterator
from itertools import zip_longest

from rich.cells import set_cell_size
from rich.text import Text

from umpteen.contract.explanation import Explanation, Feature, Kind
from umpteen.core.legible import meter, one_line
from umpteen.explain.reading import (
    Piece,
    Side,
    amount,
    balance,
    ballot,
    calibrated,
    chance,
    is_voted,
    labels_of,
    lesson,
    mixture,
    noun_of,
    passages,
    pieces,
    share_of,
    sides,
    trails,
    voters,
)

_WHOLE, _SPANS, _AROUND = 1500, 12, 70  # characters of a text shown whole; passages of a longer one
_ROWS = 10  # strongest features on each side
_NAME = 24  # columns of a feature's name
_CELL = len("+0.00 ") + 1 + 10 + 1 + _NAME + 2
_COLOURS: dict[Side, tuple[str, str]] = {  # of signs and, for the strongest, behind them
    "for": ("color(33)", "color(26)"),  # blue and orange: no eye takes one for the other
    "against": ("color(166)", "color(130)"),
    "attended to": ("color(134)", "color(91)"),
}


def lines(explanation: Explanation) -> Iterator[Text]:
    """All there is to say, line by line."""
    yield _heading(explanation)
    if explanation.votes:
        yield from _votes(explanation)
        return
    if parts := mixture(explanation):
        yield Text(parts)
    voted = is_voted(explanation)
    if voted:
        yield from _neighbours(explanation)
        yield Text()
        yield Text("What the network saw", "bold")
    if explanation.text:
        yield Text()
        yield from _text(explanation)
    if explanation.features or not (explanation.spans or explanation.neighbours):
        yield Text()
        yield from _sides(explanation)
        yield Text(balance(explanation))
    yield from _paths(explanation)
    if not voted:
        yield from _neighbours(explanation)
    yield from _brought(explanation)


def _heading(explanation: Explanation) -> Text:
    key = "" if explanation.label == explanation.name else f"  ({one_line(explanation.label)})"
    return Text.assemble(
        f"{chance(explanation.score)} {meter(explanation.score)} ",
        (one_line(explanation.name), "bold"),
        (key, "dim"),
        (calibrated(explanation), "dim"),
    )


def _votes(explanation: Explanation) -> Iterator[Text]:
    """What each member said, and then each one's own reasons."""
    yield Text()
    width = max(len(vote.member) for vote in explanation.votes)
    for vote in explanation.votes:
        yield Text(f"  {vote.member:<{width}}  {meter(vote.score)} {ballot(vote)}")
    for vote in explanation.votes:
        if vote.reasons is not None:
            yield Text()
            yield Text(f"Why {vote.member} said so", "bold")
            _, *reasons = lines(vote.reasons)
            yield from reasons


def _text(explanation: Explanation) -> Iterator[Text]:
    """The text, or its telling passages, with words coloured by what they add."""
    shown = Text()
    found = passages(explanation, whole=_WHOLE, spans=_SPANS, around=_AROUND)
    for number, (start, end) in enumerate(found):
        if start:
            shown.append("… " if number == 0 else " … ", "dim")
        for piece in pieces(explanation, start, end):
            shown.append(_printable(piece.text), _style(piece))
    if found[-1][1] < len(explanation.text):
        shown.append(" …", "dim")
    yield from shown.split("\n")


def _style(piece: Piece) -> str:
    """Weak, clear and strong on every side; against is underlined too, for terminals without colour."""
    strength = abs(piece.share)
    if strength < 0.05 or not piece.text.strip():
        return ""
    colour, ground = _COLOURS[piece.side]
    style = f"bold white on {ground}" if strength >= 0.5 else colour if strength < 0.2 else f"bold {colour}"
    return f"{style} underline" if piece.side == "against" else style


def _sides(explanation: Explanation) -> Iterator[Text]:
    """The strongest features for and against side by side, or those attended to."""
    if not explanation.features:
        return
    found, noun = sides(explanation), noun_of(explanation)
    strongest = abs(explanation.features[0].weight)
    headings = [*found] if len(found) > 1 else [f"{noun} {side}" for side in found]
    yield Text("  " + "".join(f"{heading:<{_CELL}}" for heading in headings).rstrip(), "bold")
    for features in zip_longest(*(side[:_ROWS] for side in found.values())):
        row = Text("  ")
        for side, feature in zip(found, features, strict=True):
            row.append_text(_cell(feature, strongest, _COLOURS[side][0], explanation.kind))
        row.rstrip()
        yield row
    left = {side: max(0, len(features) - _ROWS) for side, features in found.items()}
    if any(left.values()):
        more = (f"{count:,} more{'' if n else f' {noun}'} {side}" for n, (side, count) in enumerate(left.items()))
        yield Text(f"  {', '.join(more)}", "dim")
    yield Text()


def _cell(feature: Feature | None, strongest: float, colour: str, kind: Kind) -> Text:
    if feature is None:
        return Text(" " * _CELL)
    name = set_cell_size(one_line(feature.name, _NAME), _NAME + 2)
    bar = meter(abs(feature.weight) / strongest)
    return Text.assemble(f"{amount(feature.weight, kind):>6} ", (bar, colour), f" {name}")


def _paths(explanation: Explanation) -> Iterator[Text]:
    for heading, whole, path in trails(explanation):
        yield Text()
        yield Text.assemble((heading, "bold"), f", {chance(whole)} in all")
        for depth, step in enumerate(path, start=1):
            size = f"  {step.size:,} labels" if step.size > 1 else ""
            yield Text.assemble(f"{'  ' * depth}{chance(step.chance)} {one_line(step.name)}", (size, "dim"))


def _neighbours(explanation: Explanation) -> Iterator[Text]:
    if not explanation.neighbours:
        return
    summary, found = voters(explanation)
    yield Text()
    heading = "Taught by training documents" if explanation.brought else "Nearest training documents"
    yield Text.assemble((heading, "bold"), f", {summary}")
    for near in found[:_ROWS]:
        labels = one_line(", ".join(labels_of(near, explanation)), 100)
        yield Text.assemble(f"  {near.similarity:.2f} {one_line(near.document, 100)}", (f"  {labels}", "dim"))
    if len(found) > _ROWS:
        yield Text(f"  {len(found) - _ROWS:,} more", "dim")


def _brought(explanation: Explanation) -> Iterator[Text]:
    """What a teacher brought: labels, how many documents have each, and what stands above them."""
    if not explanation.brought:
        return
    summary, found = lesson(explanation)
    yield Text()
    yield Text.assemble(("What they brought", "bold"), f", {summary}")
    for taught in found[: 2 * _ROWS]:
        above = f"  below {', '.join(map(one_line, taught.parents))}" if taught.parents else ""
        strong = "bold" if taught.label == explanation.name else ""
        row = f"  {share_of(taught.share):>6} {taught.documents:>3} x "
        yield Text.assemble(row, (one_line(taught.label), strong), (above, "dim"))
    if len(found) > 2 * _ROWS:
        yield Text(f"  {len(found) - 2 * _ROWS:,} more", "dim")


def _printable(text: str) -> str:
    """A text without signs that steer a terminal."""
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text)
