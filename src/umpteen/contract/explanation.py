"""Explanation: why a document gets a label; what models give and the terminal, a page or JSON show."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

Kind = Literal["sum", "attention", "leaning"]


@dataclass(frozen=True)
class Span:
    """A stretch of the text and how much it speaks for (or, below 0, against) the label."""

    start: int  # in characters; spans rise and do not overlap
    end: int
    weight: float


@dataclass(frozen=True)
class Feature:
    """A word, n-gram or feature and what it adds to the label's classifiers."""

    name: str
    weight: float


@dataclass(frozen=True)
class Step:
    """A step down a label tree."""

    name: str  # the group, or the label at the end
    size: int  # labels in it
    chance: float  # of this step, given the one before


@dataclass(frozen=True)
class Neighbour:
    """A training document that spoke for the label."""

    document: str
    similarity: float
    labels: tuple[str, ...]  # names


@dataclass(frozen=True)
class Explanation:
    """Why a document gets a label. A model fills in what it has."""

    label: str  # key
    name: str
    score: float
    text: str
    spans: tuple[Span, ...] = ()
    features: tuple[Feature, ...] = ()  # falling by size of weight
    bias: float = 0.0  # what the classifiers say before any feature; with the features' weights, what they say in all
    paths: tuple[tuple[Step, ...], ...] = ()  # one for each tree
    neighbours: tuple[Neighbour, ...] = ()
    kind: Kind = "sum"  # what weights are: parts of a sum, shares of attention, or parts of a sum to first order

    def to_json(self) -> dict[str, Any]:
        """All of it as plain values."""
        return asdict(self)
