"""How an explanation is read, on a terminal or a page alike: the text in pieces, the words on either side, the sums."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from typing import Literal

from umpteen.contract.explanation import Brought, Explanation, Feature, Kind, Neighbour, Step, Vote
from umpteen.core.legible import number_of

Side = Literal["for", "against", "attended to"]
_FAINT = 0.05  # of the strongest: a network gives every word some weight, and most of them next to none
_EVEN = 0.4  # of the words hold half of the attention where no word stands out


@dataclass(frozen=True)
class Piece:
    """A stretch of the text that speaks with one voice."""

    text: str
    weight: float  # 0: nothing to show
    share: float  # of the strongest piece's, between -1 and 1; of attention, of what lies above the faintest
    side: Side = "for"


def pieces(explanation: Explanation, start: int = 0, end: int | None = None) -> Iterator[Piece]:
    """The text from `start` to `end`, cut where spans begin and end."""
    text, at = explanation.text[:end], start
    strongest = max((abs(span.weight) for span in explanation.spans), default=0.0) or 1.0
    faintest = colours_from(explanation)
    least = {"sum": 0.0, "leaning": _FAINT * strongest, "attention": faintest}[explanation.kind]
    for span in explanation.spans:
        if span.end <= at or span.start >= len(text) or abs(span.weight) < least:
            continue
        if at < span.start:
            yield Piece(text[at : span.start], 0.0, 0.0)
        side = _side_of(explanation.kind, span.weight)
        share = (span.weight - faintest) / (strongest - faintest)
        yield Piece(text[max(at, span.start) : span.end], span.weight, share, side)
        at = span.end
    if at < len(text):
        yield Piece(text[at:], 0.0, 0.0)


def colours_from(explanation: Explanation) -> float:
    """What colours begin at: nothing, but for attention, of which every word has some.

    There it is an even share, a quarter of the strongest's if that is less; where attention is nearly even, the least
    that a word has, or all words would look alike.
    """
    weights = [span.weight for span in explanation.spans]
    if explanation.kind != "attention" or not weights:
        return 0.0
    least, most = min(weights), max(weights)
    if most / 2 <= least < most:
        return least
    return min(sum(weights) / len(weights), most / 4)


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


def sides(explanation: Explanation) -> dict[Side, list[Feature]]:
    """The features for the label and those against it, or those it attends to, strongest first."""
    names: tuple[Side, ...] = ("attended to",) if explanation.kind == "attention" else ("for", "against")
    found: dict[Side, list[Feature]] = {name: [] for name in names}
    for feature in explanation.features:
        if feature.weight:
            found[_side_of(explanation.kind, feature.weight)].append(feature)
    return found


def _side_of(kind: Kind, weight: float) -> Side:
    return "attended to" if kind == "attention" else "for" if weight > 0 else "against"


def balance(explanation: Explanation) -> str:
    """What the sides come to, in one or two sentences; and how much of the text does not count."""
    count = explanation.unread
    left = f" The last {count:,} words of the text were not read." if count > 1 else " Its last word was not read."
    return _balance(explanation) + (left if count else "")


def _balance(explanation: Explanation) -> str:
    noun = noun_of(explanation)
    if not explanation.features:
        if explanation.kind == "sum":
            return f"None of the {noun} speaks for or against it: this is the score it gets without any."
        if any(letter.isalnum() for letter in explanation.text):
            return "To first order, no word of the text changes the score."
        return "There is no word in the text, so this is the score of any text without words."
    if explanation.kind == "attention":
        return _concentration(explanation)
    speaks_for, against = (sum(f.weight for f in side) for side in sides(explanation).values())
    both = f"All {noun} for: {signed(speaks_for)}, all {noun} against: {signed(against)}"
    if explanation.kind == "leaning":
        return (
            f"{both}. These are first-order estimates, the gradient times each word's vector: "
            "they need not add up to what the network says."
        )
    total = signed(speaks_for + against + explanation.bias)
    return f"{both}, without any: {signed(explanation.bias)}; together {total}."


def _concentration(explanation: Explanation) -> str:
    """How few words hold most of the attention."""
    held = [*accumulate(feature.weight for feature in explanation.features)]
    count = next(n for n, share in enumerate(held, start=1) if share >= held[-1] / 2)
    even = " That is nearly even, and tells little." if count - 1 >= _EVEN * len(held) > 1 else ""
    return (
        f"Of {number_of(len(held), 'word')}, each counted with all its places, {count:,} "
        f"{'holds' if count == 1 else 'hold'} {share_of(held[count - 1])} of the attention.{even} Attention shows "
        "where the network looks, not whether what it sees there speaks for or against the label."
    )


def noun_of(explanation: Explanation) -> str:
    """What the features of the document are."""
    return "words" if explanation.text else "features"


def trails(explanation: Explanation) -> list[tuple[str, float, tuple[Step, ...]]]:
    """The ways through trees that have groups, each with a heading, and the chance of the whole way."""
    ways, power = [path for path in explanation.paths if len(path) > 1], explanation.power
    how = "" if power == 1 else f", each step times what is above it to the power {power:g}"
    return [
        (
            (f"Path through tree {n} of {len(ways)}" if len(ways) > 1 else "Path through the tree") + how,
            reduce(lambda above, own: above**power * own, (step.chance for step in path)),
            path,
        )
        for n, path in enumerate(ways, start=1)
    ]


def voters(explanation: Explanation) -> tuple[str, list[Neighbour]]:
    """What the neighbours come to, and those of them that have the label, nearest first; all where none has.

    Of those that taught a network, all are shown: each brought labels.
    """
    found = [near for near in explanation.neighbours if explanation.label in near.keys]
    verb = "has" if len(found) == 1 else "have"
    if explanation.brought:
        return f"{len(found):,} of {len(explanation.neighbours):,} {verb} the label", [*explanation.neighbours]
    told = f"{len(found):,} of the {len(explanation.neighbours):,} that vote {verb} the label"
    return told, found or [*explanation.neighbours]


def mixture(explanation: Explanation) -> str:
    """What a score of two parts is made of; nothing where it has but one."""
    if (mixed := explanation.mixed) is None:
        return ""
    return (
        f"{1 - mixed.share:.0%} of the score is what the network says, {chance(mixed.network)}, and {mixed.share:.0%} "
        f"are votes of similar documents, {chance(mixed.voted)}."
    )


def is_voted(explanation: Explanation) -> bool:
    """Whether votes bring more of the score than the network does, so that they come first."""
    mixed = explanation.mixed
    return mixed is not None and mixed.share * mixed.voted > (1 - mixed.share) * mixed.network


def labels_of(near: Neighbour, explanation: Explanation) -> list[str]:
    """The names of a neighbour's labels, the one that is explained first."""
    return sorted(near.labels, key=lambda name: name != explanation.name)


def lesson(explanation: Explanation) -> tuple[str, list[Brought]]:
    """How much the teacher brought, and all labels that it did, the label itself first, then by their votes."""
    brought = sorted(explanation.brought, key=lambda taught: taught.label != explanation.name)
    parents = {parent for taught in brought for parent in taught.parents}
    labels = f"{len(brought):,} label{'s' if len(brought) > 1 else ''}"
    above = f", {len(parents):,} parent{'s' if len(parents) > 1 else ''} by {explanation.above}" if parents else ""
    return f"{labels}{above}", brought


def ballot(vote: Vote) -> str:
    """What a member of several said of the label."""
    weight = "" if vote.weight == 1 else f", its vote counts {vote.weight:g}"
    if vote.place is None:
        return f"does not list it{weight}"
    before = calibrated(vote.reasons) if vote.reasons is not None else ""
    return f"place {vote.place:,}, score {chance(vote.score)}{before}{weight}"


def calibrated(explanation: Explanation) -> str:
    """What the score was before it became a probability, if it did."""
    return "" if explanation.raw is None else f" (calibrated, from {chance(explanation.raw)})"


def chance(share: float) -> str:
    """A score or chance between 0 and 1; small ones keep a digit that tells them from 0."""
    return f"{share:.2f}" if share >= 0.01 or not share else f"{share:.4f}" if share >= 0.0001 else "<0.0001"


def signed(weight: float) -> str:
    """A contribution with its sign; small ones keep a digit that tells them from 0."""
    return f"{weight:+.2f}" if abs(weight) >= 0.005 or not weight else f"{weight:+.1g}"


def share_of(whole: float) -> str:
    """A share of the whole in percent; small ones are told from nothing."""
    return f"{whole:.1%}" if whole >= 0.001 else "<0.1%"


def amount(weight: float, kind: Kind) -> str:
    """What a word is worth, in the measure of its explanation."""
    return share_of(weight) if kind == "attention" else signed(weight)
