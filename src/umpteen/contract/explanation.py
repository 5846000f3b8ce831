"""Explanation: why a document gets a label; what models give and the terminal, a page or JSON show."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

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
    keys: tuple[str, ...]  # of the same labels: names may be shared


@dataclass(frozen=True)
class Brought:
    """A label that the nearest training documents taught a network."""

    label: str  # names
    parents: tuple[str, ...]  # right above it
    documents: int  # of the neighbours that have it
    share: float  # of their votes


@dataclass(frozen=True)
class Mixed:
    """A score of two parts: what a network says and what neighbours vote."""

    network: float
    voted: float
    share: float  # of the score that is the vote's


@dataclass(frozen=True)
class Explanation:
    """Why a document gets a label. A model fills in what it has."""

    label: str  # key
    name: str
    score: float
    text: str
    spans: tuple[Span, ...] = ()
    unread: int = 0  # words at the end of the text that the model did not look at
    features: tuple[Feature, ...] = ()  # falling by size of weight
    bias: float = 0.0  # what the classifiers say before any feature; with the features' weights, what they say in all
    paths: tuple[tuple[Step, ...], ...] = ()  # one for each tree
    power: float = 1.0  # to which, on each step of a path, the chance of what lies above counts; 1: a plain product
    neighbours: tuple[Neighbour, ...] = ()
    mixed: Mixed | None = None  # where the neighbours' votes are part of the score
    brought: tuple[Brought, ...] = ()  # what the neighbours taught, falling by share
    above: str = ""  # where the parents of labels come from
    votes: tuple["Vote", ...] = ()  # of the models that it was made of
    raw: float | None = None  # the score before calibration, where `score` is a probability
    kind: Kind = "sum"  # what weights are: parts of a sum, shares of attention, or parts of a sum to first order

    def to_json(self) -> dict[str, Any]:
        """All of it as plain values."""
        return asdict(self)


@dataclass(frozen=True)
class Vote:
    """What one of several models said of the label."""

    member: str
    place: int | None  # in its ranking, from 1; none where it does not list the label
    score: float
    weight: float  # of its vote
    reasons: Explanation | None = None


def spread(places: NDArray[np.int64], weights: Sequence[float]) -> tuple[Span, ...]:
    """Spans of a text from rows of (from, to) and the weight of each; where they overlap, weights add up."""
    edges = np.unique(places)
    total = np.zeros(len(edges))
    for (start, end), weight in zip(places.tolist(), weights, strict=True):
        total[np.searchsorted(edges, start) : np.searchsorted(edges, end)] += weight
    return tuple(
        Span(int(start), int(end), float(weight))
        for start, end, weight in zip(edges[:-1], edges[1:], total[:-1], strict=True)
        if weight
    )
