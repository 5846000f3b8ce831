"""How an explanation is read, on a terminal or a page alike: the text in pieces, the words on either side, the sums."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from umpteen.contract.explanation import Explanation, Feature, Step


@dataclass(frozen=True)
class Piece:
    """A stretch of the text that speaks with one voice."""

    text: str
    weight: float  # 0: neither for nor against
    share: float  # of the strongest piece's, between -1 and 1


def pieces(explanation: Explanation, start: int = 0, end: int | None = None) -> Iterator[Piece]:
    """The text from `start` to `end`, cut where spans begin and end."""
    text, at = explanation.text[:end], start
    strongest = max((abs(span.weight) for span in explanation.spans), default=0.0) or 1.0
    for span in explanation.spans:
        if span.end <= at or span.start >= len(text):
            continue
        if at < span.start:
            yield Piece(text[at : span.start], 0.0, 0.0)
        yield Piece(text[max(at, span.start) : span.end], span.weight, span.weight / strongest)
        at = span.end
    if at < len(text):
        yield Piece(text[at:], 0.0, 0.0)


def passages(explanation: Explanation, *, whole: int, spans: int, around: int) -> list[tuple[int, int]]:
    """All of a text of up to `whole` characters; of a longer one what stands around its strongest spans."""
    length = len(explanation.text)
    if length <= whole or not explanation.spans:
        return [(0, min(length, whole))]
    strongest = sorted(explanation.spans, key=lambda span: -abs(span.weight))[:spans]
    found: list[tuple[int, int]] = []
    for span in sorted(strongest, key=lambda span: span.start):
        start, end = max(0, span.start - around), min(length, span.end + around)
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def sides(explanation: Explanation) -> tuple[list[Feature], list[Feature]]:
    """The features that speak for the label and those that speak against it, strongest first."""
    return [f for f in explanation.features if f.weight > 0], [f for f in explanation.features if f.weight < 0]


def balance(explanation: Explanation) -> str:
    """What the sides come to, in one sentence."""
    speaks_for, against = (sum(f.weight for f in side) for side in sides(explanation))
    noun = noun_of(explanation)
    if not explanation.features:
        return f"None of the {noun} speaks for or against it: this is the score it gets without any."
    total = signed(speaks_for + against + explanation.bias)
    return (
        f"All {noun} for: {signed(speaks_for)}, all {noun} against: {signed(against)}, "
        f"without any: {signed(explanation.bias)}; together {total}."
    )


def noun_of(explanation: Explanation) -> str:
    """What the features of the document are."""
    return "words" if explanation.text else "features"


def trails(explanation: Explanation) -> list[tuple[str, tuple[Step, ...]]]:
    """The ways through trees that have groups, each under a heading with the chance of the whole way."""
    ways = [path for path in explanation.paths if len(path) > 1]
    return [
        (f"Path through tree {n} of {len(ways)}" if len(ways) > 1 else "Path through the tree", path)
        for n, path in enumerate(ways, start=1)
    ]


def chance_of(path: tuple[Step, ...]) -> float:
    """The chance of a whole way."""
    return prod(step.chance for step in path)


def chance(share: float) -> str:
    """A score or chance between 0 and 1; small ones keep a digit that tells them from 0."""
    return f"{share:.2f}" if share >= 0.01 or not share else f"{share:.4f}" if share >= 0.0001 else "<0.0001"


def signed(weight: float) -> str:
    """A contribution with its sign."""
    return f"{weight:+.2f}"
